//! `--client-roots`: what a client's roots mean is up to the person who grants.

use palisade_tests::{Palisade, Session, guest, rpc};
use serde_json::{Value, json};

use crate::client_roots_stage::{Folders, mounts, open, opened};

fn command(folders: &Folders, mode: &str) -> Palisade {
    folders.command().arg("--client-roots").arg(mode)
}

/// The same of a stateless client that declares this.
fn stateless(session: &mut Session, capabilities: Value) -> Value {
    let mut params = rpc::stateless(rpc::tool("mounts", json!({})));
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    rpc::result(&session.ask("tools/call", params)).clone()
}

#[test]
fn required_roots() {
    let folders = Folders::new();
    for version in rpc::HANDSHAKE_REVISIONS {
        let mut session = command(&folders, "require").start();
        session.initialize(version);
        assert_eq!(mounts(&mut session), "none", "{version}");
        assert_eq!(mounts(&mut session), "none", "{version}");
        let stderr = session.finish().success().stderr;
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(stderr.contains("--client-roots require"), "{stderr}");
    }
    let mut session = command(&folders, "require").start();
    assert_eq!(rpc::tool_text(&stateless(&mut session, json!({}))), "none");
    let asked = stateless(&mut session, json!({"roots": {}}));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    // Who has roots gets what lies in them.
    let roots = folders.list(&["desk"]);
    let mut session = opened(&command(&folders, "require"), "2025-11-25", &roots);
    assert_eq!(mounts(&mut session), "/desk");
}

#[test]
fn ignored_roots() {
    let folders = Folders::new();
    for version in rpc::HANDSHAKE_REVISIONS {
        let mut session = open(&command(&folders, "ignore"), version);
        session.notify("notifications/roots/list_changed", Value::Null);
        assert_eq!(mounts(&mut session), "/desk /other", "{version}");
        assert_eq!(session.take_others(), [] as [Value; 0]);
        assert_eq!(session.finish().success().stderr, "");
    }
    let mut session = command(&folders, "ignore").start();
    let result = stateless(&mut session, json!({"roots": {}}));
    assert_eq!(rpc::tool_text(&result), "/desk /other");
}

#[test]
fn narrowing_is_what_is_done_unless_told_otherwise() {
    let folders = Folders::new();
    let roots = folders.list(&["desk"]);
    for command in [folders.command(), command(&folders, "narrow")] {
        let mut session = opened(&command, "2025-11-25", &roots);
        assert_eq!(mounts(&mut session), "/desk");
    }
}

#[test]
fn another_word_is_refused() {
    let end = Palisade::run(guest("shows-roots"))
        .arg("--client-roots")
        .arg("maybe")
        .output();
    assert_eq!(end.code, Some(2), "{}", end.stderr);
    for word in ["narrow", "require", "ignore"] {
        assert!(end.stderr.contains(word), "{}", end.stderr);
    }
}
