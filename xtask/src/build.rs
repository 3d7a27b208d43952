//! `cargo xtask build`: the host and everything it runs.

use anyhow::{Context, Result};

use crate::command::{self, cargo};
use crate::guests;
use crate::layout::Layout;
use crate::report::Report;

/// Runs the task.
pub(crate) fn run(layout: &Layout, release: bool) -> Result<()> {
    let mut report = Report::new();
    all(layout, &mut report, release, &["palisade"])?;
    eprintln!(
        "  host     {}",
        layout.short(&layout.host(release)).display()
    );
    eprintln!("  plugins  {}", layout.short(&layout.plugins()).display());
    Ok(())
}

/// Builds the guests and some packages of the native workspace.
///
/// # Errors
/// Where one of them does not build.
pub(crate) fn all(
    layout: &Layout,
    report: &mut Report,
    release: bool,
    packages: &[&str],
) -> Result<()> {
    report.step("build plugins and test guests", || guests::build(layout))?;
    let name = format!("build {}", packages.join(", "));
    report.step(&name, || native(layout, release, packages))
}

/// Builds some packages of the native workspace.
///
/// # Errors
/// Where one of them does not build.
pub(crate) fn native(layout: &Layout, release: bool, packages: &[&str]) -> Result<()> {
    let mut command = cargo();
    command
        .arg("build")
        .arg("--manifest-path")
        .arg(layout.host_manifest());
    if release {
        command.arg("--release");
    }
    for package in packages {
        command.args(["--package", package]);
    }
    command::run(&mut command).context("the host does not build")
}
