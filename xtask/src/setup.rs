//! `cargo xtask setup`: a Rust target for WASI components.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::command;
use crate::layout::Layout;
use crate::report::Report;

/// Runs the task.
pub(crate) fn run(layout: &Layout) -> Result<()> {
    Report::new().step("WASI target", || wasi_target(layout).map(drop))
}

/// Makes sure that guests can be built and returns the cargo configuration to
/// build them with (`cargo --config FILE`). It may choose another compiler, so
/// it must reach guest builds only.
pub(crate) fn wasi_target(layout: &Layout) -> Result<PathBuf> {
    let script = layout.root.join("xtask/scripts/setup-rust-wasm.sh");
    let printed = command::stdout_of(command::program("bash").arg(&script))
        .context("there is no Rust target for WASI components (wasm32-wasip2)")?;
    let environment = PathBuf::from(printed.trim_end());
    let config = environment.with_file_name("config.toml");
    ensure!(
        config.is_file(),
        "{} printed {printed:?}, and there is no config.toml beside it",
        layout.short(&script).display()
    );
    Ok(config)
}
