//! `cargo xtask build`: the host and everything it runs.

use anyhow::{Context, Result};

use crate::command::{self, cargo};
use crate::guests;
use crate::layout::Layout;
use crate::report::Report;

/// What of the native workspace is built.
pub(crate) enum Native<'a> {
    /// Debug, all packages: in one go, since cargo gives shared dependencies the
    /// features that all of the chosen packages want. Another choice would be
    /// other features, and wasmtime built again for it.
    Debug,
    /// As [`Native::Debug`], with all tests.
    DebugWithTests,
    /// Release, these packages: with the features that they themselves want.
    Release(&'a [&'a str]),
}

/// Runs the task.
pub(crate) fn run(layout: &Layout, release: bool) -> Result<()> {
    let mut report = Report::new();
    all(layout, &mut report, release)?;
    eprintln!(
        "  host     {}",
        layout.short(&layout.host(release)).display()
    );
    eprintln!("  plugins  {}", layout.short(&layout.plugins()).display());
    Ok(())
}

/// Builds the guests and the host.
///
/// # Errors
/// Where one of them does not build.
pub(crate) fn all(layout: &Layout, report: &mut Report, release: bool) -> Result<()> {
    let host = if release {
        Native::Release(&["palisade"])
    } else {
        Native::Debug
    };
    report.step("build plugins and test guests", || guests::build(layout))?;
    report.step("build host", || native(layout, &host))
}

/// Builds in the native workspace.
///
/// # Errors
/// Where it does not build.
pub(crate) fn native(layout: &Layout, what: &Native<'_>) -> Result<()> {
    let mut command = cargo();
    command
        .args(["build", "--manifest-path"])
        .arg(layout.host_manifest());
    match what {
        Native::Debug => command.arg("--workspace"),
        Native::DebugWithTests => command.args(["--workspace", "--all-targets"]),
        Native::Release(packages) => command
            .arg("--release")
            .args(packages.iter().flat_map(|package| ["--package", package])),
    };
    command::run(&mut command).context("the native workspace does not build")
}
