//! Builds what runs inside the sandbox: the plugins and the test guests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::command::{self, guest_cargo};
use crate::layout::Layout;
use crate::manifest_section;
use crate::setup;

const TARGET: &str = "wasm32-wasip2";

/// A component that cargo built.
#[derive(Debug, PartialEq, Eq)]
struct Artifact {
    /// The package's folder.
    package: PathBuf,
    /// The name that tests and people use, such as `filesystem`.
    name: String,
    /// The file in cargo's own folder.
    file: PathBuf,
}

/// Builds every guest and lays it out as `NAME.wasm`, manifest embedded, in the
/// plugins' or the test guests' folder. A file that would not change keeps its
/// time, and what no longer has a source goes away.
///
/// # Errors
/// Where there is no WASI target, something does not compile, or two guests
/// have one name.
pub(crate) fn build(layout: &Layout) -> Result<()> {
    let config = setup::wasi_target(layout)?;
    let mut laid_out: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    for manifest in layout.guest_manifests() {
        for artifact in compile(layout, &config, &manifest)? {
            let folder = if artifact
                .package
                .starts_with(layout.root.join("tests/guests"))
            {
                layout.guests()
            } else {
                layout.plugins()
            };
            let destination = folder.join(format!("{}.wasm", artifact.name));
            let bytes = finished(&artifact)?;
            if let Some(other) = laid_out.insert(destination.clone(), artifact.package.clone()) {
                bail!(
                    "{} and {} are both named {}: rename one",
                    layout.short(&other).display(),
                    layout.short(&artifact.package).display(),
                    artifact.name
                );
            }
            write_if_changed(&destination, &bytes)?;
        }
    }
    ensure!(
        !laid_out.is_empty(),
        "no guest was built: plugins/Cargo.toml is missing or has no members"
    );
    let kept = laid_out.into_keys().collect();
    remove_others(&layout.plugins(), &kept)?;
    remove_others(&layout.guests(), &kept)
}

/// Compiles one workspace in release mode, since debug WebAssembly is slow and large.
fn compile(layout: &Layout, config: &Path, manifest: &Path) -> Result<Vec<Artifact>> {
    let messages = command::stdout_of(
        guest_cargo()
            .arg("--config")
            .arg(config)
            .args(["build", "--release", "--workspace", "--target", TARGET])
            .args(["--message-format", "json-render-diagnostics"])
            .arg("--manifest-path")
            .arg(manifest)
            .arg("--target-dir")
            .arg(layout.wasm()),
    )
    .with_context(|| format!("{} does not build", layout.short(manifest).display()))?;
    messages
        .lines()
        .map(artifacts)
        .try_fold(Vec::new(), |mut all, some| {
            all.extend(some?);
            Ok(all)
        })
}

/// The components that one of cargo's JSON messages speaks of.
fn artifacts(message: &str) -> Result<Vec<Artifact>> {
    let message: Value = serde_json::from_str(message).context("cargo printed broken JSON")?;
    if message["reason"] != "compiler-artifact" {
        return Ok(Vec::new());
    }
    let files = message["filenames"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    files
        .iter()
        .filter_map(Value::as_str)
        .map(PathBuf::from)
        .filter(|file| {
            file.extension()
                .is_some_and(|extension| extension == "wasm")
        })
        .map(|file| {
            let package = message["manifest_path"]
                .as_str()
                .and_then(|path| Path::new(path).parent())
                .context("cargo named no manifest for what it built")?;
            Ok(Artifact {
                name: name(package, &message)?,
                package: package.to_owned(),
                file,
            })
        })
        .collect()
}

/// A package's only component is named as its folder; a second one as its target.
fn name(package: &Path, message: &Value) -> Result<String> {
    let target = message["target"]["name"]
        .as_str()
        .context("cargo named no target for what it built")?
        .replace('_', "-");
    let of_package = package_name(message).is_some_and(|name| name == target);
    let folder = package.file_name().and_then(|name| name.to_str());
    Ok(match folder {
        Some(folder) if of_package => folder.to_owned(),
        _ => target,
    })
}

/// The package's name out of its id, `path+file:///…/folder#name@version`, or
/// `…/name#version` where the folder has that name.
fn package_name(message: &Value) -> Option<&str> {
    let (path, end) = message["package_id"].as_str()?.rsplit_once('#')?;
    match end.split_once('@') {
        Some((name, _)) => Some(name),
        None => path.rsplit('/').next(),
    }
}

/// The component with its manifest, ready to be used.
fn finished(artifact: &Artifact) -> Result<Vec<u8>> {
    let file = artifact.file.display();
    let component = fs::read(&artifact.file).with_context(|| format!("{file} can't be read"))?;
    ensure!(
        manifest_section::is_component(&component),
        "{file} is not a component: the linker for {TARGET} made something else"
    );
    let manifest = artifact.package.join("palisade.toml");
    match fs::read_to_string(&manifest) {
        Ok(manifest) => manifest_section::embed(component, &manifest),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(component),
        Err(error) => Err(error).with_context(|| format!("{} can't be read", manifest.display())),
    }
}

/// Replaces the file in one step, unless it holds these bytes already.
fn write_if_changed(destination: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(destination).is_ok_and(|present| present == bytes) {
        return Ok(());
    }
    let write = || -> std::io::Result<()> {
        if let Some(folder) = destination.parent() {
            fs::create_dir_all(folder)?;
        }
        let new = destination.with_extension("new");
        fs::write(&new, bytes)?;
        fs::rename(new, destination)
    };
    write().with_context(|| format!("{} can't be written", destination.display()))
}

/// Removes components that this build did not make.
fn remove_others(folder: &Path, kept: &BTreeSet<PathBuf>) -> Result<()> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => {
            return Err(error).with_context(|| format!("{} can't be read", folder.display()));
        }
    };
    for entry in entries {
        let path = entry
            .with_context(|| format!("{} can't be read", folder.display()))?
            .path();
        let component = path
            .extension()
            .is_some_and(|extension| extension == "wasm");
        if component && !kept.contains(&path) {
            fs::remove_file(&path)
                .with_context(|| format!("{} can't be removed", path.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test should say where")]

    use super::*;

    fn built(package_id: &str, folder: &str, target: &str, file: &str) -> Vec<Artifact> {
        let message = serde_json::json!({
            "reason": "compiler-artifact",
            "package_id": package_id,
            "manifest_path": format!("{folder}/Cargo.toml"),
            "target": { "name": target, "kind": ["cdylib"] },
            "filenames": [file],
        });
        artifacts(&message.to_string()).unwrap()
    }

    #[test]
    fn a_plugin_is_named_as_its_folder() {
        for (id, target) in [
            ("path+file:///repo/plugins/filesystem#0.1.0", "filesystem"),
            (
                "path+file:///repo/plugins/filesystem#plugin-fs@0.1.0",
                "plugin_fs",
            ),
        ] {
            let all = built(id, "/repo/plugins/filesystem", target, "/t/x.wasm");
            assert_eq!(all.len(), 1);
            assert_eq!(all[0].name, "filesystem");
            assert_eq!(all[0].package, Path::new("/repo/plugins/filesystem"));
        }
    }

    #[test]
    fn further_components_of_a_package_are_named_as_their_targets() {
        let id = "path+file:///repo/tests/guests/hostile#0.1.0";
        let all = built(
            id,
            "/repo/tests/guests/hostile",
            "loop_forever",
            "/t/x.wasm",
        );
        assert_eq!(all[0].name, "loop-forever");
    }

    #[test]
    fn libraries_and_other_messages_are_no_components() {
        let id = "registry+https://example.org#serde@1.0.0";
        assert_eq!(built(id, "/r/serde", "serde", "/t/libserde.rlib"), []);
        assert_eq!(
            artifacts(r#"{"reason":"build-finished","success":true}"#).unwrap(),
            []
        );
        assert!(artifacts("not JSON").is_err());
    }

    #[test]
    fn an_unchanged_file_keeps_its_time_and_strangers_go() {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("kept.wasm");
        write_if_changed(&kept, b"one").unwrap();
        let long_ago = std::time::SystemTime::UNIX_EPOCH;
        let file = fs::File::options().write(true).open(&kept).unwrap();
        file.set_modified(long_ago).unwrap();
        write_if_changed(&kept, b"one").unwrap();
        assert_eq!(fs::metadata(&kept).unwrap().modified().unwrap(), long_ago);
        write_if_changed(&kept, b"two").unwrap();
        assert_ne!(fs::metadata(&kept).unwrap().modified().unwrap(), long_ago);

        let old = folder.path().join("old.wasm");
        let note = folder.path().join("note.txt");
        fs::write(&old, "").unwrap();
        fs::write(&note, "").unwrap();
        remove_others(folder.path(), &BTreeSet::from([kept.clone()])).unwrap();
        assert!(kept.exists() && note.exists() && !old.exists());
    }
}
