//! A call may compute as long as `cpu-time` says, and while it does, everybody
//! else is served.

use std::time::{Duration, Instant};

use palisade_tests::rpc;
use palisade_tests::stage::{done, limited};
use serde_json::json;

#[test]
fn a_loop_ends() {
    let mut session = limited("loops-forever", "cpu-time = \"200 ms\"");
    for tool in ["spin", "spin_hostcalls", "spin_clock", "allocate_and_free"] {
        let before = session.process.cpu_time();
        let why = rpc::tool_error(&session.call(tool, json!({})));
        assert!(why.contains("cpu-time"), "{tool}: {why}");
        // Counted by the system, in ticks of 10 ms.
        let used = session.process.cpu_time() - before;
        assert!(used >= Duration::from_millis(180), "{tool} used {used:?}");
        assert!(used < Duration::from_secs(1), "{tool} used {used:?}");
        assert_eq!(done(&mut session, "answer", json!({})), "42");
    }
}

#[test]
fn sleep_is_not_computing() {
    let mut session = limited("sleeps", "cpu-time = \"50 ms\"");
    assert_eq!(done(&mut session, "nap", json!({"ms": 500})), "slept");
}

/// One guest in a loop, where it began (on the thread that reads) and where
/// the others run.
#[test]
fn everybody_else_is_served() {
    let mut session = limited("loops-forever", "cpu-time = \"1 s\"");
    let spin = || rpc::tool("spin", json!({}));
    let first = session.request("tools/call", spin());
    let second = session.request("tools/call", spin());
    let mut slowest = Duration::ZERO;
    for _ in 0..20 {
        let asked = Instant::now();
        assert_eq!(session.ask("ping", json!({}))["result"], json!({}));
        slowest = slowest.max(asked.elapsed());
    }
    assert!(
        slowest < Duration::from_millis(500),
        "a ping took {slowest:?}"
    );
    assert_eq!(done(&mut session, "answer", json!({})), "42");
    // All of that while both were at it.
    let answered = session
        .take_others()
        .iter()
        .any(|message| message["id"] == first || message["id"] == second);
    assert!(!answered, "the loops had ended by then");
    for spinning in [first, second] {
        let why = session.answer(spinning);
        assert!(rpc::tool_error(rpc::result(&why)).contains("cpu-time"));
    }
}
