#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn value(text: &str) -> SecretValue {
    SecretValue::new(text.to_owned()).unwrap()
}

#[test]
fn what_is_kept_is_had_until_it_is_removed() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::new(home.path().join("a/secrets"));
    assert!(store.get("TOKEN").unwrap().is_none());
    assert!(store.remove("TOKEN").unwrap().is_none());
    assert!(store.names().unwrap().is_empty());

    store.set("TOKEN", &value("first"), None).unwrap();
    store.set("TOKEN", &value("second"), None).unwrap();
    store.set("a-b", &value("other"), None).unwrap();
    assert_eq!(store.get("TOKEN").unwrap().unwrap().reveal(), "second");
    assert_eq!(store.names().unwrap(), ["TOKEN", "a-b"]);
    assert_eq!(mode(store.path()), 0o700);
    assert_eq!(mode(&store.path().join("TOKEN")), 0o600);

    assert!(store.remove("TOKEN").unwrap().is_some());
    assert!(store.get("TOKEN").unwrap().is_none());
    assert_eq!(store.names().unwrap(), ["a-b"]);
}

#[test]
fn what_others_can_read_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::new(home.path().join("secrets"));
    store.set("TOKEN", &value("hunter2"), None).unwrap();
    let file = store.path().join("TOKEN");
    for (path, open, private) in [(file.as_path(), 0o640, 0o600), (store.path(), 0o711, 0o700)] {
        allow(path, open);
        let error = store.get("TOKEN").unwrap_err();
        assert!(matches!(error, StoreError::NotPrivate { .. }), "{error}");
        assert!(!error.to_string().contains("hunter2"));
        allow(path, private);
    }
    // Whoever can write to what it lies in can put another in its place.
    allow(home.path(), 0o770);
    let error = store.get("TOKEN").unwrap_err();
    assert!(matches!(error, StoreError::Swappable { .. }), "{error}");
    assert!(store.set("TOKEN", &value("x"), None).is_err());
    allow(home.path(), 0o755);
    // Setting it again makes it its owner's alone.
    allow(&file, 0o666);
    store.set("TOKEN", &value("x"), None).unwrap();
    assert_eq!(mode(&file), 0o600);
}

#[test]
fn links_and_other_peoples_files_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::new(home.path().join("secrets"));
    store.set("TOKEN", &value("x"), None).unwrap();
    symlink(store.path().join("TOKEN"), store.path().join("LINK")).unwrap();
    assert!(store.get("LINK").is_err());
    fs::create_dir(store.path().join("FOLDER")).unwrap();
    assert_eq!(store.names().unwrap(), ["TOKEN"]);
    let link = Store::new(home.path().join("link"));
    symlink(store.path(), link.path()).unwrap();
    assert!(link.get("TOKEN").is_err());
    assert!(link.set("TOKEN", &value("y"), None).is_err());
    // Copied to another name, it is not that one's value.
    fs::copy(store.path().join("TOKEN"), store.path().join("OTHER")).unwrap();
    let error = store.get("OTHER").unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

#[test]
fn no_name_leads_elsewhere() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::new(home.path().join("secrets"));
    for name in ["", ".", "..", "../x", "a/b", "a.b", "ä", &"x".repeat(65)] {
        assert!(matches!(store.get(name), Err(StoreError::Name)), "{name}");
        assert!(store.set(name, &value("x"), None).is_err(), "{name}");
        assert!(store.remove(name).is_err(), "{name}");
    }
}

/// Without the keyring, what it has is neither taken for a value nor lost.
#[test]
fn a_mark_is_no_value() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::new(home.path().join("secrets"));
    store.set("TOKEN", &value("x"), None).unwrap();
    fs::write(store.path().join("TOKEN"), b"TOKEN\n\tkeyring").unwrap();
    assert_eq!(store.place("TOKEN").unwrap(), Some(Place::Keyring));
    let absent = |error| matches!(error, StoreError::Keyring(KeyringError::Absent));
    assert!(absent(store.get("TOKEN").unwrap_err()));
    assert!(absent(store.remove("TOKEN").unwrap_err()));
    assert_eq!(store.names().unwrap(), ["TOKEN"]);
    // Set in a file, it is there; that the keyring still has one is told.
    let kept = store.set("TOKEN", &value("y"), None).unwrap();
    assert_eq!(kept.place, Place::File);
    assert!(matches!(kept.left, Some(KeyringError::Absent)));
    assert_eq!(store.get("TOKEN").unwrap().unwrap().reveal(), "y");
}
