//! `cargo xtask demo`: the main job, for real and to be looked at.

use anyhow::{Context, Result};

use crate::build;
use crate::command;
use crate::layout::Layout;
use crate::report::Report;

/// Runs the task.
pub(crate) fn run(layout: &Layout) -> Result<()> {
    build::all(layout, &mut Report::new(), false)?;
    command::run(
        command::program(layout.binary("demo", false))
            .env("PALISADE_BIN", layout.host(false))
            .env("PALISADE_PLUGINS", layout.plugins()),
    )
    .context("the demo did not go as it should")
}
