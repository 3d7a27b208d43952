//! In a folder that is granted read-only nothing changes, by whatever call.

use palisade_tests::stage::{Stage, done, refused, state_of};
use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

fn stage() -> Stage {
    let stage = Stage::new();
    symlink("a.txt", stage.inside().join("link")).unwrap();
    fs::create_dir(stage.inside().join("empty")).unwrap();
    stage
}

/// Every way to change something, as programs do it.
fn changes() -> Vec<(&'static str, Value)> {
    let a = "/in/a.txt";
    vec![
        ("write", json!({"path": a, "text": "mine"})),
        ("write", json!({"path": "/in/new.txt", "text": "mine"})),
        ("write", json!({"path": "/in/link", "text": "mine"})),
        ("append", json!({"path": a, "text": "mine"})),
        ("truncate", json!({"path": a, "bytes": 3})),
        ("set_time", json!({"path": a})),
        ("delete", json!({"path": a})),
        ("delete", json!({"path": "/in/link"})),
        ("create_dir", json!({"path": "/in/new"})),
        ("remove_dir", json!({"path": "/in/empty"})),
        ("rename", json!({"from": a, "to": "/in/b.txt"})),
        ("rename", json!({"from": a, "to": "/in/sub/b.txt"})),
        ("rename", json!({"from": "/in/sub", "to": "/in/sub2"})),
        ("link", json!({"from": a, "to": "/in/hard"})),
        ("symlink", json!({"target": "a.txt", "path": "/in/soft"})),
    ]
}

/// And by handle.
fn changes_by_handle() -> Vec<(&'static str, Value)> {
    let at = |path: &str, more: Value| {
        let mut at = json!({"root": "/in", "path": path});
        for (key, value) in more.as_object().unwrap() {
            at[key] = value.clone();
        }
        at
    };
    let to = |path: &str| json!({"to_root": "/in", "to_path": path});
    let linked = json!({"to_root": "/in", "to_path": "hard", "follow": false});
    let created = |folder| json!({"root": "/in", "directory": folder, "name": "new"});
    vec![
        ("write_at", at("a.txt", json!({"text": "mine"}))),
        ("write_at", at("new", json!({"text": "mine"}))),
        ("truncate_at", at("a.txt", json!({}))),
        ("unlink_at", at("a.txt", json!({}))),
        ("write_zeroes", at("new", json!({"length": 1}))),
        ("create_in", created("sub")),
        ("create_in", created(".")),
        ("set_times_at", at("a.txt", json!({"follow": false}))),
        ("set_times_at", at(".", json!({"follow": true}))),
        ("create_directory_at", at("new", json!({}))),
        ("remove_directory_at", at("empty", json!({}))),
        ("symlink_at", at("new", json!({"target": "a.txt"}))),
        ("rename_at", at("a.txt", to("b"))),
        ("link_at", at("a.txt", linked)),
    ]
}

fn all_refused(guest: &str, calls: Vec<(&'static str, Value)>) {
    let stage = stage();
    let before = state_of(&stage.inside());
    let mut session = stage.session(guest, "ro");
    for (tool, arguments) in calls {
        refused(&mut session, tool, arguments);
    }
    assert_eq!(state_of(&stage.inside()), before);
}

fn each_works(guest: &str, calls: Vec<(&'static str, Value)>) {
    for (tool, arguments) in calls {
        let stage = stage();
        let before = state_of(&stage.inside());
        let mut session = stage.session(guest, "rw");
        let shown = format!("{tool} {arguments}");
        done(&mut session, tool, arguments);
        assert_ne!(state_of(&stage.inside()), before, "{shown}");
    }
}

#[test]
fn no_change_as_programs_make_them() {
    all_refused("escapes", changes());
}

#[test]
fn no_change_by_handle() {
    all_refused("escapes-by-handle", changes_by_handle());
}

/// The calls that are refused above are refused for nothing else.
#[test]
fn the_same_calls_work_where_writing_is_granted() {
    each_works("escapes", changes());
    each_works("escapes-by-handle", changes_by_handle());
}

#[test]
fn reading_works() {
    let stage = stage();
    let mut session = stage.session("escapes", "ro");
    let read = |path: &str| json!({"path": path});
    assert_eq!(
        done(&mut session, "read", read("/in/a.txt")),
        "the inside's a"
    );
    assert_eq!(
        done(&mut session, "read", read("/in/link")),
        "the inside's a"
    );
    assert_eq!(
        done(&mut session, "list", read("/in")),
        "a.txt\nempty\nlink\nsub"
    );
}

/// A file that was opened for reading stays that, also where more is granted.
#[test]
fn a_file_opened_for_reading_is_not_written() {
    for access in ["ro", "rw"] {
        let stage = stage();
        let before = state_of(&stage.inside());
        let mut session = stage.session("escapes", access);
        let a = json!({"path": "/in/a.txt"});
        refused(&mut session, "truncate_read_only", a);
        let mut session = stage.session("escapes-by-handle", access);
        let a = json!({"root": "/in", "path": "a.txt"});
        refused(&mut session, "write_read_only", a);
        assert_eq!(state_of(&stage.inside()), before);
    }
}
