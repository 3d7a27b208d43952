//! Programs from the registry that tasks need, built once.

use std::ffi::OsString;
use std::fs;

use anyhow::{Context, Result};

use crate::command;
use crate::layout::Layout;

/// A program, and the version that is used.
pub(crate) struct Tool {
    /// Of the program and of its crate.
    pub(crate) name: &'static str,
    /// Exactly.
    pub(crate) version: &'static str,
}

impl Tool {
    /// The one at hand if it is of the right version; else it is built,
    /// unoptimised.
    ///
    /// # Errors
    /// Where it can't be built.
    pub(crate) fn get(&self, layout: &Layout) -> Result<OsString> {
        let Self { name, version } = self;
        let own = layout.tools().join("bin").join(name).into_os_string();
        for candidate in [own.clone(), (*name).into()] {
            let says = command::ask(command::program(&candidate).arg("--version"));
            if says.is_ok_and(|says| says.trim() == format!("{name} {version}")) {
                return Ok(candidate);
            }
        }
        eprintln!("  building {name} {version} (once)");
        let build = layout.tools().join("build");
        command::run(
            command::cargo()
                .args(["install", name, "--version", version, "--locked"])
                .args(["--debug", "--force", "--quiet"])
                .arg("--root")
                .arg(layout.tools())
                .env("CARGO_TARGET_DIR", &build)
                .env("CARGO_PROFILE_DEV_DEBUG", "0")
                .env("CARGO_INCREMENTAL", "0"),
        )
        .with_context(|| format!("{name} can't be installed"))?;
        fs::remove_dir_all(&build)
            .with_context(|| format!("{} can't be removed", build.display()))?;
        Ok(own)
    }
}
