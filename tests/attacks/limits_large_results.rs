//! What the host does with a large result belongs to the call it came of: it
//! takes of that call's time and holds its place, and nobody else waits for it.

use std::time::{Duration, Instant};

use palisade_tests::stage::{done, limited, open};
use palisade_tests::{Palisade, Session, guest, plugin, rpc};
use serde_json::{Value, json};

/// As large as a result may be that is kept, about.
const LARGE: usize = 30_000_000;

/// How soon others are served while one such result takes many times as long.
const SOON: Duration = Duration::from_millis(150);

const ROOMY: &str = "memory = \"256 MiB\"\nconcurrency = 16";

fn ask_for(session: &mut Session, tool: &str, times: usize) -> Vec<u64> {
    let call = rpc::tool(tool, json!({"bytes": LARGE}));
    (0..times)
        .map(|_| session.request("tools/call", call.clone()))
        .collect()
}

/// A result that was cut, and says where the rest is.
#[track_caller]
fn is_cut(result: &Value) {
    let content = result["content"].as_array().unwrap();
    assert_eq!(content.last().unwrap()["type"], "resource_link");
}

#[test]
fn its_calls_have_the_time_of_a_call_for_it() {
    let mut session = limited(
        "returns-much",
        &format!("{ROOMY}\ncall-time = \"1 s\"\ncpu-time = \"900 ms\""),
    );
    // One after another they take longer than a second; most of them wait.
    let ids = ask_for(&mut session, "controls", 16);
    let asked = Instant::now();
    let mut over = 0;
    for id in ids {
        let answer = session.answer(id);
        let result = rpc::result(&answer);
        if result["isError"] == true {
            let why = rpc::tool_error(result);
            assert!(why.contains("call-time"), "{why}");
            over += 1;
        } else {
            is_cut(result);
        }
    }
    assert!(over > 0, "sixteen took {:?}", asked.elapsed());
    // Places are free again when the work has come to its end.
    let again = (0..100).any(|_| {
        let result = session.call("text", json!({"bytes": 2}));
        result["isError"] != true && rpc::tool_text(&result) == "xx"
    });
    assert!(again, "its places were not free again");
}

#[test]
fn whoever_gives_them_up_need_not_wait_for_them() {
    let command = Palisade::run_several([guest("returns-much"), plugin("hello")]);
    let mut session = open(&command);
    let ada = json!({"name": "Ada"});
    done(&mut session, "hello__greet", ada.clone());
    let ids = ask_for(&mut session, "returns-much__controls", 8);
    for id in &ids {
        session.notify("notifications/cancelled", json!({"requestId": id}));
    }
    let asked = Instant::now();
    assert_eq!(done(&mut session, "hello__greet", ada), "Hello, Ada!");
    assert!(asked.elapsed() < 2 * SOON, "{:?}", asked.elapsed());
    for answer in session.take_others() {
        assert!(!ids.iter().any(|id| answer["id"] == *id), "{answer}");
    }
}

#[test]
fn over_http_others_are_served_meanwhile() {
    let command = Palisade::run_several([guest("returns-much"), plugin("hello")]);
    let server = command.serve();
    let mut greedy = server.session("2025-11-25");
    let mut other = server.session("2025-11-25");
    let ada = json!({"name": "Ada"});
    other.call("hello__greet", ada.clone());
    let call = rpc::tool("returns-much__text", json!({"bytes": LARGE}));
    let open: Vec<_> = (0..4)
        .map(|_| greedy.start("tools/call", call.clone()))
        .collect();
    let mut times: Vec<_> = (0..15)
        .map(|_| {
            let asked = Instant::now();
            let result = other.call("hello__greet", ada.clone());
            assert_eq!(rpc::tool_text(&result), "Hello, Ada!");
            asked.elapsed()
        })
        .collect();
    times.sort();
    assert!(times[7] < SOON, "{times:?}");
    for (mut response, _) in open {
        is_cut(rpc::result(&response.answer()));
    }
}
