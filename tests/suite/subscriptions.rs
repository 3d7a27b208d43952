//! A client that watches a resource hears that it has changed, and of no other.
//! The guest `all-interfaces` announces changes of `test://0` to `test://1999`.

use std::time::{Duration, Instant};

use palisade_tests::{Finished, Palisade, Session, Signal, guest, rpc};
use serde_json::{Value, json};

/// What a person takes for "at once", on a machine that is busy with tests; less
/// than what calls that run are given.
const PROMPTLY: Duration = Duration::from_secs(4);

const UPDATED: &str = "notifications/resources/updated";

fn session() -> Session {
    let mut session = Palisade::run(guest("all-interfaces")).start();
    session.initialize("2025-11-25");
    session
}

/// The addresses that are said to have changed, until a later ping is answered
/// and so many have come.
#[track_caller]
fn updated(session: &mut Session, count: usize) -> Vec<Value> {
    let mut uris = Vec::new();
    while uris.len() < count {
        let message = session.receive().unwrap();
        if message["method"] == UPDATED {
            uris.push(message["params"]["uri"].clone());
        }
    }
    rpc::result(&session.ask("ping", Value::Null));
    let more = session.take_others();
    let more = more.into_iter().filter(|one| one["method"] == UPDATED);
    uris.extend(more.map(|one| one["params"]["uri"].clone()));
    uris
}

#[track_caller]
fn subscribe(session: &mut Session, uri: &str) {
    let answer = session.ask("resources/subscribe", json!({ "uri": uri }));
    assert_eq!(rpc::result(&answer), &json!({}));
}

#[test]
fn a_session_hears_of_what_it_subscribed_to() {
    let mut session = session();
    session.call("announce", json!({}));
    assert_eq!(updated(&mut session, 0), [] as [Value; 0]);

    for uri in ["test://3", "test://44", "test://no-such", "test://3"] {
        subscribe(&mut session, uri);
    }
    session.call("announce", json!({}));
    let mut uris = updated(&mut session, 2);
    uris.sort_by_key(Value::to_string);
    assert_eq!(uris, ["test://3", "test://44"]);

    let answer = session.ask("resources/unsubscribe", json!({"uri": "test://3"}));
    rpc::result(&answer);
    session.call("announce", json!({}));
    assert_eq!(updated(&mut session, 1), ["test://44"]);
}

#[test]
fn a_stateless_client_listens() {
    let mut session = Palisade::run(guest("all-interfaces")).start();
    let filter = json!({
        "notifications": {
            "resourceSubscriptions": ["test://3", "test://44"],
            "promptsListChanged": true,
        }
    });
    let id = session.request("subscriptions/listen", rpc::stateless(filter));
    let acknowledged = session.receive().unwrap();
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );
    let call = rpc::stateless(rpc::tool("announce", json!({})));
    rpc::result(&session.ask("tools/call", call));
    let mut heard = session.take_others();
    while heard.len() < 3 {
        heard.push(session.receive().unwrap());
    }
    let of = "io.modelcontextprotocol/subscriptionId";
    let mut said: Vec<_> = heard
        .iter()
        .map(|one| {
            assert_eq!(one["params"]["_meta"][of], json!(id), "{one}");
            let method = one["method"].as_str().unwrap();
            format!("{method} {}", one["params"]["uri"].as_str().unwrap_or("-"))
        })
        .collect();
    said.sort();
    assert_eq!(
        said,
        [
            "notifications/prompts/list_changed -".to_owned(),
            format!("{UPDATED} test://3"),
            format!("{UPDATED} test://44"),
        ]
    );
    // Until it is given up.
    session.notify("notifications/cancelled", json!({ "requestId": id }));
    let call = rpc::stateless(rpc::tool("announce", json!({})));
    rpc::result(&session.ask("tools/call", call));
    rpc::result(&session.ask("tools/list", rpc::stateless(Value::Null)));
    assert_eq!(session.take_others(), [] as [Value; 0]);
}

/// A subscription has no end of its own: it must not keep the process, and is
/// told that it is over.
#[test]
fn a_subscription_ends_with_its_session() {
    let listening = || {
        let mut session = Palisade::run(guest("all-interfaces")).start();
        let filter = json!({ "notifications": { "promptsListChanged": true } });
        let id = session.request("subscriptions/listen", rpc::stateless(filter));
        session.receive().unwrap();
        (session, id)
    };
    let ended = |since: Instant, finished: &Finished, id: Value| {
        assert!(since.elapsed() < PROMPTLY, "{:?}", since.elapsed());
        let [last] = &finished.json_lines()[..] else {
            panic!("{finished:?}");
        };
        assert_eq!(last["id"], id);
        let result = rpc::result(last);
        assert_eq!(result["resultType"], "complete");
        let of = "io.modelcontextprotocol/subscriptionId";
        assert_eq!(result["_meta"][of], id);
    };

    let (session, id) = listening();
    let since = Instant::now();
    ended(since, &session.finish(), json!(id));

    let (mut session, id) = listening();
    let since = Instant::now();
    session.process.signal(Signal::TERM);
    ended(since, &session.until_end(), json!(id));
}

/// Also if that comes with the request for it.
#[test]
fn a_subscription_that_comes_last_is_begun_and_ended() {
    for _ in 0..10 {
        let mut session = Palisade::run(guest("all-interfaces")).start();
        let filter = json!({ "notifications": { "promptsListChanged": true } });
        let id = session.request("subscriptions/listen", rpc::stateless(filter));
        let since = Instant::now();
        let finished = session.finish();
        assert!(since.elapsed() < PROMPTLY, "{:?}", since.elapsed());
        let [begun, ended] = &finished.json_lines()[..] else {
            panic!("{finished:?}");
        };
        let acknowledged = "notifications/subscriptions/acknowledged";
        assert_eq!(begun["method"], acknowledged);
        assert_eq!(ended["id"], id);
        assert_eq!(rpc::result(ended)["resultType"], "complete");
    }
}

/// However many there are, the client is heard when it gives one up.
#[test]
fn many_subscriptions_do_not_deafen_the_host() {
    const MANY: u64 = 600;
    let mut session = Palisade::run(guest("all-interfaces")).start();
    let filter = json!({ "notifications": { "promptsListChanged": true } });
    let ids: Vec<_> = (0..MANY)
        .map(|_| session.request("subscriptions/listen", rpc::stateless(filter.clone())))
        .collect();
    session.notify("notifications/cancelled", json!({ "requestId": ids[0] }));
    rpc::result(&session.ask("tools/list", rpc::stateless(Value::Null)));
}
