//! A call may take as long as `call-time` says, on the clock of the wall, and
//! whatever it does meanwhile.

use std::time::{Duration, Instant};

use palisade_tests::stage::{done, limited, open};
use palisade_tests::{Palisade, Session, guest, rpc};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_millis(300);

/// A machine that runs other tests may be late; it is never early.
const LATE: Duration = Duration::from_secs(1);

#[track_caller]
fn is_stopped(session: &mut Session, tool: &str, arguments: Value) {
    let begun = Instant::now();
    let result = session.call(tool, arguments);
    let took = begun.elapsed();
    let why = rpc::tool_error(&result);
    assert!(why.contains("call-time") && why.contains("300"), "{why}");
    assert!(took >= LIMIT, "{tool} was stopped early, after {took:?}");
    assert!(
        took < LIMIT + LATE,
        "{tool} was stopped late, after {took:?}"
    );
}

#[test]
fn asleep() {
    let mut session = limited("sleeps", "call-time = \"300 ms\"");
    is_stopped(&mut session, "nap", json!({"ms": 3_600_000}));
    // The next call starts from nothing.
    assert_eq!(done(&mut session, "nap", json!({"ms": 10})), "slept");
}

#[test]
fn at_work() {
    let mut session = limited("loops-forever", "call-time = \"300 ms\"");
    for tool in ["spin", "spin_hostcalls", "spin_clock", "doze"] {
        is_stopped(&mut session, tool, json!({}));
    }
    assert_eq!(done(&mut session, "answer", json!({})), "42");
}

#[test]
fn inside_the_host() {
    let mut session = limited("escapes-by-handle", "call-time = \"300 ms\"");
    is_stopped(&mut session, "wait_for_ever", json!({}));
    is_stopped(&mut session, "poll_many", json!({"count": 1_000}));
}

/// What a call is stopped for says nothing about another that runs beside it.
#[test]
fn each_call_has_its_own() {
    let mut session = limited("sleeps", "call-time = \"300 ms\"");
    let nap = |ms: u64| rpc::tool("nap", json!({"ms": ms}));
    let long = session.request("tools/call", nap(60_000));
    let short = session.request("tools/call", nap(20));
    let short = session.answer(short);
    assert_eq!(rpc::tool_text(rpc::result(&short)), "slept");
    let long = session.answer(long);
    rpc::tool_error(rpc::result(&long));
}

#[test]
fn the_default_is_enough_for_a_nap() {
    let mut session = open(&Palisade::run(guest("sleeps")));
    assert_eq!(done(&mut session, "nap", json!({"ms": 1_000})), "slept");
}
