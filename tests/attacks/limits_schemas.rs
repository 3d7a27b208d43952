//! A schema is a plugin's, and the host follows it: no further than it says.

use std::time::Duration;

use palisade_tests::stage::{done, open};
use palisade_tests::{Palisade, guest, plugin, rpc};
use serde_json::{Value, json};

fn nested(depth: usize) -> Value {
    (0..depth).fold(json!({}), |inner, _| json!({"a": inner}))
}

/// Each level of it doubles what there is to check: with sixty levels the host
/// would be at it for as long as there are hosts.
#[test]
fn one_that_takes_for_ever_to_check_is_given_up() {
    let mut session = open(&Palisade::run(guest("mallory")));
    done(&mut session, "checked_for_ever", json!({}));
    let before = session.process.cpu_time();
    for _ in 0..3 {
        let why = rpc::tool_error(&session.call("checked_for_ever", nested(60)));
        assert!(why.contains("more than 250 ms"), "{why}");
        assert_eq!(done(&mut session, "echo", json!({"text": "a"})), "a");
    }
    let used = session.process.cpu_time() - before;
    assert!(used < 3 * Duration::from_millis(800), "it used {used:?}");
}

#[test]
fn other_plugins_are_served_meanwhile() {
    let command = Palisade::run_several([guest("mallory"), plugin("hello")]);
    let mut session = open(&command);
    let bomb = rpc::tool("mallory__checked_for_ever", nested(60));
    let bombs: Vec<_> = (0..3)
        .map(|_| session.request("tools/call", bomb.clone()))
        .collect();
    let greeted = done(&mut session, "hello__greet", json!({"name": "Ada"}));
    assert_eq!(greeted, "Hello, Ada!");
    for id in bombs {
        let answer = session.answer(id);
        let why = rpc::tool_error(rpc::result(&answer));
        assert!(why.contains("more than 250 ms"), "{why}");
    }
}
