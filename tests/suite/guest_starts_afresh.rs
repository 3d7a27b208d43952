//! Every call runs in an instance of its own: what one left behind, no other
//! finds.

use palisade_tests::stage::{done, open};
use palisade_tests::{Palisade, guest, rpc};
use serde_json::json;

const FIRST: &str = "call 1 of the value, 1 of the static";

#[test]
fn one_call_after_another() {
    let mut session = open(&Palisade::run(guest("traps")));
    for _ in 0..50 {
        assert_eq!(done(&mut session, "count", json!({})), FIRST);
    }
}

#[test]
fn calls_side_by_side() {
    let mut session = open(&Palisade::run(guest("traps")));
    let count = || rpc::tool("count", json!({}));
    let calls: Vec<_> = (0..16)
        .map(|_| session.request("tools/call", count()))
        .collect();
    for id in calls {
        let response = session.answer(id);
        assert_eq!(rpc::tool_text(rpc::result(&response)), FIRST);
    }
}
