//! A call that is cancelled stops, and is never heard of again.

use std::time::{Duration, Instant};

use palisade_tests::{Palisade, Session, guest, rpc};
use serde_json::{Value, json};

/// A guest is stopped within 50 ms; a machine busy with other tests needs
/// longer to show it.
const AT_ONCE: Duration = Duration::from_secs(1);

/// What a session may compute while nothing happens.
const IDLE: Duration = Duration::from_millis(50);

fn session(name: &str) -> Session {
    let mut session = Palisade::run(guest(name)).start();
    session.initialize("2025-11-25");
    session
}

/// Starts a call that computes for ever, and waits until it is at it.
fn spin(session: &mut Session, tool: &str) -> u64 {
    let before = session.process.cpu_time();
    let id = session.request("tools/call", rpc::tool(tool, json!({})));
    session.until_busy(before + Duration::from_millis(50));
    id
}

#[track_caller]
fn cancel(session: &mut Session, id: impl Into<Value>) {
    let params = json!({"requestId": id.into(), "reason": "changed my mind"});
    session.notify("notifications/cancelled", params);
}

/// Says nothing and computes nothing.
#[track_caller]
fn is_idle(session: &mut Session) {
    let before = session.process.cpu_time();
    session.stays_quiet(Duration::from_millis(300));
    let used = session.process.cpu_time() - before;
    assert!(used <= IDLE, "it still computes: {used:?} in 300 ms");
}

#[test]
fn a_guest_that_would_run_for_ever_is_stopped() {
    for tool in ["spin", "spin_hostcalls", "spin_clock", "allocate_and_free"] {
        let mut session = session("loops-forever");
        let id = spin(&mut session, tool);
        let since = Instant::now();
        cancel(&mut session, id);
        rpc::result(&session.ask("ping", Value::Null));
        assert!(since.elapsed() < AT_ONCE, "{tool}: {:?}", since.elapsed());
        is_idle(&mut session);
        assert_eq!(session.finish().success().stdout, "", "{tool}");
    }
}

#[test]
fn a_guest_that_sleeps_is_stopped() {
    let mut session = session("sleeps");
    let id = session.request("tools/call", rpc::tool("nap", json!({"ms": 60_000})));
    cancel(&mut session, id);
    let since = Instant::now();
    let nap = session.call("nap", json!({"ms": 1}));
    assert_eq!(rpc::tool_text(&nap), "slept");
    assert!(since.elapsed() < AT_ONCE, "{:?}", since.elapsed());
    is_idle(&mut session);
    assert_eq!(session.finish().success().stdout, "");
}

#[test]
fn only_the_one_that_was_meant() {
    let mut session = session("sleeps");
    let naps: Vec<_> = (0..6)
        .map(|_| session.request("tools/call", rpc::tool("nap", json!({"ms": 500}))))
        .collect();
    for id in naps.iter().step_by(2) {
        cancel(&mut session, *id);
    }
    for id in naps.iter().skip(1).step_by(2) {
        assert_eq!(rpc::tool_text(rpc::result(&session.answer(*id))), "slept");
    }
    assert_eq!(session.finish().success().stdout, "");
}

#[test]
fn all_sixteen_that_run_make_room_for_others() {
    let mut session = session("loops-forever");
    let before = session.process.cpu_time();
    let ids: Vec<_> = (0..16)
        .map(|_| session.request("tools/call", rpc::tool("spin", json!({}))))
        .collect();
    session.until_busy(before + Duration::from_millis(300));
    for id in ids {
        cancel(&mut session, id);
    }
    let told = rpc::tool_error(&session.call("spin", json!({"no": "such argument"})));
    assert!(told.contains("no"), "{told}");
    let id = spin(&mut session, "spin");
    cancel(&mut session, id);
    is_idle(&mut session);
    assert_eq!(session.finish().success().stdout, "");
}

#[test]
fn a_stateless_call_is_cancelled_in_the_same_way() {
    let mut session = Palisade::run(guest("loops-forever")).start();
    rpc::result(&session.ask("server/discover", rpc::stateless(Value::Null)));
    let before = session.process.cpu_time();
    let params = rpc::stateless(rpc::tool("spin", json!({})));
    let id = session.request("tools/call", params);
    session.until_busy(before + Duration::from_millis(50));
    cancel(&mut session, id);
    rpc::result(&session.ask("tools/list", rpc::stateless(Value::Null)));
    is_idle(&mut session);
    assert_eq!(session.finish().success().stdout, "");
}

/// The stateless revision wants ids to differ only from those in flight.
#[test]
fn an_id_can_be_used_again_at_once() {
    let mut session = Palisade::run(guest("sleeps")).start();
    let nap = |id: &Value, ms: u64| {
        let params = rpc::stateless(rpc::tool("nap", json!({"ms": ms})));
        rpc::request(id.clone(), "tools/call", params)
    };
    for id in [json!("x"), json!(4711)] {
        session.send(&nap(&id, 60_000));
        cancel(&mut session, id.clone());
        session.send(&nap(&id, 1));
        let answer = session.answer(id);
        assert_eq!(rpc::tool_text(rpc::result(&answer)), "slept");
    }
    assert_eq!(session.finish().success().stdout, "");
}

#[test]
fn what_does_not_run_can_be_cancelled_without_harm() {
    let mut session = session("sleeps");
    let done = session.request("tools/call", rpc::tool("nap", json!({"ms": 1})));
    rpc::result(&session.answer(done));
    cancel(&mut session, done);
    cancel(&mut session, 4711);
    cancel(&mut session, "never heard of");
    session.notify("notifications/cancelled", Value::Null);
    session.notify("notifications/cancelled", json!({}));
    session.notify("notifications/cancelled", json!({"requestId": {"a": 1}}));
    let nap = session.call("nap", json!({"ms": 1}));
    assert_eq!(rpc::tool_text(&nap), "slept");
    assert_eq!(session.finish().success().stdout, "");
}

/// Its id is 1, but the number, not the text.
#[test]
fn a_number_and_its_text_are_not_the_same_id() {
    let mut session = session("sleeps");
    let nap = session.request("tools/call", rpc::tool("nap", json!({"ms": 300})));
    cancel(&mut session, nap.to_string());
    assert_eq!(rpc::tool_text(rpc::result(&session.answer(nap))), "slept");
}
