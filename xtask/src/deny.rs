//! `cargo deny`: the licences, bans and sources of what the lock files name.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::command;
use crate::layout::Layout;

const VERSION: &str = "0.20.2";

/// Checks every workspace of the repository against `deny.toml`.
///
/// # Errors
/// Where something is not allowed, or cargo-deny can't be had.
pub(crate) fn check(layout: &Layout) -> Result<()> {
    let deny = tool(layout)?;
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

/// A cargo-deny of the right version: the one at hand, or built once.
fn tool(layout: &Layout) -> Result<OsString> {
    let own = layout.tools().join("bin/cargo-deny").into_os_string();
    for candidate in [own.clone(), "cargo-deny".into()] {
        let version = command::ask(command::program(&candidate).arg("--version"));
        if version.is_ok_and(|version| version.trim() == format!("cargo-deny {VERSION}")) {
            return Ok(candidate);
        }
    }
    eprintln!("  building cargo-deny {VERSION} (once)");
    let build = layout.tools().join("build");
    // A check takes a second even unoptimised; an optimised build takes minutes.
    command::run(
        command::cargo()
            .args(["install", "cargo-deny", "--version", VERSION, "--locked"])
            .args(["--debug", "--force", "--quiet"])
            .arg("--root")
            .arg(layout.tools())
            .env("CARGO_TARGET_DIR", &build)
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_INCREMENTAL", "0"),
    )
    .context("cargo-deny can't be installed")?;
    fs::remove_dir_all(&build).with_context(|| format!("{} can't be removed", build.display()))?;
    Ok(own)
}
