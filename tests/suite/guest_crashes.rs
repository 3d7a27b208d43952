//! A guest that crashes fails one call, in plain words. Nobody else notices.

use palisade_tests::stage::{done, open};
use palisade_tests::{Palisade, guest, rpc};
use serde_json::{Value, json};

const CRASHES: [&str; 6] = [
    "unreachable",
    "stack_overflow",
    "abort",
    "divide_by_zero",
    "out_of_bounds",
    "panic",
];

/// What the error of each says.
fn says(tool: &str) -> &'static str {
    match tool {
        "stack_overflow" => "limit of stack",
        _ => "crashed",
    }
}

fn arguments(tool: &str) -> Value {
    match tool {
        "panic" => json!({"message": "the guest's last words"}),
        _ => json!({}),
    }
}

#[test]
fn in_every_way_there_is() {
    let mut session = open(&Palisade::run(guest("traps")));
    for tool in CRASHES {
        let why = rpc::tool_error(&session.call(tool, arguments(tool)));
        assert!(why.contains(says(tool)), "{tool}: {why}");
        // One line, for a model: no addresses, no backtrace.
        assert!(why.lines().count() == 1 && why.len() < 200, "{tool}: {why}");
        assert!(!why.contains("0x"), "{tool}: {why}");
        let answer = done(&mut session, "count", json!({}));
        assert_eq!(answer, "call 1 of the value, 1 of the static");
    }
}

/// What it says when it panics is for the person, and not for the model.
#[test]
fn its_last_words_are_in_the_log() {
    let mut session = open(&Palisade::run(guest("traps")));
    let why = rpc::tool_error(&session.call("panic", arguments("panic")));
    assert!(!why.contains("last words"), "{why}");
    session.until_stderr(|text| text.contains("the guest's last words"));
}

#[test]
fn leaving_is_no_way_to_answer() {
    let mut session = open(&Palisade::run(guest("traps")));
    for code in [0, 1, 3, -1] {
        let result = session.call("exit", json!({"code": code}));
        let why = rpc::tool_error(&result);
        assert!(why.to_lowercase().contains("exit"), "{code}: {why}");
        let answer = done(&mut session, "count", json!({}));
        assert_eq!(answer, "call 1 of the value, 1 of the static");
    }
    assert!(!session.process.has_ended());
}

#[test]
fn beside_calls_that_work() {
    let mut session = open(&Palisade::run(guest("traps")));
    let mut calls = Vec::new();
    for tool in CRASHES {
        for tool in [tool, "count"] {
            let call = rpc::tool(tool, arguments(tool));
            calls.push((tool, session.request("tools/call", call)));
        }
    }
    for (tool, id) in calls {
        let response = session.answer(id);
        let result = rpc::result(&response);
        if tool == "count" {
            let answer = rpc::tool_text(result);
            assert_eq!(answer, "call 1 of the value, 1 of the static");
        } else {
            let why = rpc::tool_error(result);
            assert!(why.contains(says(tool)), "{tool}: {why}");
        }
    }
}
