//! The reference filesystem server from npm, installed at one exact version
//! with everything it needs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, bail};

use crate::watchdog::Watchdog;

const PACKAGE: &str = include_str!("../npm/package.json");
const LOCK: &str = include_str!("../npm/package-lock.json");
const ENTRY: &str = "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js";
/// Written last, so that half an installation is not taken for one.
const DONE: &str = "installed.json";
const PATIENCE: Duration = Duration::from_secs(300);

/// Installs the server into `directory` unless it is there already; the script
/// to give to node.
pub(crate) fn install(directory: &Path, watchdog: &Watchdog) -> anyhow::Result<PathBuf> {
    let entry = directory.join(ENTRY);
    let done = directory.join(DONE);
    if !(entry.is_file() && fs::read_to_string(&done).is_ok_and(|lock| lock == LOCK)) {
        fs::create_dir_all(directory)
            .and_then(|()| fs::write(directory.join("package.json"), PACKAGE))
            .and_then(|()| fs::write(directory.join("package-lock.json"), LOCK))
            .with_context(|| format!("{} can't be written", directory.display()))?;
        run_npm(directory, watchdog)?;
        fs::write(&done, LOCK).with_context(|| format!("{} can't be written", done.display()))?;
    }
    entry
        .canonicalize()
        .with_context(|| format!("npm did not install {}", entry.display()))
}

fn run_npm(directory: &Path, watchdog: &Watchdog) -> anyhow::Result<()> {
    const HINT: &str =
        "install Node.js 20 or newer with npm, or leave it out: --only palisade,native";
    let mut child = Command::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .context(format!("npm can't be started\n  {HINT}"))?;
    let watch = watchdog.watch(child.id(), PATIENCE);
    if watch.is_err() {
        // Not left running unwatched; it is waited for below.
        child.kill().context("npm can't be stopped")?;
    }
    let output = child
        .wait_with_output()
        .context("npm can't be waited for")?;
    if watch?.ended() {
        bail!(
            "npm took more than {} s and was stopped",
            PATIENCE.as_secs()
        );
    }
    if !output.status.success() {
        bail!(
            "npm could not install the reference server ({}):\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr).trim_end()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failing test may panic")]

    use serde_json::Value;

    use super::*;

    #[test]
    fn every_package_is_pinned_by_its_hash_and_to_no_particular_registry() {
        let package: Value = serde_json::from_str(PACKAGE).unwrap();
        let lock: Value = serde_json::from_str(LOCK).unwrap();
        let packages = lock["packages"].as_object().unwrap();
        assert_eq!(package["dependencies"], packages[""]["dependencies"]);
        for (name, entry) in packages.iter().filter(|(name, _)| !name.is_empty()) {
            assert!(entry["integrity"].is_string(), "{name}");
            assert!(entry.get("resolved").is_none(), "{name}");
        }
    }
}
