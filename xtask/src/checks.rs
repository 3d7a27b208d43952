//! The rules of this repository that no other tool checks.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::command;
use crate::layout::Layout;

/// More lines than this, and a file has a second idea in it.
const MOST_LINES: usize = 500;

/// Folders that say nothing about a machine, though a clone may lie in them.
const ANYBODYS: [&str; 8] = [
    "/", "/home", "/mnt", "/opt", "/root", "/srv", "/tmp", "/var",
];

/// A file of the repository, as it is in the work tree.
struct File {
    /// Relative to the root, with `/`.
    path: String,
    /// Its text; files that are not UTF-8 have none.
    text: Option<String>,
}

/// Runs all checks.
///
/// # Errors
/// One line for each thing that is wrong, with what to do.
pub(crate) fn run(layout: &Layout) -> Result<()> {
    let files = files(layout)?;
    let mut wrong = Vec::new();
    wrong.extend(long_files(&files));
    wrong.extend(machine_paths(&files, &telling_paths(layout)));
    wrong.extend(guests_without_test(&files));
    wrong.extend(toolchain_downloads(&files));
    if wrong.is_empty() {
        return Ok(());
    }
    for line in &wrong {
        eprintln!("  {line}");
    }
    bail!("{} of this repository's rules broken", wrong.len())
}

/// What git has, and what looks as if it were to be added: not a log that
/// somebody left in the tree.
fn files(layout: &Layout) -> Result<Vec<File>> {
    let tracked = list(layout, &["--cached"])?;
    let new = list(
        layout,
        &["--others", "--exclude-standard", "--", "*.rs", "*.toml"],
    )?;
    let mut files = Vec::new();
    for path in tracked
        .split_terminator('\0')
        .chain(new.split_terminator('\0'))
    {
        // A file that was deleted and not yet committed is still listed.
        if let Ok(bytes) = fs::read(layout.root.join(path)) {
            files.push(File {
                path: path.to_owned(),
                text: String::from_utf8(bytes).ok(),
            });
        }
    }
    Ok(files)
}

fn list(layout: &Layout, which: &[&str]) -> Result<String> {
    command::ask(
        command::program("git")
            .arg("-C")
            .arg(&layout.root)
            .args(["ls-files", "-z"])
            .args(which),
    )
    .context("the files of this repository can't be listed; these checks need a git clone")
}

fn long_files(files: &[File]) -> Vec<String> {
    files
        .iter()
        .filter(|file| file.path.ends_with(".rs"))
        .filter_map(|file| {
            let lines = file.text.as_ref()?.lines().count();
            (lines > MOST_LINES).then(|| {
                format!(
                    "{} has {lines} lines, more than {MOST_LINES}: split it by idea",
                    file.path
                )
            })
        })
        .collect()
}

/// Texts that only paths of this very machine have in them.
fn telling_paths(layout: &Layout) -> Vec<String> {
    let mut telling = vec![format!("{}/", layout.root.display())];
    if let Some(above) = layout.root.parent()
        && !ANYBODYS.iter().any(|folder| Path::new(folder) == above)
    {
        telling.push(format!("{}/", above.display()));
    }
    if let Some(home) = env::var_os("HOME").map(PathBuf::from)
        && home.parent().is_some()
    {
        telling.push(format!("{}/.", home.display()));
    }
    telling
}

fn machine_paths(files: &[File], telling: &[String]) -> Vec<String> {
    let mut wrong = Vec::new();
    for file in files {
        for (number, line) in file.text.iter().flat_map(|text| text.lines().enumerate()) {
            if let Some(path) = telling.iter().find(|path| starts_in(line, path)) {
                wrong.push(format!(
                    "{}:{} names a path of this machine ({path}…): make it relative",
                    file.path,
                    number + 1
                ));
            }
        }
    }
    wrong
}

/// Whether the path begins somewhere in the line, not in the middle of another one.
fn starts_in(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-~}".contains(c))
    })
}

/// Where tests are that run guests.
const TESTS: [&str; 2] = ["tests/suite/", "tests/attacks/"];

/// A guest program is named in a string of a test, or it proves nothing.
fn guests_without_test(files: &[File]) -> Vec<String> {
    let tests: Vec<&str> = files
        .iter()
        .filter(|file| TESTS.iter().any(|folder| file.path.starts_with(folder)))
        .filter(|file| file.path.ends_with(".rs"))
        .filter_map(|file| file.text.as_deref())
        .collect();
    files
        .iter()
        .filter_map(|file| {
            let (folder, "Cargo.toml") = file.path.rsplit_once('/')? else {
                return None;
            };
            let guest = folder.strip_prefix("tests/guests/")?;
            let name = guest.rsplit('/').next()?;
            let named = [format!("\"{name}\""), format!("{name}.wasm\"")];
            let tested = tests
                .iter()
                .any(|test| named.iter().any(|name| test.contains(name.as_str())));
            (!tested).then(|| {
                format!(
                    "{folder} has no test: no file in tests/suite or tests/attacks names \"{name}\""
                )
            })
        })
        .collect()
}

/// `targets` or `components` in a toolchain file make rustup download, which
/// fails where there is no way out to its server.
fn toolchain_downloads(files: &[File]) -> Vec<String> {
    let mut wrong = Vec::new();
    for file in files {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        if name != "rust-toolchain" && name != "rust-toolchain.toml" {
            continue;
        }
        for line in file.text.iter().flat_map(|text| text.lines()) {
            let key = line.split('=').next().unwrap_or_default().trim();
            if key == "targets" || key == "components" {
                wrong.push(format!(
                    "{} lists {key}, which makes rustup download: take it out, `cargo xtask setup` sees to targets",
                    file.path
                ));
            }
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File {
            path: path.to_owned(),
            text: Some(text.to_owned()),
        }
    }

    #[test]
    fn only_rust_files_over_the_limit_are_too_long() {
        let long = "\n".repeat(MOST_LINES + 1);
        let fits = "\n".repeat(MOST_LINES);
        let wrong = long_files(&[
            file("a/long.rs", &long),
            file("a/fits.rs", &fits),
            file("a/long.md", &long),
        ]);
        assert_eq!(wrong.len(), 1);
        assert!(wrong[0].starts_with("a/long.rs has 501 lines"));
    }

    #[test]
    fn a_path_of_the_machine_is_found_with_its_line() {
        let telling = ["/clones/palisade/".to_owned(), "/users/me/.".to_owned()];
        let wrong = machine_paths(
            &[
                file("docs/a.md", "first\nsee /clones/palisade/README.md\n"),
                file("b.toml", "cache = \"/users/me/.cache\""),
                file(
                    "c.rs",
                    "\"/etc/passwd\", \"/users/me\", ~/clones/palisade/x",
                ),
            ],
            &telling,
        );
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(wrong[0].starts_with("docs/a.md:2 "));
        assert!(wrong[1].starts_with("b.toml:1 "));
    }

    #[test]
    fn a_guest_needs_a_test_that_names_it_in_a_string() {
        let files = [
            file("tests/guests/Cargo.toml", "[workspace]"),
            file("tests/guests/loops/Cargo.toml", ""),
            file("tests/guests/traps/Cargo.toml", ""),
            file("tests/guests/escapes/Cargo.toml", ""),
            file("tests/guests/mallory/Cargo.toml", ""),
            file("tests/attacks/paths.rs", "guest(\"mallory\")"),
            file(
                "tests/suite/limits.rs",
                "// loops\nguest(\"traps\"); run(\"guests/escapes.wasm\")",
            ),
            file("tests/elsewhere.rs", "\"loops\""),
        ];
        let wrong = guests_without_test(&files);
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        assert!(wrong[0].starts_with("tests/guests/loops "));
    }

    #[test]
    fn toolchain_files_may_name_a_channel_only() {
        let good = "[toolchain]\nchannel = \"1.95\"\nprofile = \"minimal\"\n";
        assert!(toolchain_downloads(&[file("rust-toolchain.toml", good)]).is_empty());
        for key in ["targets", "components"] {
            let bad = format!("{good}{key} = [\"x\"]\n");
            assert_eq!(
                toolchain_downloads(&[file("rust-toolchain.toml", &bad)]).len(),
                1
            );
            assert!(toolchain_downloads(&[file("other.toml", &bad)]).is_empty());
        }
    }
}
