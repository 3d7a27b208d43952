//! Open files and other things of the host's that a guest holds are counted,
//! and closed with the call.

use std::fs;

use palisade_tests::stage::{Stage, done};
use palisade_tests::{Session, rpc};
use serde_json::json;

fn open_files(session: &Session) -> usize {
    let folder = format!("/proc/{}/fd", session.process.id());
    fs::read_dir(folder).unwrap().count()
}

#[test]
fn files() {
    let stage = Stage::new();
    let mut session = stage.session("escapes", "rw");
    let few = json!({"path": "/in/a.txt", "count": 100});
    assert_eq!(done(&mut session, "open_many", few), "opened 100");
    let before = open_files(&session);
    let many = json!({"path": "/in/a.txt", "count": 20_000});
    let result = session.call("open_many", many);
    assert_ne!(rpc::text(&result), "opened 20000");
    // A few are what the host itself needs for longer calls.
    let after = open_files(&session);
    assert!(after < before + 20, "{before} open files became {after}");
    let read = json!({"path": "/in/a.txt"});
    assert_eq!(done(&mut session, "read", read), "the inside's a");
}

/// A limit that ends a call is named, this one too.
#[test]
fn timers() {
    let stage = Stage::new();
    let mut session = stage.session("escapes-by-handle", "rw");
    let few = json!({"count": 100});
    assert_eq!(done(&mut session, "hold_timers", few), "100 timers");
    let why = rpc::tool_error(&session.call("hold_timers", json!({"count": 100_000})));
    assert!(why.contains("limit of handles"), "{why}");
}
