//! `cargo xtask docs`: the pages that are made of what the code knows.

use anyhow::{Context, Result};

use crate::command::{self, cargo};
use crate::layout::Layout;

/// Runs the task. The test that says whether a page is what the code knows writes it
/// when it is told to: so both are of one mind.
pub(crate) fn run(layout: &Layout) -> Result<()> {
    let mut command = cargo();
    command
        .args([
            "test",
            "--package",
            "palisade-policy",
            "--test",
            "reference",
        ])
        .arg("--manifest-path")
        .arg(layout.host_manifest())
        .env("PALISADE_WRITE_DOCS", "1");
    command::run(&mut command).context("docs/permissions.md can't be written")
}
