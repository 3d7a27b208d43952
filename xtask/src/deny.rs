//! `cargo deny`: the licences, bans and sources of what the lock files name.

use std::path::Path;

use anyhow::{Context, Result};

use crate::command;
use crate::layout::Layout;
use crate::tool::Tool;

/// A check takes a second even unoptimised; an optimised build takes minutes.
const TOOL: Tool = Tool {
    name: "cargo-deny",
    version: "0.20.2",
};

/// Checks every workspace of the repository against `deny.toml`.
///
/// # Errors
/// Where something is not allowed, or cargo-deny can't be had.
pub(crate) fn check(layout: &Layout) -> Result<()> {
    let deny = TOOL.get(layout)?;
    let check = |manifest: &Path, also: &[&str]| {
        command::run(
            command::program(&deny)
                .arg("--manifest-path")
                .arg(manifest)
                .arg("--config")
                .arg(layout.root.join("deny.toml"))
                .args(["check", "licenses", "bans", "sources"])
                .args(also),
        )
        .with_context(|| {
            format!(
                "{} depends on something that deny.toml does not allow",
                layout.short(manifest).display()
            )
        })
    };
    check(&layout.host_manifest(), &[])?;
    // The exceptions are those of the host: that a guest does not need them is
    // no news.
    let not_needed = [
        "-A",
        "unmatched-skip",
        "-A",
        "unmatched-skip-root",
        "-A",
        "unnecessary-skip",
    ];
    layout
        .guest_manifests()
        .iter()
        .try_for_each(|manifest| check(manifest, &not_needed))
}
