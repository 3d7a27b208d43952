//! A plugin that wants its configuration is told it once in the life of an
//! instance, within the limits of the call that the instance is for.

use std::fs;
use std::time::{Duration, Instant};

use palisade_tests::stage::{done, open};
use palisade_tests::{Palisade, Session, guest, rpc};
use serde_json::json;

/// A session with the guest; `how` is what it does when it is started.
fn starting(how: &str, limits: &str) -> Session {
    let command = Palisade::run(guest("all-interfaces"))
        .arg("--env")
        .arg(format!("START={how}"));
    let grant = command.home().join("grant.toml");
    fs::write(&grant, format!("[limits]\n{limits}\n")).unwrap();
    open(&command.grant(grant))
}

fn refused(session: &mut Session) -> String {
    rpc::tool_error(&session.call("told", json!({})))
}

/// Made ahead or not.
#[test]
fn it_is_told_once() {
    let mut session = open(&Palisade::run(guest("all-interfaces")));
    for _ in 0..4 {
        assert_eq!(done(&mut session, "told", json!({})), "1 {}");
    }
}

#[test]
fn it_may_refuse_and_say_why() {
    let mut session = starting("refuse", "");
    for _ in 0..2 {
        let why = refused(&mut session);
        let says = "the plugin refused to start: the key \"server\" is missing";
        assert!(why.contains(says), "{why}");
    }
    let told = Palisade::call(guest("all-interfaces"), "told", "{}")
        .arg("--env")
        .arg("START=refuse")
        .output();
    assert_eq!(told.code, Some(1), "{told:?}");
    assert!(told.stderr.contains("\"server\" is missing"), "{told:?}");
}

#[test]
fn a_reason_is_no_novel() {
    let why = refused(&mut starting("refuse-at-length", ""));
    assert!(why.contains("refused to start"), "{why}");
    assert!(why.len() < 2_000, "it is {} bytes long", why.len());
}

#[test]
fn it_may_crash() {
    let why = refused(&mut starting("trap", ""));
    assert!(why.contains("crashed"), "{why}");
}

#[test]
fn starting_counts_as_computing() {
    let mut session = starting("loop", "cpu-time = \"200 ms\"");
    for _ in 0..2 {
        let why = refused(&mut session);
        assert!(why.contains("cpu-time"), "{why}");
    }
}

#[test]
fn starting_counts_as_waiting() {
    let mut session = starting("sleep", "call-time = \"300 ms\"");
    let begun = Instant::now();
    let why = refused(&mut session);
    assert!(why.contains("call-time"), "{why}");
    assert!(begun.elapsed() >= Duration::from_millis(300));
}

#[test]
fn it_can_be_cancelled_meanwhile() {
    let mut session = starting("sleep", "");
    let call = session.request("tools/call", rpc::tool("told", json!({})));
    session.until_read();
    session.notify("notifications/cancelled", json!({"requestId": call}));
    // The place is free again, and nobody waits for what was cancelled.
    assert_eq!(session.ask("ping", json!({}))["result"], json!({}));
    let finished = session.finish();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(!finished.stdout.contains("refused"), "{finished:?}");
}

/// An instance is made ahead once the list has been sent; that it never gets
/// there is nobody's concern.
#[test]
fn nobody_waits_for_an_instance_made_ahead() {
    for how in ["sleep", "loop"] {
        let mut session = starting(how, "");
        let listed = session.ask("tools/list", json!({}));
        assert!(listed["result"]["tools"].is_array(), "{listed}");
        let asked = Instant::now();
        for _ in 0..10 {
            assert_eq!(session.ask("ping", json!({}))["result"], json!({}));
        }
        let took = asked.elapsed();
        assert!(took < Duration::from_secs(2), "{how}: pings took {took:?}");
        let ended = Instant::now();
        let finished = session.finish();
        assert_eq!(finished.code, Some(0), "{finished:?}");
        let took = ended.elapsed();
        assert!(
            took < Duration::from_secs(3),
            "{how}: the end took {took:?}"
        );
    }
}
