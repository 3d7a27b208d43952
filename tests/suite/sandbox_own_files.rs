//! Palisade's own files can't be granted: who can write compiled code, or a
//! grant, needs no way out of a sandbox.

use std::fs;
use std::os::unix::fs::symlink;

use palisade_tests::{Palisade, guest};

fn refused(command: &Palisade) {
    let finished = command.output();
    assert_eq!(finished.code, Some(3), "{finished:?}");
    assert_eq!(finished.stdout, "");
    assert!(finished.stderr.contains("can't be granted"), "{finished:?}");
}

#[test]
fn neither_they_nor_what_holds_them() {
    let command = Palisade::run(guest("escapes"));
    let home = command.home().to_owned();
    let cache = home.join("cache");
    let compiled = cache.join("palisade/compiled");
    let command = command.cache(&cache);
    // Once, so that there is something to protect.
    let finished = command.output();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(compiled.is_dir());

    fs::create_dir_all(home.join(".config/palisade")).unwrap();
    let link = home.join("innocent");
    symlink(&compiled, &link).unwrap();
    for path in [
        home.as_path(),
        &cache,
        &compiled,
        &link,
        &home.join(".config"),
        &home.join(".config/palisade"),
        std::path::Path::new("/"),
    ] {
        for access in ["ro", "rw"] {
            refused(&command.clone().root("own", path, access));
        }
    }
    // What lies beside them is a folder like any other.
    let beside = home.join("notes");
    fs::create_dir(&beside).unwrap();
    let finished = command.root("own", &beside, "rw").output();
    assert_eq!(finished.code, Some(0), "{finished:?}");
}

/// Whoever grants a home today must not grant by it what comes to be tomorrow.
#[test]
fn even_where_they_are_not_there_yet() {
    let command = Palisade::run(guest("escapes"));
    let home = command.home().to_owned();
    refused(&command.root("own", &home, "rw"));
}

/// A plugin that can write the grant it runs on grants itself the next one.
#[test]
fn nor_the_grant_that_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let grant = folder.path().join("grant.toml");
    fs::write(&grant, "[limits]\nmemory = \"8 MiB\"\n").unwrap();
    let command = Palisade::run(guest("escapes")).grant(&grant);
    let command = command.root("notes", folder.path(), "rw");
    refused(&command);
}
