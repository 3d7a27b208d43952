//! One stream may carry a session and stateless requests, in any order.

use palisade_tests::{Palisade, Session, plugin, rpc};
use serde_json::{Value, json};

fn hello() -> Session {
    Palisade::run(plugin("hello")).start()
}

fn greet() -> Value {
    rpc::tool("greet", json!({"name": "Ada"}))
}

#[track_caller]
fn stateless_works(session: &mut Session) {
    let response = session.ask("tools/call", rpc::stateless(greet()));
    assert_eq!(rpc::result(&response)["resultType"], "complete");
}

#[track_caller]
fn session_works(session: &mut Session) {
    let response = session.ask("tools/call", greet());
    assert_eq!(rpc::tool_text(rpc::result(&response)), "Hello, Ada!");
    assert!(
        rpc::result(&response).get("resultType").is_none(),
        "{response}"
    );
}

#[track_caller]
fn session_is_closed(session: &mut Session) {
    let code = rpc::error_code(&session.ask("tools/call", greet()));
    assert!([-32600, -32602].contains(&code), "{code}");
}

#[test]
fn stateless_requests_open_no_session() {
    let mut session = hello();
    session.ask("server/discover", rpc::stateless(Value::Null));
    session_is_closed(&mut session);
    stateless_works(&mut session);
    session_is_closed(&mut session);
}

#[test]
fn a_session_can_be_opened_after_stateless_requests() {
    let mut session = hello();
    stateless_works(&mut session);
    assert_eq!(
        session.initialize("2025-03-26")["protocolVersion"],
        "2025-03-26"
    );
    session_works(&mut session);
    stateless_works(&mut session);
    session_works(&mut session);
}

#[test]
fn an_open_session_does_not_change_stateless_requests() {
    let mut session = hello();
    session.initialize("2024-11-05");
    for _ in 0..3 {
        session_works(&mut session);
        stateless_works(&mut session);
        let code = rpc::error_code(&session.ask("ping", rpc::stateless(Value::Null)));
        assert_eq!(code, -32601);
        rpc::result(&session.ask("ping", Value::Null));
    }
}

/// A client that probes: nothing it may try leaves the stream unusable.
#[test]
fn a_refused_opening_leaves_every_other_open() {
    let mut session = hello();
    let modern_initialize = rpc::stateless(rpc::hello("2025-11-25"));
    rpc::error_code(&session.ask("initialize", modern_initialize));
    session_is_closed(&mut session);
    let unsupported = rpc::stateless_at("2099-01-01", Value::Null);
    rpc::error_code(&session.ask("server/discover", unsupported));
    session.initialize("2025-11-25");
    session_works(&mut session);
    stateless_works(&mut session);
}

#[test]
fn both_may_be_in_flight_at_once() {
    let mut session = hello();
    session.initialize("2025-11-25");
    let ids: Vec<_> = (0..10)
        .map(|turn| match turn % 2 {
            0 => (false, session.request("tools/call", greet())),
            _ => (true, session.request("tools/call", rpc::stateless(greet()))),
        })
        .collect();
    for (stateless, id) in ids {
        let response = session.answer(id);
        let kind = rpc::result(&response).get("resultType");
        assert_eq!(kind.is_some(), stateless, "{response}");
    }
}
