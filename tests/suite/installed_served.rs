//! What is taken back from a plugin that is being served is gone within a second.

use std::fs;
use std::time::{Duration, Instant};

use palisade_tests::{Session, guest, rpc};
use serde_json::{Value, json};

use crate::install_stage::Desk;

/// How long it may take.
const SOON: Duration = Duration::from_secs(1);

fn served(desk: &Desk) -> Session {
    let mut session = desk.palisade(["run", "notes"]).start();
    session.initialize("2025-11-25");
    session
}

fn read(session: &mut Session) -> Value {
    session.call("read", json!({"path": "/notes/a.txt"}))
}

/// A home in which notes may read a folder, and is asked about nothing.
fn granted() -> Desk {
    let desk = Desk::new();
    desk.install(&desk.notes(), &[]).success();
    let root = format!("notes={}:rw", desk.folder().display());
    let arguments = [
        "grant",
        "notes",
        "--root",
        &root,
        "--tool",
        "*=allow",
        "--tool",
        "read=allow",
    ];
    desk.palisade(arguments).output().success();
    desk
}

/// Waits until it is so, and at most a second.
#[track_caller]
fn soon(session: &mut Session, is_so: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let said = read(session);
        if is_so(&said) {
            return said;
        }
        assert!(began.elapsed() < SOON, "it is still so: {said}");
    }
}

fn failed(said: &Value) -> bool {
    said["isError"] == true
}

#[test]
fn a_folder_that_is_taken_back_is_gone() {
    let desk = granted();
    let mut session = served(&desk);
    assert_eq!(rpc::tool_text(&read(&mut session)), "the folder's a");
    desk.palisade(["revoke", "notes", "--root", "notes"])
        .output()
        .success();
    soon(&mut session, failed);
    // What is granted again is what was there at the start.
    let root = format!("notes={}:ro", desk.folder().display());
    desk.palisade(["grant", "notes", "--root", &root])
        .output()
        .success();
    soon(&mut session, |said| !failed(said));
    let write = json!({"path": "/notes/b.txt", "text": "b"});
    desk.palisade(["grant", "notes", "--tool", "write=allow"])
        .output()
        .success();
    assert_eq!(session.call("write", write)["isError"], true);
    assert!(!desk.folder().join("b.txt").exists());
}

#[test]
fn a_tool_that_is_denied_is_refused() {
    let desk = granted();
    let mut session = served(&desk);
    rpc::tool_text(&read(&mut session));
    desk.palisade(["grant", "notes", "--tool", "read=deny"])
        .output()
        .success();
    let said = soon(&mut session, failed);
    assert!(rpc::tool_error(&said).contains("not permitted"), "{said}");
}

#[test]
fn what_is_added_takes_another_start() {
    let desk = Desk::new();
    desk.install(&desk.notes(), &[]).success();
    desk.palisade(["grant", "notes", "--tool", "read=allow"])
        .output()
        .success();
    let mut session = served(&desk);
    assert!(failed(&read(&mut session)));
    let root = format!("notes={}", desk.folder().display());
    desk.palisade(["grant", "notes", "--root", &root])
        .output()
        .success();
    session.until_stderr(|text| {
        text.contains("the folder notes was added and holds from its next start on")
    });
    assert!(failed(&read(&mut session)));
    session.finish().success();
    rpc::tool_text(&read(&mut served(&desk)));
}

/// A folder below one that was granted is within reach of the process; what may be
/// done there is no more than what could be done before.
#[test]
fn what_is_added_below_a_folder_holds_at_once() {
    const ANY: &str = "[plugin]\nname = \"notes\"\n\
        [[roots]]\nname = \"*\"\naccess = \"read-write\"\n";
    let desk = Desk::new();
    desk.install(&desk.source(&guest("escapes"), ANY), &[])
        .success();
    let below = desk.folder().join("below");
    fs::create_dir(&below).unwrap();
    fs::write(below.join("b.txt"), "b").unwrap();
    let grant = |root: &str| {
        let tools = ["--tool", "read=allow", "--tool", "write=allow"];
        let arguments = ["grant", "notes", "--root", root].into_iter().chain(tools);
        desk.palisade(arguments).output().success();
    };
    grant(&format!("all={}:ro", desk.folder().display()));
    let mut session = served(&desk);
    let read = |session: &mut Session| session.call("read", json!({"path": "/below/b.txt"}));
    assert!(failed(&read(&mut session)));
    grant(&format!("below={}:rw", below.display()));
    let began = Instant::now();
    while failed(&read(&mut session)) {
        assert!(began.elapsed() < SOON, "it is still refused");
    }
    session.until_stderr(|text| text.contains("writing to below was added and holds from its"));
    let write = json!({"path": "/below/c.txt", "text": "c"});
    assert!(failed(&session.call("write", write)));
    assert!(!below.join("c.txt").exists());
}

#[test]
fn a_grant_that_cannot_be_read_grants_nothing() {
    let desk = granted();
    let mut session = served(&desk);
    rpc::tool_text(&read(&mut session));
    fs::write(desk.grant_file(), "[[roots]\n").unwrap();
    soon(&mut session, failed);
    session.until_stderr(|text| text.contains("nothing is granted to notes any more"));
    fs::remove_file(desk.grant_file()).unwrap();
    assert!(failed(&read(&mut session)));
}

#[test]
fn a_call_that_runs_is_stopped() {
    let desk = Desk::new();
    let file = desk.source(&guest("mallory"), crate::install_stage::NOTES);
    desk.install(&file, &[]).success();
    let root = format!("notes={}", desk.folder().display());
    desk.palisade(["grant", "notes", "--root", &root, "--tool", "*=allow"])
        .output()
        .success();
    desk.palisade(["grant", "notes", "--tool", "poll=allow"])
        .output()
        .success();
    let mut session = served(&desk);
    let id = session.request(
        "tools/call",
        rpc::tool("poll", json!({"count": 1, "again": true})),
    );
    desk.palisade(["revoke", "notes", "--all"])
        .output()
        .success();
    let began = Instant::now();
    let said = session.answer(id);
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    let why = rpc::tool_error(rpc::result(&said));
    assert!(
        why.contains("what the plugin is granted has changed"),
        "{why}"
    );
}
