//! What a person is owed who made a mistake: one sentence about it, what to do,
//! an exit code, and nothing on standard output.

use std::fs;
use std::path::{Path, PathBuf};

use palisade_tests::{Finished, Palisade, plugin};
use tempfile::TempDir;

/// The exit codes a script can rely on.
pub(crate) const FAILED: i32 = 1;
pub(crate) const USAGE: i32 = 2;
pub(crate) const REFUSED: i32 = 3;

/// What belongs in no message to a person.
const JARGON: [&str; 11] = [
    "os error",
    "panicked",
    "thread '",
    "Err(",
    "Some(",
    "Os {",
    "kind:",
    "Error {",
    "backtrace",
    "unwrap",
    "serde",
];

/// All that is wrong with how a command failed.
fn complaints(done: &Finished, code: i32, says: &[&str]) -> Vec<String> {
    let mut complaints = Vec::new();
    if done.code != Some(code) {
        complaints.push(format!("exit code {:?} instead of {code}", done.code));
    }
    if !done.stdout.is_empty() {
        complaints.push("something on standard output".to_owned());
    }
    let lines: Vec<_> = done.stderr.lines().collect();
    let sentence = lines.first().copied().unwrap_or_default();
    if !sentence.starts_with("palisade: ") {
        complaints.push("the sentence does not say who speaks".to_owned());
    }
    if lines.len() > 2 || lines.iter().skip(1).any(|line| !line.starts_with("  ")) {
        complaints.push("more than a sentence and an indented remedy".to_owned());
    }
    // A parser that names what it expected has said what to do.
    let advises = ["; ", "expected", " must "]
        .iter()
        .any(|word| sentence.contains(word));
    if lines.len() < 2 && !advises {
        complaints.push("nothing about what to do".to_owned());
    }
    complaints.extend(
        says.iter()
            .filter(|word| !done.stderr.contains(*word))
            .map(|word| format!("{word:?} is not mentioned")),
    );
    complaints.extend(
        JARGON
            .iter()
            .filter(|word| done.stderr.contains(*word))
            .map(|word| format!("{word:?} is jargon")),
    );
    if done.stderr.chars().any(|c| c.is_control() && c != '\n') {
        complaints.push("control characters".to_owned());
    }
    complaints
}

/// Collects what is wrong over a whole table before it fails.
#[derive(Default)]
pub(crate) struct Table(Vec<String>);

impl Table {
    pub(crate) fn row(&mut self, what: &str, command: &Palisade, code: i32, says: &[&str]) {
        let done = command.output();
        let complaints = complaints(&done, code, says);
        if !complaints.is_empty() {
            let list = complaints.join("\n  - ");
            self.0.push(format!("{what}:\n  - {list}\n{}", done.stderr));
        }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert!(self.0.is_empty(), "\n{}", self.0.join("\n"));
        }
    }
}

/// A folder with a copy of the `hello` plugin and a manifest beside it.
pub(crate) fn hello_with(manifest: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("notes.wasm");
    fs::copy(plugin("hello"), &copy).unwrap();
    fs::write(folder.path().join("palisade.toml"), manifest).unwrap();
    (folder, copy)
}

/// A file of this name with these bytes.
pub(crate) fn file_of(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// Each way to name a plugin.
pub(crate) fn commands(file: &Path) -> [Palisade; 3] {
    [
        Palisade::run(file),
        Palisade::inspect(file),
        Palisade::call(file, "greet", "{}"),
    ]
}
