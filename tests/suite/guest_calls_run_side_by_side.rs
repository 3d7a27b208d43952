//! Calls of one client run beside each other, and each is answered when it is
//! done.

use std::time::{Duration, Instant};

use palisade_tests::stage::open;
use palisade_tests::{Palisade, guest, rpc};
use serde_json::json;

#[test]
fn two_naps_take_as_long_as_one() {
    let mut session = open(&Palisade::run(guest("sleeps")));
    let nap = || rpc::tool("nap", json!({"ms": 800}));
    let begun = Instant::now();
    let ids = [(); 2].map(|()| session.request("tools/call", nap()));
    for id in ids {
        let response = session.answer(id);
        assert_eq!(rpc::tool_text(rpc::result(&response)), "slept");
    }
    let took = begun.elapsed();
    assert!(took >= Duration::from_millis(800), "{took:?}");
    assert!(took < Duration::from_millis(1_600), "{took:?}");
}

#[test]
fn the_shorter_one_is_back_first() {
    let mut session = open(&Palisade::run(guest("sleeps")));
    let nap = |ms: u64| rpc::tool("nap", json!({"ms": ms}));
    let long = session.request("tools/call", nap(1_000));
    let short = session.request("tools/call", nap(1));
    let first = session.receive().unwrap();
    assert_eq!(first["id"], short, "{first}");
    let second = session.receive().unwrap();
    assert_eq!(second["id"], long, "{second}");
}
