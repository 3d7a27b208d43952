//! Beyond the calls that run and those that wait, the rest is told at once that
//! the plugin is busy: in every way there is to call.

use std::time::{Duration, Instant};

use palisade_tests::stage::{limited, with_limits};
use palisade_tests::{Palisade, guest, rpc};
use serde_json::{Value, json};

const BUSY: &str = "the plugin is busy: 1 calls are running and as many are waiting; try again";

/// Longer than any test waits.
const NAP: u64 = 3_600_000;

fn nap() -> Value {
    rpc::tool("sleep", json!({"ms": NAP}))
}

#[test]
fn over_http() {
    let command = with_limits(Palisade::run(guest("mallory")), "concurrency = 1");
    let server = command.serve();
    let mut sessions: Vec<_> = (0..3).map(|_| server.session("2025-11-25")).collect();
    let mut begun: Vec<_> = sessions
        .iter_mut()
        .take(2)
        .map(|session| session.start("tools/call", nap()))
        .collect();
    // One runs, one waits, whichever session or caller they are of.
    let asked = Instant::now();
    let busy = sessions[2].call("echo", json!({"text": "a"}));
    assert_eq!(rpc::tool_error(&busy), BUSY);
    let call = rpc::tool("echo", json!({"text": "a"}));
    let mut response = server.stateless(7, "tools/call", call).send();
    let answer = response.answer();
    assert_eq!(rpc::tool_error(rpc::result(&answer)), BUSY);
    assert!(
        asked.elapsed() < Duration::from_secs(2),
        "{:?}",
        asked.elapsed()
    );
    // Ended sessions end their calls, and make room.
    begun.clear();
    assert!((200..300).contains(&sessions[0].delete()));
    assert!((200..300).contains(&sessions[1].delete()));
    let deadline = Instant::now() + palisade_tests::PATIENCE;
    loop {
        let result = sessions[2].call("echo", json!({"text": "a"}));
        if result["isError"] != true {
            break;
        }
        assert_eq!(rpc::tool_error(&result), BUSY);
        assert!(Instant::now() < deadline, "their places are still taken");
    }
}

/// A task that finds no place fails with that, and does not wait for ever.
#[test]
fn as_a_task() {
    let following = |params: Value| {
        let mut params = rpc::stateless(params);
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
            json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
        params
    };
    let mut session = limited("mallory", "concurrency = 1");
    let running = session.request("tools/call", rpc::stateless(nap()));
    let waiting = session.request("tools/call", rpc::stateless(nap()));
    let begun = session.ask("tools/call", following(nap()));
    let begun = rpc::result(&begun);
    let text = if begun["resultType"] == "task" {
        let id = begun["taskId"].as_str().unwrap().to_owned();
        let deadline = Instant::now() + palisade_tests::PATIENCE;
        loop {
            let task = session.ask("tasks/get", following(json!({"taskId": id})));
            let task = rpc::result(&task).clone();
            if task["status"] != "working" {
                break task.to_string();
            }
            assert!(Instant::now() < deadline, "it still waits: {task}");
            // A client has no other way than to ask again.
            session.stays_quiet(Duration::from_millis(20));
        }
    } else {
        begun.to_string()
    };
    assert!(text.contains(BUSY), "{text}");
    for id in [running, waiting] {
        session.notify("notifications/cancelled", json!({"requestId": id}));
    }
}

/// Whoever waits is served in turn, and as soon as there is room.
#[test]
fn a_queue_that_is_left_serves_those_behind() {
    let mut session = limited("mallory", "concurrency = 1");
    let first = session.request("tools/call", nap());
    let second = session.request("tools/call", rpc::tool("echo", json!({"text": "b"})));
    session.notify("notifications/cancelled", json!({"requestId": first}));
    let answer = session.answer(second);
    assert_eq!(rpc::tool_text(rpc::result(&answer)), "b");
}
