//! What one call leaves behind no other finds: not in the same session, not in
//! another one, and not for another caller.

use std::fs;

use palisade_tests::http::{HttpSession, Server};
use palisade_tests::stage::{done, open};
use palisade_tests::{Palisade, guest, rpc};
use serde_json::json;

const NOTHING: &str = "kept: \"\", bytes left in new memory: 0";

const SECRET: &str = "ada's secret";

#[test]
fn nothing_is_left_for_the_next_call() {
    let mut session = open(&Palisade::run(guest("mallory")));
    for _ in 0..20 {
        let kept = done(&mut session, "remember", json!({"text": SECRET}));
        assert_eq!(kept, "remembered");
        assert_eq!(done(&mut session, "recall", json!({})), NOTHING);
    }
}

/// Instances come from a pool, where another one has just been.
#[test]
fn nothing_is_left_for_calls_side_by_side() {
    let mut session = open(&Palisade::run(guest("mallory")));
    for _ in 0..5 {
        let calls: Vec<_> = (0..16)
            .map(|number| {
                let tool = ["remember", "recall"][number % 2];
                let call = rpc::tool(tool, json!({"text": SECRET}));
                let call = if tool == "recall" {
                    rpc::tool(tool, json!({}))
                } else {
                    call
                };
                (tool, session.request("tools/call", call))
            })
            .collect();
        for (tool, id) in calls {
            let answer = session.answer(id);
            let text = rpc::tool_text(rpc::result(&answer));
            if tool == "recall" {
                assert_eq!(text, NOTHING);
            }
        }
    }
}

/// Nor by a call that did not come to its end.
#[test]
fn nothing_is_left_by_a_call_that_crashed() {
    let mut session = open(&Palisade::run(guest("mallory")));
    for _ in 0..5 {
        let crash = session.call("memory_bomb", json!({}));
        rpc::tool_error(&crash);
        assert_eq!(done(&mut session, "recall", json!({})), NOTHING);
    }
}

fn recalls_nothing(session: &mut HttpSession) {
    let recalled = session.call("recall", json!({}));
    assert_eq!(rpc::tool_text(&recalled), NOTHING);
}

#[test]
fn nothing_is_left_for_another_session_over_http() {
    let server: Server = Palisade::run(guest("mallory")).serve();
    let mut one = server.session("2025-11-25");
    let mut other = server.session("2025-06-18");
    for _ in 0..5 {
        let kept = one.call("remember", json!({"text": SECRET}));
        assert_eq!(rpc::tool_text(&kept), "remembered");
        recalls_nothing(&mut other);
        recalls_nothing(&mut one);
        let call = rpc::tool("recall", json!({}));
        let mut response = server.stateless(7, "tools/call", call).send();
        let answer = response.answer();
        assert_eq!(rpc::tool_text(rpc::result(&answer)), NOTHING);
    }
}

#[test]
fn nothing_is_left_for_another_caller_over_http() {
    const ADA: &str = "ada-0123456789abcdef";
    const BOB: &str = "bob-0123456789abcdef";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens");
    fs::write(&file, format!("{ADA}\n{BOB}\n")).unwrap();
    let command = Palisade::run(guest("mallory"))
        .arg("--token-file")
        .arg(&file);
    let server = command.serve_with(None);
    let of = |token: &str| {
        let bearer = format!("Bearer {token}");
        server.session_as("2025-11-25", &[("authorization", &bearer)])
    };
    let (mut ada, mut bob) = (of(ADA), of(BOB));
    for _ in 0..5 {
        let kept = ada.call("remember", json!({"text": SECRET}));
        assert_eq!(rpc::tool_text(&kept), "remembered");
        recalls_nothing(&mut bob);
    }
}
