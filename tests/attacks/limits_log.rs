//! What a guest logs and reports is passed on up to a point; beyond it a note
//! takes the place of the rest.

use palisade_tests::stage::{MIB, done, limited, open};
use palisade_tests::{Palisade, Session, guest, rpc};
use serde_json::{Value, json};

fn logged(session: &mut Session) -> Vec<Value> {
    let mut messages = session.take_others();
    messages.retain(|message| message["method"] == "notifications/message");
    messages
}

fn is_the_note(message: &Value) -> bool {
    message["params"]["logger"] == "palisade"
        && message["params"]["data"]
            .as_str()
            .is_some_and(|text| text.contains("logs too much"))
}

#[test]
fn many_messages() {
    let mut session = open(&Palisade::run(guest("chatty")));
    let answer = done(&mut session, "logs", json!({"count": 5_000}));
    assert_eq!(answer, "5000 messages");
    let messages = logged(&mut session);
    assert!(
        (500..=1_000).contains(&messages.len()),
        "{}",
        messages.len()
    );
    let (last, others) = messages.split_last().unwrap();
    assert!(is_the_note(last), "{last}");
    for (number, message) in others.iter().enumerate() {
        let text = format!("message {}", number + 1);
        assert_eq!(message["params"]["data"], text);
    }
    // Each call has an allowance of its own.
    done(&mut session, "logs", json!({"count": 3}));
    assert_eq!(logged(&mut session).len(), 3);
}

#[test]
fn a_long_message() {
    let mut session = open(&Palisade::run(guest("chatty")));
    done(&mut session, "log_of", json!({"bytes": 10_000}));
    assert_eq!(logged(&mut session).len(), 1);
    done(&mut session, "log_of", json!({"bytes": 1_000_000}));
    let messages = logged(&mut session);
    assert_eq!(messages.len(), 1);
    assert!(is_the_note(&messages[0]), "{}", messages[0]);
}

/// A million messages and a million steps: however the call ends, the client
/// got little of it and the host did not keep it.
#[test]
fn a_flood_of_both() {
    let mut session = limited("chatty", "cpu-time = \"1 s\"");
    done(&mut session, "logs", json!({"count": 1}));
    logged(&mut session);
    let before = session.process.peak_memory();
    let mut params = rpc::tool("flood", json!({}));
    params["_meta"] = json!({"progressToken": "flood"});
    let response = session.ask("tools/call", params);
    rpc::result(&response);
    let took = session.process.peak_memory() - before;
    assert!(took < 64 * MIB, "the host took {} MiB", took / MIB);
    let others = session.take_others();
    let count = |method: &str| {
        let of = others.iter().filter(|message| message["method"] == method);
        of.count()
    };
    assert!(count("notifications/message") <= 1_000);
    assert!(count("notifications/progress") <= 10_000);
    assert_eq!(
        others.iter().filter(|message| is_the_note(message)).count(),
        1
    );
}
