//! `cargo xtask lint`: everything that looks at the code without running it.

use std::path::Path;

use anyhow::{Context, Result};

use crate::checks;
use crate::command::{self, cargo};
use crate::deny;
use crate::layout::Layout;
use crate::report::Report;

/// Runs the task.
pub(crate) fn run(layout: &Layout) -> Result<()> {
    let mut report = Report::new();
    code(layout, &mut report)?;
    report.step("cargo deny", || deny::check(layout))
}

/// The part that looks at the code, quickest first.
///
/// # Errors
/// The first check that fails.
pub(crate) fn code(layout: &Layout, report: &mut Report) -> Result<()> {
    let mut manifests = layout.guest_manifests();
    manifests.insert(0, layout.host_manifest());
    report.step("repository rules", || checks::run(layout))?;
    report.step("cargo fmt", || {
        manifests.iter().try_for_each(|manifest| {
            command::run(
                cargo()
                    .args(["fmt", "--all", "--check", "--manifest-path"])
                    .arg(manifest),
            )
            .with_context(|| {
                format!(
                    "run `cargo fmt --all --manifest-path {}`",
                    layout.short(manifest).display()
                )
            })
        })
    })?;
    for manifest in &manifests {
        let folder = layout.short(manifest).parent().unwrap_or(Path::new(""));
        let name = if folder.as_os_str().is_empty() {
            "cargo clippy".to_owned()
        } else {
            format!("cargo clippy, {}", folder.display())
        };
        report.step(&name, || {
            command::run(
                cargo()
                    .args(["clippy", "--workspace", "--all-targets", "--manifest-path"])
                    .arg(manifest)
                    .arg("--target-dir")
                    .arg(&layout.target)
                    .args(["--", "-D", "warnings"]),
            )
        })?;
    }
    Ok(())
}
