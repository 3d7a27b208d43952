//! What was granted is a folder, not a name: it is opened when the session
//! starts, and what the name stands for later changes nothing.

use std::fs;
use std::os::unix::fs::symlink;

use palisade_tests::stage::{Stage, done, open, refused};
use palisade_tests::{Palisade, guest};
use serde_json::json;

#[test]
fn a_link_that_is_swapped() {
    let stage = Stage::new();
    let link = stage.path().join("link");
    symlink(stage.inside(), &link).unwrap();
    let mut session = open(&Palisade::run(guest("escapes")).root("in", &link, "rw"));
    let a = json!({"path": "/in/a.txt"});
    assert_eq!(done(&mut session, "read", a.clone()), "the inside's a");
    let roots = done(&mut session, "roots", json!({}));
    assert!(roots.contains("/inside "), "not the folder itself: {roots}");

    fs::remove_file(&link).unwrap();
    symlink(stage.outside(), &link).unwrap();
    refused(&mut session, "read", json!({"path": "/in/secret.txt"}));
    assert_eq!(done(&mut session, "read", a), "the inside's a");
}

#[test]
fn a_folder_that_is_swapped() {
    let stage = Stage::new();
    let mut session = stage.session("escapes", "rw");
    let moved = stage.path().join("moved");
    fs::rename(stage.inside(), &moved).unwrap();
    fs::rename(stage.outside(), stage.inside()).unwrap();
    refused(&mut session, "read", json!({"path": "/in/secret.txt"}));
    let new = json!({"path": "/in/new.txt", "text": "mine"});
    done(&mut session, "write", new);
    assert_eq!(fs::read_to_string(moved.join("new.txt")).unwrap(), "mine");
}

#[test]
fn a_folder_that_is_deleted() {
    let stage = Stage::new();
    let mut session = stage.session("escapes", "rw");
    fs::remove_dir_all(stage.inside()).unwrap();
    fs::create_dir(stage.inside()).unwrap();
    fs::write(stage.inside().join("a.txt"), "somebody else's").unwrap();
    refused(&mut session, "read", json!({"path": "/in/a.txt"}));
    let new = json!({"path": "/in/new.txt", "text": "mine"});
    refused(&mut session, "write", new);
    assert_eq!(session.ask("ping", json!({}))["result"], json!({}));
}
