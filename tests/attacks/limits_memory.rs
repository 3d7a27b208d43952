//! A call gets as much memory as `memory` says, and the host gets it back.

use palisade_tests::stage::{MIB, done, limited, open};
use palisade_tests::{Palisade, guest, rpc};
use serde_json::json;

#[test]
fn more_than_granted_ends_the_call() {
    let mut session = open(&Palisade::run(guest("allocates")));
    assert_eq!(done(&mut session, "grow", json!({"mib": 1})), "took 1 MiB");
    let before = session.process.memory();
    for (tool, arguments) in [("grow", json!({"mib": 80})), ("leak", json!({}))] {
        let why = rpc::tool_error(&session.call(tool, arguments));
        assert!(why.contains("limit of memory"), "{why}");
    }
    assert_eq!(
        done(&mut session, "grow", json!({"mib": 30})),
        "took 30 MiB"
    );
    let kept = session.process.memory().saturating_sub(before);
    assert!(kept < 16 * MIB, "{} MiB stayed behind", kept / MIB);
    let peak = session.process.peak_memory() - before;
    assert!(
        peak < 100 * MIB,
        "64 MiB of a guest took {} MiB",
        peak / MIB
    );
}

#[test]
fn a_guest_that_asks_first_may_go_on() {
    let mut session = open(&Palisade::run(guest("allocates")));
    for mib in [80, 2_000] {
        let answer = done(&mut session, "ask", json!({"mib": mib}));
        assert!(answer.starts_with("got nothing"), "{answer}");
    }
    assert_eq!(done(&mut session, "ask", json!({"mib": 40})), "got 40 MiB");
}

#[test]
fn a_grant_may_allow_more_or_less() {
    let mut more = limited("allocates", "memory = \"128 MiB\"");
    assert_eq!(done(&mut more, "grow", json!({"mib": 100})), "took 100 MiB");
    rpc::tool_error(&more.call("grow", json!({"mib": 140})));

    let mut less = limited("allocates", "memory = \"8 MiB\"");
    assert_eq!(done(&mut less, "grow", json!({"mib": 4})), "took 4 MiB");
    rpc::tool_error(&less.call("grow", json!({"mib": 10})));
}

#[test]
fn each_call_has_its_own() {
    let mut session = open(&Palisade::run(guest("allocates")));
    let grow = |mib: u64| rpc::tool("grow", json!({"mib": mib}));
    let calls: Vec<_> = [40, 80, 40, 80]
        .into_iter()
        .map(|mib| (mib, session.request("tools/call", grow(mib))))
        .collect();
    for (mib, id) in calls {
        let response = session.answer(id);
        let failed = rpc::result(&response)["isError"] == true;
        assert_eq!(failed, mib == 80, "{mib} MiB: {response}");
    }
}
