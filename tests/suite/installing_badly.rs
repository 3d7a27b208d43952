//! What can't be installed: one sentence, and every file is as it was before.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use palisade_tests::{Finished, guest, plugin};

use crate::hardening::WITHOUT;
use crate::install_stage::{Desk, NOTES};
use crate::mistakes::FAILED;

/// Every file below a folder, with what it holds. Without `store.lock`, which only
/// says who has changed the store last.
pub(crate) fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            match fs::symlink_metadata(&path).unwrap().is_dir() {
                true => folders.push(path),
                false if path.ends_with("store.lock") => {}
                false => drop(found.insert(path.clone(), fs::read(&path).unwrap())),
            }
        }
    }
    found
}

/// Nothing has come, gone or changed.
#[track_caller]
pub(crate) fn untouched(desk: &Desk, before: &BTreeMap<PathBuf, Vec<u8>>, what: &str) {
    let after = files(desk.home());
    let other = |path: &&PathBuf| before.get(*path) != after.get(*path);
    let changed: Vec<_> = before.keys().chain(after.keys()).filter(other).collect();
    assert!(changed.is_empty(), "{what}: {changed:?}");
}

/// A home in which something is installed and granted.
pub(crate) fn lived_in() -> Desk {
    let desk = Desk::new();
    let root = format!("notes={}", desk.folder().display());
    desk.install(&desk.notes(), &["--root", &root]).success();
    desk
}

/// It failed in one sentence and perhaps some advice.
#[track_caller]
pub(crate) fn sentence(finished: &Finished, says: &[&str]) {
    assert_eq!(finished.code, Some(FAILED), "{finished:?}");
    assert_eq!(finished.stdout, "", "{finished:?}");
    assert!(finished.stderr.starts_with("palisade: "), "{finished:?}");
    assert!(finished.stderr.lines().count() <= 2, "{finished:?}");
    for word in says {
        assert!(finished.stderr.contains(word), "{word}: {finished:?}");
    }
    for jargon in ["os error", "panicked", "Err("] {
        assert!(!finished.stderr.contains(jargon), "{finished:?}");
    }
}

#[test]
fn what_is_no_plugin_or_needs_what_the_host_lacks() {
    let desk = lived_in();
    let before = files(desk.home());
    let component = fs::read(plugin("hello")).unwrap();
    let half = component[..component.len() / 2].to_vec();
    let rows: [(&str, Vec<u8>, &[&str]); 6] = [
        ("empty", Vec::new(), &["plugin.wasm"]),
        ("a page", b"<html>".to_vec(), &["no WebAssembly"]),
        ("a core module", b"\0asm\x01\0\0\0".to_vec(), &["component"]),
        ("truncated", half, &["plugin.wasm"]),
        (
            "an interface nobody offers",
            fs::read(guest("unknown-import")).unwrap(),
            &["needs evil:host/door@1.0.0", "offered: ", "palisade:mcp"],
        ),
        (
            "exports nothing",
            fs::read(guest("no-tools")).unwrap(),
            &["exports nothing"],
        ),
    ];
    let file = desk.source(&guest("escapes"), &NOTES.replace("notes", "bad"));
    for (what, bytes, says) in rows {
        fs::write(&file, bytes).unwrap();
        let finished = desk.install(&file, &[]);
        sentence(&finished, says);
        untouched(&desk, &before, what);
    }
}

#[test]
fn a_manifest_that_cannot_be_read() {
    let desk = lived_in();
    let before = files(desk.home());
    let file = desk.source(&guest("escapes"), "[plugin]\nname = \"bad\"\ncolour = 1\n");
    sentence(&desk.install(&file, &[]), &["palisade.toml", "colour"]);
    untouched(&desk, &before, "a manifest");
}

#[test]
fn a_full_disk_and_one_that_cannot_be_written() {
    let desk = lived_in();
    let other = desk.source(&guest("shows-roots"), &NOTES.replace("notes", "other"));
    let other = other.display().to_string();
    let before = files(desk.home());
    let commands: [&[&str]; 4] = [
        &["install", &other],
        &["grant", "notes", "--tool", "read=allow"],
        &["revoke", "notes", "--all"],
        &["remove", "notes"],
    ];
    for (without, says) in [("room", "no room left"), ("writing", "read-only")] {
        for arguments in commands {
            let command = desk.palisade(arguments.iter().copied());
            let finished = command.under(WITHOUT, &[without]).output();
            sentence(&finished, &[says]);
            untouched(&desk, &before, &format!("{without}: {arguments:?}"));
        }
        // What is there can be used.
        let list = desk.palisade(["list", "--json"]).under(WITHOUT, &[without]);
        assert_eq!(list.output().success().json()[0]["name"], "notes");
    }
    desk.palisade(["verify"]).output().success();
}
