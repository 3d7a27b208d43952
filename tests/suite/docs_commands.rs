//! Every command in the documents does what they say: it is run.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use palisade_tests::palisade;

/// The repository's root, where a reader of its documents stands.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// Every document of the repository, but the one whose commands are a session of
/// their own, run by `authors_guide`.
fn documents() -> Vec<PathBuf> {
    let listed = Command::new("git")
        .args(["ls-files", "-co", "--exclude-standard", "*.md"])
        .current_dir(root())
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let listed = listed.lines().filter(|name| *name != "docs/authors.md");
    let found: Vec<_> = listed.map(|name| root().join(name)).collect();
    assert!(found.contains(&root().join("README.md")), "{found:?}");
    found
}

/// The lines of a document's `sh` blocks, without comments.
pub(crate) fn commands(document: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(document).unwrap();
    let mut inside = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            inside = !inside && language == "sh";
        } else if inside {
            let command = line.split(" #").next().unwrap().trim();
            if !command.is_empty() && !command.starts_with('#') {
                found.push(command.to_owned());
            }
        }
    }
    found
}

#[test]
fn every_palisade_command_in_the_documents_works() {
    let home = tempfile::tempdir().unwrap();
    let binaries = palisade().parent().unwrap().to_owned();
    let path = std::env::join_paths(
        std::iter::once(binaries).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    )
    .unwrap();
    let mut tried = 0;
    for document in documents() {
        for command in commands(&document) {
            if !command.starts_with("palisade ") {
                continue;
            }
            // Without an end of its own; any port will do.
            let serves = command.contains(" --http ");
            let command = match serves {
                true => format!("exec {}", command.replace(":8080", ":0")),
                false => command,
            };
            let mut shell = Command::new("sh");
            shell
                .args(["-c", &command])
                .current_dir(root())
                .env("PATH", &path)
                .env("HOME", home.path())
                .env_remove("XDG_CACHE_HOME")
                .env_remove("XDG_CONFIG_HOME");
            if serves {
                let mut server = shell.stderr(Stdio::piped()).spawn().unwrap();
                let mut said = String::new();
                let read = BufReader::new(server.stderr.take().unwrap()).read_line(&mut said);
                server.kill().unwrap();
                server.wait().unwrap();
                read.unwrap();
                assert!(said.contains(" at http://127.0.0.1:"), "{command}: {said}");
                tried += 1;
                continue;
            }
            let output = shell.output().unwrap();
            assert!(
                output.status.success() && !output.stdout.is_empty(),
                "{}: {command}\n{}",
                document.display(),
                String::from_utf8_lossy(&output.stderr)
            );
            tried += 1;
        }
    }
    assert!(tried > 3, "the documents show only {tried} commands");
}

/// Tasks are not run from here (one of them runs this test), but they exist,
/// with the flags the documents give them.
#[test]
fn every_task_in_the_documents_exists() {
    for document in documents() {
        for command in commands(&document) {
            if command.starts_with("palisade ") {
                continue;
            }
            let Some(task) = command.strip_prefix("cargo xtask ") else {
                panic!("{}: nothing tests `{command}`", document.display());
            };
            let output = Command::new(env!("CARGO"))
                .args(["xtask"])
                .args(task.split(' '))
                .arg("--help")
                .current_dir(root())
                .output()
                .unwrap();
            assert!(output.status.success(), "{}: {command}", document.display());
        }
    }
}

/// What `cargo xtask demo` runs once everything is built.
#[test]
fn the_demonstration_goes_through() {
    let demo = palisade().with_file_name("demo");
    let output = Command::new(&demo)
        .current_dir(root())
        .env("PALISADE_BIN", palisade())
        .output()
        .unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{shown}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(shown.contains("\"mcpServers\""), "{shown}");
}
