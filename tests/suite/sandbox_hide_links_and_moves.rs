//! What is hidden is not reached by a link, and not shown by renaming what it
//! lies in.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::sandbox_hide_stage::{NOT_THERE, NOT_TO_BE_MADE, session, session_without, stage};
use palisade_tests::stage::{SECRET, Stage, done, refused, state_of};

#[test]
fn links_to_it_lead_nowhere() {
    let stage = stage();
    let before = state_of(&stage.inside());
    let mut guest = session(&stage, "escapes-by-handle");
    for (root, path) in [
        ("/in", "to-env"),
        ("/in", "to-key"),
        ("/in", "odd"),
        ("/in", "dangling"),
        ("/in", "sub/to-git"),
        ("/in", "sub/to-git/config"),
        ("/in", "far"),
        ("/in", "far/config"),
        ("/in", "far/hooks/pre-commit"),
        ("/in", "to-secrets/key"),
        ("/in", "to-secrets/../.env"),
        ("/in:to-secrets", "key"),
    ] {
        let at = json!({"root": root, "path": path, "follow": true});
        for tool in ["read_at", "stat_at", "hash_at", "set_times_at"] {
            assert_eq!(
                refused(&mut guest, tool, at.clone()),
                NOT_THERE,
                "{tool} {path}"
            );
        }
        let at = json!({"root": root, "path": path});
        for tool in ["list_at", "truncate_at"] {
            assert_eq!(
                refused(&mut guest, tool, at.clone()),
                NOT_THERE,
                "{tool} {path}"
            );
        }
    }
    for path in ["to-env", "to-key", "far/new", "to-new", "to-secrets/key"] {
        let write = json!({"root": "/in", "path": path, "text": "mine"});
        assert_eq!(
            refused(&mut guest, "write_at", write),
            NOT_TO_BE_MADE,
            "{path}"
        );
    }
    for path in ["far/new", "sub/to-git/new"] {
        let make = json!({"root": "/in", "path": path});
        assert_eq!(
            refused(&mut guest, "create_directory_at", make),
            NOT_TO_BE_MADE
        );
    }
    // From a directory that is open, nothing above it is reached either.
    let up = json!({"root": "/in:sub", "path": "to-key", "follow": true});
    assert_eq!(refused(&mut guest, "read_at", up), "not-permitted");
    // A link itself is no secret.
    let link = json!({"root": "/in", "path": "to-env", "follow": false});
    assert!(done(&mut guest, "stat_at", link).starts_with("link"));
    assert_eq!(state_of(&stage.inside()), before);
}

#[test]
fn links_that_a_guest_makes_lead_nowhere() {
    let stage = stage();
    let mut guest = session(&stage, "escapes-by-handle");
    for (number, target) in [".env", "sub/../.git/config", "secrets/key"]
        .iter()
        .enumerate()
    {
        let path = format!("mine-{number}");
        let link = json!({"root": "/in", "path": path, "target": target});
        done(&mut guest, "symlink_at", link);
        let read = json!({"root": "/in", "path": path, "follow": true});
        assert_eq!(refused(&mut guest, "read_at", read), NOT_THERE, "{target}");
    }
    let link = json!({"root": "/in", "path": "up", "target": "sub"});
    done(&mut guest, "symlink_at", link);
    let read = json!({"root": "/in", "path": "up/.env", "follow": true});
    assert_eq!(refused(&mut guest, "read_at", read), NOT_THERE);
    let loops = [("one", "two"), ("two", "one")];
    for (path, target) in loops {
        let link = json!({"root": "/in", "path": path, "target": target});
        done(&mut guest, "symlink_at", link);
    }
    let read = json!({"root": "/in", "path": "one", "follow": true});
    assert_eq!(refused(&mut guest, "read_at", read), "loop");
}

#[test]
fn a_directory_takes_nothing_hidden_along() {
    let stage = stage();
    fs::create_dir_all(stage.inside().join("outer/secrets/x")).unwrap();
    fs::rename(
        stage.inside().join("secrets"),
        stage.inside().join("outer/secrets/y"),
    )
    .unwrap();
    let hide = ["outer/secrets/*/key", "**/.env", "a/**/b/c"];
    let mut guest = session_without(&stage, "escapes-by-handle", &hide);
    let rename = |from: &str, to: &str| json!({"root": "/in", "path": from, "to_root": "/in", "to_path": to});
    let before = state_of(&stage.inside());
    for (from, to) in [
        ("outer", "got"),
        ("outer/secrets", "got"),
        ("outer/secrets", "outer/got"),
        ("outer/secrets/y", "outer/got"),
        ("outer/secrets/y", "got"),
    ] {
        let why = refused(&mut guest, "rename_at", rename(from, to));
        assert_eq!(why, NOT_TO_BE_MADE, "{from} to {to}");
    }
    let by_handle = json!(
        {"root": "/in:outer", "path": "secrets", "to_root": "/in:sub", "to_path": "got"}
    );
    refused(&mut guest, "rename_at", by_handle);
    assert_eq!(state_of(&stage.inside()), before);
    // Where it stays hidden, and where nothing is hidden, it is a name as others.
    done(
        &mut guest,
        "rename_at",
        rename("outer/secrets/y", "outer/secrets/z"),
    );
    done(&mut guest, "rename_at", rename("sub", "moved"));
    let read = json!({"root": "/in", "path": "moved/.env", "follow": true});
    assert_eq!(refused(&mut guest, "read_at", read), NOT_THERE);
    let read = json!({"root": "/in", "path": "moved/b.txt", "follow": true});
    done(&mut guest, "read_at", read);
}

/// What can't be made can't be moved there either.
#[test]
fn a_directory_brings_nothing_that_would_be_hidden() {
    let stage = Stage::new();
    let inside = stage.inside();
    for folder in ["work/hooks", "x/b", "x/d"] {
        fs::create_dir_all(inside.join(folder)).unwrap();
    }
    fs::write(inside.join("work/hooks/run"), "mine").unwrap();
    fs::write(inside.join("x/b/c"), "mine").unwrap();
    let before = state_of(&inside);
    let hide = ["**/.git", "build/hooks/**", "a/**/b/c"];
    let mut guest = session_without(&stage, "escapes-by-handle", &hide);
    for (from, to) in [
        ("work", ".git"),
        ("work", "build"),
        ("x", "a"),
        ("work/hooks", "sub/.git"),
    ] {
        let rename = json!({"root": "/in", "path": from, "to_root": "/in", "to_path": to});
        let why = refused(&mut guest, "rename_at", rename);
        assert_eq!(why, NOT_TO_BE_MADE, "{from} to {to}");
    }
    assert_eq!(state_of(&inside), before);
}

/// A directory too large to be looked through stays where it is, if patterns
/// could see a difference.
#[test]
fn a_directory_that_can_not_be_looked_through_is_not_renamed() {
    let stage = Stage::new();
    let many = stage.inside().join("many");
    fs::create_dir(&many).unwrap();
    for number in 0..10_001 {
        fs::write(many.join(number.to_string()), "").unwrap();
    }
    let rename = json!({"root": "/in", "path": "many", "to_root": "/in", "to_path": "moved"});
    let mut guest = session_without(&stage, "escapes-by-handle", &["many/key"]);
    assert_eq!(
        refused(&mut guest, "rename_at", rename.clone()),
        NOT_TO_BE_MADE
    );
    let mut guest = session_without(&stage, "escapes-by-handle", &["**/key/**"]);
    done(&mut guest, "rename_at", rename);
}

/// A handle of a directory stands for where the directory lies.
#[test]
fn a_handle_knows_where_its_directory_lies() {
    let stage = stage();
    let inside = stage.inside();
    fs::create_dir_all(inside.join("plain/deep")).unwrap();
    fs::write(inside.join("plain/deep/text"), "seen").unwrap();
    let mut guest = session_without(
        &stage,
        "escapes-by-handle",
        &["vault/key", "vault/deep/text"],
    );
    // Moved by the guest itself, it goes with the directory.
    let moved = json!({"root": "/in", "from": "plain", "to": "other", "path": "deep/text"});
    assert_eq!(done(&mut guest, "read_in_renamed", moved), "seen");
    // Where it lies now, the name is hidden: the move is refused.
    let moved = json!({"root": "/in", "from": "other", "to": "vault", "path": "deep/text"});
    assert_eq!(
        refused(&mut guest, "read_in_renamed", moved),
        NOT_TO_BE_MADE
    );
    // Empty, it may be moved; the handle then knows what is hidden there.
    fs::create_dir(inside.join("empty")).unwrap();
    let moved = json!({"root": "/in", "from": "empty", "to": "vault", "path": "key"});
    assert_eq!(refused(&mut guest, "read_in_renamed", moved), NOT_THERE);
    assert!(inside.join("vault").exists());
    fs::write(inside.join("vault/key"), SECRET).unwrap();
    let read = json!({"root": "/in:vault", "path": "key", "follow": true});
    assert_eq!(refused(&mut guest, "read_at", read), NOT_THERE);
}

/// A file that keeps its name keeps its mode, as without patterns.
#[test]
fn a_file_that_is_replaced_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    let stage = stage();
    let inside = stage.inside();
    let private = fs::Permissions::from_mode(0o600);
    fs::set_permissions(inside.join("sub/b.txt"), private).unwrap();
    symlink("../.env", inside.join("sub/link")).unwrap();
    let mut guest = session(&stage, "escapes-by-handle");
    let write = json!({"root": "/in:sub", "path": "new", "text": "mine"});
    done(&mut guest, "write_at", write);
    let rename =
        json!({"root": "/in:sub", "path": "new", "to_root": "/in", "to_path": "sub/b.txt"});
    done(&mut guest, "rename_at", rename);
    let metadata = inside.join("sub/b.txt").metadata().unwrap();
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
}
