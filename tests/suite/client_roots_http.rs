//! Over HTTP every session has the roots of its own client.

use palisade_tests::{
    http::{HttpSession, Server},
    rpc,
};
use serde_json::{Value, json};

use crate::client_roots_stage::{Folders, can};

/// A session of a client that has roots.
#[track_caller]
fn session(server: &Server, version: &str) -> HttpSession {
    server.session_with(version, can())
}

/// Calls a tool whose stream asks for the roots first.
#[track_caller]
fn told(session: &mut HttpSession, tool: &str, arguments: Value, roots: &Value) -> String {
    let (mut stream, id) = session.start("tools/call", rpc::tool(tool, arguments));
    let question = message(&mut stream);
    assert_eq!(question["method"], "roots/list", "{question}");
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": roots});
    assert_eq!(session.post(&answer).send().status, 202);
    let answer = message(&mut stream);
    assert_eq!(answer["id"], id, "{answer}");
    rpc::tool_text(rpc::result(&answer))
}

#[track_caller]
fn message(stream: &mut palisade_tests::http::Response) -> Value {
    loop {
        let event = stream.event().expect("the stream goes on");
        if !event.data.is_empty() {
            return event.message();
        }
    }
}

#[track_caller]
fn mounts(session: &mut HttpSession) -> String {
    rpc::tool_text(&session.call("mounts", json!({})))
}

#[test]
fn sessions_side_by_side() {
    let folders = Folders::new();
    let server = folders.command().serve();
    for version in rpc::HANDSHAKE_REVISIONS {
        let mut one = session(&server, version);
        let mut two = session(&server, version);
        let mut plain = server.session(version);
        let said = told(&mut one, "mounts", json!({}), &folders.list(&["desk/a"]));
        assert_eq!(said, "/desk/a", "{version}");
        let said = told(&mut two, "mounts", json!({}), &folders.list(&["other"]));
        assert_eq!(said, "/other", "{version}");
        for _ in 0..3 {
            assert_eq!(mounts(&mut one), "/desk/a");
            assert_eq!(mounts(&mut two), "/other");
            assert_eq!(mounts(&mut plain), "/desk /other");
        }
        let read = json!({"path": "/desk/a/one.txt"});
        assert_eq!(rpc::tool_text(&one.call("read", read.clone())), "one");
        rpc::tool_error(&two.call("read", read));
    }
}

#[test]
fn changed_roots_are_asked_for_with_the_next_call() {
    let folders = Folders::new();
    let server = folders.command().serve();
    let mut session = session(&server, "2025-11-25");
    let desk = folders.list(&["desk"]);
    assert_eq!(told(&mut session, "mounts", json!({}), &desk), "/desk");
    for _ in 0..20 {
        let changed = rpc::notification("notifications/roots/list_changed", Value::Null);
        assert_eq!(session.post(&changed).send().status, 202);
    }
    let other = folders.list(&["other"]);
    assert_eq!(told(&mut session, "mounts", json!({}), &other), "/other");
    assert_eq!(mounts(&mut session), "/other");
}

/// A client that goes away without an answer does not keep others waiting.
#[test]
fn the_question_of_a_call_that_is_cancelled_is_asked_by_another() {
    let folders = Folders::new();
    let server = folders.command().serve();
    let mut session = session(&server, "2025-11-25");
    let mounts = || rpc::tool("mounts", json!({}));
    let (mut first, id) = session.start("tools/call", mounts());
    let question = message(&mut first);
    assert_eq!(question["method"], "roots/list", "{question}");
    let (mut second, other) = session.start("tools/call", mounts());
    let cancel = rpc::notification("notifications/cancelled", json!({"requestId": id}));
    assert_eq!(session.post(&cancel).send().status, 202);
    let question = message(&mut second);
    assert_eq!(question["method"], "roots/list", "{question}");
    let roots = folders.list(&["desk/b"]);
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": roots});
    assert_eq!(session.post(&answer).send().status, 202);
    let answer = message(&mut second);
    assert_eq!(answer["id"], other, "{answer}");
    assert_eq!(rpc::tool_text(rpc::result(&answer)), "/desk/b");
}

#[test]
fn a_stateless_client_is_asked_in_its_result() {
    let folders = Folders::new();
    let server = folders.command().serve();
    let call = |answers: Value, state: Value| {
        let mut params = rpc::tool("mounts", json!({}));
        if !state.is_null() {
            params["inputResponses"] = answers;
            params["requestState"] = state;
        }
        let mut params = rpc::stateless(params);
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({"roots": {}});
        let request = server
            .post(&rpc::request(1, "tools/call", params))
            .header("mcp-protocol-version", rpc::STATELESS)
            .header("mcp-method", "tools/call")
            .header("mcp-name", "mounts");
        rpc::result(&request.send().answer()).clone()
    };
    for (root, expected) in [
        ("desk/a", "/desk/a"),
        ("other", "/other"),
        ("outside", "none"),
    ] {
        let asked = call(Value::Null, Value::Null);
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        let answers = json!({"palisade/client-roots": folders.list(&[root])});
        let done = call(answers, asked["requestState"].clone());
        assert_eq!(rpc::tool_text(&done), expected);
    }
}
