//! What surrounds the host is not what surrounds its plugins.

use palisade_tests::stage::{done, open};
use palisade_tests::{Palisade, guest};
use serde_json::json;

#[test]
fn the_hosts_environment_is_not_seen() {
    let command = Palisade::run(guest("mallory"))
        .env("AWS_SECRET_ACCESS_KEY", "hunter2")
        .env("HTTP_PROXY", "http://proxy.example")
        .env("LANG", "C");
    let mut session = open(&command);
    assert_eq!(done(&mut session, "env", json!({})), "");
    assert_eq!(done(&mut session, "args", json!({})), "mallory");
    assert_eq!(done(&mut session, "initial_cwd", json!({})), "nowhere");
    assert_eq!(done(&mut session, "terminals", json!({})), "");
    assert_eq!(done(&mut session, "preopens", json!({})), "");
}

#[test]
fn a_variable_that_is_granted_is_the_only_one() {
    let command = Palisade::run(guest("mallory"))
        .env("SECRET", "hunter2")
        .arg("--env")
        .arg("GIVEN=this");
    let mut session = open(&command);
    assert_eq!(done(&mut session, "env", json!({})), "GIVEN=this");
}

/// The client's next messages wait there while a guest reads its own input.
#[test]
fn the_clients_messages_are_not_standard_input() {
    let mut session = open(&Palisade::run(guest("mallory")));
    let read = palisade_tests::rpc::tool("stdin", json!({}));
    let reads: Vec<_> = (0..8)
        .map(|_| session.request("tools/call", read.clone()))
        .collect();
    let ping = session.request("ping", json!({}));
    for id in reads {
        let answer = session.answer(id);
        let text = palisade_tests::rpc::tool_text(palisade_tests::rpc::result(&answer));
        assert_eq!(text, "0 bytes: ");
    }
    assert_eq!(session.answer(ping)["result"], json!({}));
}

/// Chance that repeats itself is none.
#[test]
fn each_call_has_its_own_random_numbers() {
    let mut session = open(&Palisade::run(guest("mallory")));
    let mut seen: Vec<_> = (0..50)
        .map(|_| done(&mut session, "seed", json!({})))
        .collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 50);
}
