//! As many calls run at once as `concurrency` says, as many again wait, and
//! the rest is told that the plugin is busy.

use std::time::{Duration, Instant};

use palisade_tests::stage::{done, limited};
use palisade_tests::{Session, rpc};
use serde_json::json;

fn naps(session: &mut Session, count: usize, ms: u64) -> Vec<u64> {
    (0..count)
        .map(|_| session.request("tools/call", rpc::tool("nap", json!({"ms": ms}))))
        .collect()
}

#[test]
fn two_run_two_wait_the_fifth_is_sent_away() {
    let mut session = limited("sleeps", "concurrency = 2");
    let nap = Duration::from_millis(500);
    let begun = Instant::now();
    let ids = naps(&mut session, 5, 500);

    // Whoever is sent away is told so at once.
    let first = session.receive().unwrap();
    let why = rpc::tool_error(rpc::result(&first));
    assert!(why.contains("busy"), "{why}");
    assert!(begun.elapsed() < nap, "it took {:?}", begun.elapsed());
    assert_eq!(session.ask("ping", json!({}))["result"], json!({}));

    let mut ended = Vec::new();
    for _ in 0..4 {
        let response = session.receive().unwrap();
        assert_eq!(rpc::tool_text(rpc::result(&response)), "slept");
        ended.push(begun.elapsed());
        assert!(ids.iter().any(|id| response["id"] == *id), "{response}");
    }
    // Two after one nap, the other two after two.
    assert!(ended[0] >= nap && ended[2] >= nap * 2, "{ended:?}");
    assert!(ended[3] < nap * 4, "they ran one by one: {ended:?}");
}

/// What a grant allows is there, also where it is a lot.
#[test]
fn hundreds_where_hundreds_are_granted() {
    let mut session = limited("sleeps", "concurrency = 250");
    let ids = naps(&mut session, 250, 1_000);
    for id in ids {
        let response = session.answer(id);
        assert_eq!(rpc::tool_text(rpc::result(&response)), "slept");
    }
}

#[test]
fn one_that_is_called_off_makes_room() {
    let mut session = limited("sleeps", "concurrency = 1");
    let ids = naps(&mut session, 3, 60_000);
    // One runs, one waits; which of them is sent away does not matter.
    let first = session.receive().unwrap();
    let why = rpc::tool_error(rpc::result(&first));
    assert!(why.contains("busy"), "{why}");
    for id in ids {
        session.notify("notifications/cancelled", json!({"requestId": id}));
    }
    // They stop very soon, which need not be at once.
    let deadline = Instant::now() + Duration::from_secs(1);
    loop {
        let result = session.call("nap", json!({"ms": 1}));
        if result["isError"] != true {
            break;
        }
        assert!(rpc::tool_error(&result).contains("busy"), "{result}");
        assert!(Instant::now() < deadline, "their places are still taken");
    }
}

#[test]
fn one_that_fails_makes_room() {
    let mut session = limited("sleeps", "concurrency = 1\ncall-time = \"100 ms\"");
    for _ in 0..5 {
        rpc::tool_error(&session.call("nap", json!({"ms": 60_000})));
    }
    assert_eq!(done(&mut session, "nap", json!({"ms": 1})), "slept");
}
