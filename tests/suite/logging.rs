//! A guest's log reaches a client that wants it, down to the level it wants.

use palisade_tests::{Palisade, Session, guest, rpc};
use serde_json::{Value, json};

const LEVELS: [&str; 8] = [
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
];

fn chatty() -> Session {
    let mut session = Palisade::run(guest("chatty")).start();
    session.initialize("2025-11-25");
    session
}

/// The parameters of the log messages that came before the answer.
#[track_caller]
fn messages(session: &mut Session, params: Value) -> Vec<Value> {
    let response = session.ask("tools/call", params);
    rpc::tool_text(rpc::result(&response));
    session
        .take_others()
        .into_iter()
        .map(|mut message| {
            assert_eq!(message["method"], "notifications/message", "{message}");
            message["params"].take()
        })
        .collect()
}

#[track_caller]
fn levels(messages: &[Value]) -> Vec<&str> {
    messages
        .iter()
        .map(|message| {
            let level = message["level"].as_str().unwrap();
            // The guest names the level in the text.
            assert!(
                message["data"].as_str().unwrap().ends_with(level),
                "{message}"
            );
            level
        })
        .collect()
}

fn at(level: &str) -> Value {
    let mut params = rpc::stateless(rpc::tool("log_levels", json!({})));
    params["_meta"]["io.modelcontextprotocol/logLevel"] = json!(level);
    params
}

#[test]
fn a_session_gets_what_it_set_and_above() {
    let mut session = chatty();
    for (position, level) in LEVELS.into_iter().enumerate() {
        let response = session.ask("logging/setLevel", json!({"level": level}));
        assert_eq!(rpc::result(&response), &json!({}));
        let messages = messages(&mut session, rpc::tool("log_levels", json!({})));
        assert_eq!(levels(&messages), LEVELS[position..]);
    }
}

#[test]
fn a_session_that_set_nothing_is_spared_debugging() {
    let mut session = chatty();
    let messages = messages(&mut session, rpc::tool("log_levels", json!({})));
    let levels = levels(&messages);
    assert!(!levels.contains(&"debug"), "{levels:?}");
    assert!(levels.contains(&"error"), "{levels:?}");
}

#[test]
fn a_stateless_request_gets_what_it_names_and_nothing_unasked() {
    let mut session = chatty();
    for (position, level) in LEVELS.into_iter().enumerate() {
        let messages = messages(&mut session, at(level));
        assert_eq!(levels(&messages), LEVELS[position..]);
    }
    let unasked = rpc::stateless(rpc::tool("log_levels", json!({})));
    assert_eq!(messages(&mut session, unasked), [] as [Value; 0]);
}

/// The level of the session is not that of a stateless request, nor the other
/// way round.
#[test]
fn the_eras_do_not_share_a_level() {
    let mut session = chatty();
    rpc::result(&session.ask("logging/setLevel", json!({"level": "debug"})));
    let unasked = rpc::stateless(rpc::tool("log_levels", json!({})));
    assert_eq!(messages(&mut session, unasked), [] as [Value; 0]);
    assert_eq!(
        levels(&messages(&mut session, at("alert"))),
        ["alert", "emergency"]
    );
    let of_session = messages(&mut session, rpc::tool("log_levels", json!({})));
    assert_eq!(levels(&of_session), LEVELS);
}

#[test]
fn data_and_logger_come_as_the_guest_gave_them() {
    let mut session = chatty();
    let messages = messages(&mut session, rpc::tool("log_object", json!({})));
    let expected = json!({"level": "warning", "logger": "deep thought", "data": {"answer": 42}});
    assert_eq!(messages, [expected]);
}

#[test]
fn messages_keep_their_order() {
    let mut session = chatty();
    let messages = messages(&mut session, rpc::tool("logs", json!({"count": 200})));
    let data: Vec<_> = messages
        .iter()
        .map(|message| message["data"].clone())
        .collect();
    let expected: Vec<_> = (1..=200)
        .map(|number| json!(format!("message {number}")))
        .collect();
    assert_eq!(data, expected);
}
