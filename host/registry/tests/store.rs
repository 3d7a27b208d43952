//! The store, from outside.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::thread;
use std::time::Duration;

use common::{Home, blob, entry, offer};
use palisade_registry::{Before, Change, Digest, EntryChange, FileChange, Store, StoreError};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn what_is_installed_is_had_until_it_is_removed() {
    let home = Home::new();
    let store = home.store();
    assert!(store.read().unwrap().entries().is_empty());
    assert!(store.load("notes").unwrap().is_none());
    assert!(!store.path().exists(), "reading has made it");

    home.install("notes", b"one", "first").unwrap();
    let (found, bytes) = store.load("notes").unwrap().unwrap();
    assert_eq!(bytes, b"one");
    assert_eq!(found, entry(b"one", &offer("first")));
    assert_eq!(store.offer(found.offer).unwrap(), offer("first"));
    assert_eq!(home.grant(), Some(b"first".to_vec()));
    let path = home.blob_path(b"one");
    assert_eq!(mode(&path), 0o444);
    assert_eq!(mode(store.path()), 0o700);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    assert!(store.verify().unwrap().is_empty());

    home.update("notes", b"one", "first", b"two", "second")
        .unwrap();
    assert_eq!(store.load("notes").unwrap().unwrap().1, b"two");
    assert!(!path.exists(), "the old component is left");
    home.remove("notes", b"two", "second").unwrap();
    assert!(store.load("notes").unwrap().is_none());
    assert_eq!(home.grant(), None);
    assert_eq!(home.left(), Vec::<String>::new());
}

#[test]
fn a_component_that_two_plugins_share_stays_until_both_are_gone() {
    let home = Home::new();
    home.install("a", b"same", "a").unwrap();
    home.install("b", b"same", "b").unwrap();
    home.remove("a", b"same", "a").unwrap();
    assert_eq!(home.store().load("b").unwrap().unwrap().1, b"same");
}

#[test]
fn only_what_was_looked_at_is_replaced() {
    let home = Home::new();
    home.install("notes", b"one", "first").unwrap();
    let again = home.install("notes", b"two", "second").unwrap_err();
    assert!(matches!(again, StoreError::Installed { .. }), "{again}");
    let stale = home.update("notes", b"zero", "first", b"two", "second");
    assert!(
        matches!(stale, Err(StoreError::Conflict { .. })),
        "{stale:?}"
    );
    // A grant that a person edited meanwhile.
    let writer = home.store().begin().unwrap();
    let file = FileChange {
        path: home.grant_path(),
        before: Before::Was(Some(b"other".to_vec())),
        bytes: Some(b"mine".to_vec()),
    };
    let change = Change {
        files: vec![file],
        ..Change::default()
    };
    let edited = writer.commit(change).unwrap_err();
    assert!(matches!(edited, StoreError::Conflict { .. }), "{edited}");
    assert_eq!(home.store().load("notes").unwrap().unwrap().1, b"one");
    assert_eq!(home.grant(), Some(b"first".to_vec()));
}

#[test]
fn a_lock_never_names_what_is_not_there() {
    let home = Home::new();
    let writer = home.store().begin().unwrap();
    let mut change = Change::default();
    let new = EntryChange::install(entry(b"never added", &offer("x")));
    change.entries.insert("notes".to_owned(), new);
    let error = writer.commit(change).unwrap_err();
    assert!(matches!(error, StoreError::Missing { .. }), "{error}");
    assert!(home.store().read().unwrap().entries().is_empty());
}

#[test]
fn other_bytes_are_never_handed_out() {
    let home = Home::new();
    home.install("notes", b"one", "first").unwrap();
    let path = home.blob_path(b"one");
    let change = |bytes: &[u8]| {
        fs::remove_file(&path).unwrap();
        fs::write(&path, bytes).unwrap();
    };
    change(b"One");
    let error = home.store().load("notes").unwrap_err();
    assert!(matches!(error, StoreError::Altered { .. }), "{error}");
    assert!(
        error.to_string().contains("not what was installed"),
        "{error}"
    );
    let wrong = home.store().verify().unwrap();
    assert_eq!(wrong.len(), 1);
    assert_eq!(wrong[0].0, "notes");

    // Installing the same bytes again mends it.
    home.update("notes", b"one", "first", b"one", "first")
        .unwrap();
    assert!(home.store().verify().unwrap().is_empty());

    fs::remove_file(&path).unwrap();
    symlink("/etc/passwd", &path).unwrap();
    assert!(home.store().load("notes").is_err());
    fs::remove_file(&path).unwrap();
    let error = home.store().load("notes").unwrap_err();
    assert!(matches!(error, StoreError::Missing { .. }), "{error}");
}

#[test]
fn a_lock_that_was_edited_is_noticed() {
    let home = Home::new();
    home.install("notes", b"one", "first").unwrap();
    let path = home.store().path().join("palisade.lock");
    let text = fs::read_to_string(&path).unwrap();
    let other = Digest::of(b"other").to_string();
    let tool = text
        .lines()
        .find(|line| line.starts_with("tool ="))
        .unwrap();
    fs::write(&path, text.replace(tool, &format!("tool = \"{other}\""))).unwrap();
    let wrong = home.store().verify().unwrap();
    assert!(wrong[0].1.to_string().contains("agreed"), "{wrong:?}");
    for (bad, why) in [("x", "damaged"), ("version = 9", "newer Palisade")] {
        fs::write(&path, bad).unwrap();
        let error = home.store().read().unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
        assert!(home.store().begin().is_err(), "it is overwritten");
        assert_eq!(fs::read_to_string(&path).unwrap(), bad);
    }
}

#[test]
fn a_store_that_others_may_write_to_is_refused() {
    let home = Home::new();
    home.install("notes", b"one", "first").unwrap();
    let path = home.store().path().to_owned();
    let allow = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    allow(&path, 0o777);
    let error = Store::open(&path).unwrap_err();
    assert!(matches!(error, StoreError::NotPrivate { .. }), "{error}");
    allow(&path, 0o700);
    let store = Store::open(&path).unwrap();
    allow(&path.join("blobs/sha256"), 0o770);
    assert!(store.load("notes").is_err());
    assert!(store.begin().is_err());
    allow(&path.join("blobs/sha256"), 0o700);
    let link = home.path().join("link");
    symlink(&path, &link).unwrap();
    assert!(Store::open(&link).is_err());
}

#[test]
fn who_waits_is_told_for_whom() {
    let home = Home::new();
    let writer = home.store().begin().unwrap();
    let waiting = home.store().with_patience(Duration::from_millis(50));
    let error = waiting.begin().unwrap_err().to_string();
    let pid = std::process::id().to_string();
    assert!(
        error.contains(&pid) && error.contains("is changing"),
        "{error}"
    );
    // Reading does not wait.
    assert!(waiting.read().unwrap().entries().is_empty());
    drop(writer);
    waiting.begin().unwrap();
}

#[test]
fn bytes_on_their_way_are_left_alone_and_gone_with_their_owner() {
    let home = Home::new();
    let store = home.store();
    let mut coming = store.temporary().unwrap();
    coming.write(b"half").unwrap();
    let orphan = store.path().join("tmp/1-1");
    fs::write(&orphan, "left").unwrap();
    drop(store.begin().unwrap());
    assert!(!orphan.exists(), "what was left is left");
    assert_eq!(fs::read_dir(store.path().join("tmp")).unwrap().count(), 1);
    drop(coming);
    assert_eq!(fs::read_dir(store.path().join("tmp")).unwrap().count(), 0);
    // Added, and never committed.
    let writer = store.begin().unwrap();
    writer.add_blob(blob(&store, b"unused")).unwrap();
    drop(writer);
    drop(store.begin().unwrap());
    assert!(!home.blob_path(b"unused").exists());
}

/// A reader sees lock, component and grant of one moment, however often they
/// change meanwhile.
#[test]
fn what_is_read_is_of_one_moment() {
    let home = Home::new();
    home.install("notes", b"0", "0").unwrap();
    thread::scope(|scope| {
        let writing = scope.spawn(|| {
            for i in 0..30 {
                let (was, becomes) = (i.to_string(), (i + 1).to_string());
                home.update("notes", was.as_bytes(), &was, becomes.as_bytes(), &becomes)
                    .unwrap();
            }
        });
        let mut seen = 0;
        while !writing.is_finished() {
            let (entry, grant) = home.state("notes");
            let entry = entry.unwrap();
            let text = String::from_utf8(grant.unwrap()).unwrap();
            assert_eq!(
                entry.digest,
                Digest::of(text.as_bytes()),
                "a mixture: {text}"
            );
            let (entry, bytes) = home.store().load("notes").unwrap().unwrap();
            assert_eq!(entry.digest, Digest::of(&bytes));
            seen += 1;
        }
        assert!(seen > 0);
    });
    assert_eq!(home.grant(), Some(b"30".to_vec()));
}

/// A grant that can't be written: nothing of the change is there.
#[test]
fn where_one_part_cannot_be_written_nothing_is() {
    let home = Home::new();
    fs::write(home.path().join("grants"), "in the way").unwrap();
    let error = home.install("notes", b"one", "first").unwrap_err();
    assert!(error.to_string().contains("not a directory"), "{error}");
    assert!(home.store().read().unwrap().entries().is_empty());
    assert!(!home.store().path().join("journal").exists());
    drop(home.store().begin().unwrap());
    assert_eq!(home.left(), Vec::<String>::new());
}
