//! A call that the client calls off stops also where the guest waits in the
//! host, for whatever that may be.

use std::time::{Duration, Instant};

use palisade_tests::stage::{done, limited};
use palisade_tests::{Session, rpc};
use serde_json::{Value, json};

/// With one place for calls (and one to wait), the next call runs when the
/// first has left.
fn leaves_its_place(session: &mut Session, tool: &str, arguments: Value, next: (&str, Value)) {
    let id = session.request("tools/call", rpc::tool(tool, arguments));
    // It has been read and runs once something later has been answered.
    assert_eq!(session.ask("ping", json!({}))["result"], json!({}));
    let begun = Instant::now();
    session.notify("notifications/cancelled", json!({"requestId": id}));
    done(session, next.0, next.1);
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(1), "{tool} left after {took:?}");
    let others = session.take_others();
    assert!(
        others.iter().all(|message| message["id"] != id),
        "{tool} was answered: {others:?}"
    );
}

#[test]
fn in_a_loop_of_sleep() {
    let mut session = limited("loops-forever", "concurrency = 1\ncall-time = \"60 s\"");
    leaves_its_place(&mut session, "doze", json!({}), ("answer", json!({})));
}

#[test]
fn inside_the_host() {
    let mut session = limited("escapes-by-handle", "concurrency = 1\ncall-time = \"60 s\"");
    let next = || ("preopens", json!({}));
    leaves_its_place(&mut session, "wait_for_ever", json!({}), next());
    leaves_its_place(&mut session, "poll_many", json!({"count": 1_000}), next());
}
