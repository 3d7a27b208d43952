//! Building a plugin with cargo.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::failure::Failure;

/// What says that a project is cargo's.
pub(crate) const BUILD_FILE: &str = "Cargo.toml";

/// What plugins are built for.
const TARGET: &str = "wasm32-wasip2";

/// What cargo has built.
pub(crate) struct Built {
    /// The component.
    pub(crate) file: PathBuf,
    /// The version of its package.
    pub(crate) version: Option<String>,
}

/// Builds the project in this folder. What the compiler says goes to standard
/// error.
pub(crate) fn build(folder: &Path) -> Result<Built, Failure> {
    // As cargo's own subcommands do it.
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let output = Command::new(cargo)
        .args(["build", "--release", "--target", TARGET])
        .args(["--message-format", "json-render-diagnostics"])
        // Where it is started, it finds the project's own settings.
        .current_dir(folder)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                Failure::new("there is no cargo to build the plugin with").remedy(
                    "install Rust (https://rustup.rs), or name what is built with --component FILE",
                )
            }
            _ => Failure::because("cargo can't be started", &error),
        })?;
    let shown = folder.display();
    if !output.status.success() {
        return Err(
            Failure::new(format!("the plugin in {shown} does not build")).remedy(format!(
                "the compiler says why; if it misses the target: rustup target add {TARGET}"
            )),
        );
    }
    let mut found = artifacts(&output.stdout);
    let manifest = folder.join(BUILD_FILE).canonicalize().ok();
    if found.iter().any(|(of, _)| of.is_some() && *of == manifest) {
        found.retain(|(of, _)| *of == manifest);
    }
    let mut found = found.into_iter().map(|(_, built)| built);
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(Failure::new(format!("cargo built no component in {shown}"))
            .remedy("say `crate-type = [\"cdylib\"]` under [lib] in Cargo.toml")),
        (Some(one), Some(other)) => Err(Failure::new(format!(
            "cargo built more than one component: {} and {}",
            one.file.display(),
            other.file.display()
        ))
        .remedy("name the one to pack with --component FILE")),
    }
}

/// The components that cargo's messages speak of, each with the manifest of its
/// package.
fn artifacts(messages: &[u8]) -> Vec<(Option<PathBuf>, Built)> {
    let messages = messages.split(|byte| *byte == b'\n');
    let messages = messages.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let mut found = Vec::new();
    for message in messages.filter(|one| one["reason"] == "compiler-artifact") {
        let manifest = message["manifest_path"].as_str().map(PathBuf::from);
        let manifest = manifest.and_then(|path| path.canonicalize().ok());
        let files = message["filenames"].as_array();
        let files = files.into_iter().flatten().filter_map(Value::as_str);
        let files = files
            .map(PathBuf::from)
            .filter(|file| file.extension().is_some_and(|ending| ending == "wasm"));
        found.extend(files.map(|file| {
            let version = message["package_id"].as_str().and_then(version);
            (manifest.clone(), Built { file, version })
        }));
    }
    found
}

/// The version at the end of a package's id, `…#name@1.2.0` or `…/name#1.2.0`.
fn version(id: &str) -> Option<String> {
    let (_, end) = id.rsplit_once('#')?;
    let version = end.rsplit_once('@').map_or(end, |(_, version)| version);
    Some(version.to_owned())
}
