//! Revision 2025-03-26 has arrays of messages: what is answered to the requests
//! of one comes as one array. No other revision has them.

use palisade_tests::{Palisade, Session, guest, rpc};
use serde_json::{Value, json};

const INVALID_REQUEST: i64 = -32600;

fn session() -> Session {
    let mut session = Palisade::run(guest("sleeps")).start();
    session.initialize("2025-03-26");
    session
}

fn nap(id: impl Into<Value>, ms: u64) -> Value {
    rpc::request(id, "tools/call", rpc::tool("nap", json!({ "ms": ms })))
}

fn ping(id: impl Into<Value>) -> Value {
    rpc::request(id, "ping", Value::Null)
}

fn cancel(id: impl Into<Value>) -> Value {
    let params = json!({"requestId": id.into()});
    rpc::notification("notifications/cancelled", params)
}

/// Everything that is said until a later ping has been answered.
#[track_caller]
fn reactions(session: &mut Session, line: &str) -> Vec<Value> {
    session.send_bytes(format!("{line}\n").as_bytes());
    assert_eq!(rpc::result(&session.ask("ping", Value::Null)), &json!({}));
    session.take_others()
}

/// The next line, which must be an array; its answers by their ids.
#[track_caller]
fn answers(session: &mut Session) -> Vec<Value> {
    let line = session.receive().unwrap();
    let Value::Array(mut answers) = line else {
        panic!("this is no array: {line}");
    };
    answers.sort_by_key(|answer| answer["id"].as_u64());
    answers
}

#[track_caller]
fn ids(answers: &[Value]) -> Vec<Value> {
    answers.iter().map(|answer| answer["id"].clone()).collect()
}

#[test]
fn requests_are_answered_together_when_the_last_one_is() {
    let mut session = session();
    let note = rpc::notification("notifications/roots/list_changed", Value::Null);
    session.send(&json!([nap(101, 300), ping(102), note, nap(103, 1)]));
    // Alone, it is answered at once.
    session.send(&ping(104));
    assert_eq!(session.receive().unwrap()["id"], 104);
    let answers = answers(&mut session);
    assert_eq!(ids(&answers), [101, 102, 103]);
    assert_eq!(rpc::tool_text(rpc::result(&answers[0])), "slept");
    assert_eq!(rpc::result(&answers[1]), &json!({}));
    assert_eq!(rpc::tool_text(rpc::result(&answers[2])), "slept");
    assert_eq!(session.finish().success().stdout, "");
}

#[test]
fn one_request_is_answered_with_an_array_too() {
    let mut session = session();
    session.send_bytes(format!(" \t[{}] \r\n", ping(101)).as_bytes());
    assert_eq!(ids(&answers(&mut session)), [101]);
}

#[test]
fn what_is_large_comes_with_the_rest_of_its_array() {
    let mut session = Palisade::run(guest("returns-much")).start();
    session.initialize("2025-03-26");
    let text = |id: u64, bytes: usize| {
        rpc::request(
            id,
            "tools/call",
            rpc::tool("text", json!({ "bytes": bytes })),
        )
    };
    session.send(&json!([
        text(101, 3_000_000),
        ping(102),
        text(103, 2_000_000)
    ]));
    let answers = answers(&mut session);
    assert_eq!(ids(&answers), [101, 102, 103]);
    assert_eq!(rpc::tool_text(rpc::result(&answers[0])).len(), 3_000_000);
    assert_eq!(rpc::tool_text(rpc::result(&answers[2])).len(), 2_000_000);
    // An array with nothing else in it, read while the input ends.
    session.send(&json!([text(104, 3_000_000)]));
    session.end_input();
    let last = session.receive().unwrap();
    assert_eq!(rpc::tool_text(rpc::result(&last[0])).len(), 3_000_000);
}

#[test]
fn arrays_do_not_mix() {
    let mut session = session();
    session.send(&json!([nap(101, 200), ping(102)]));
    session.send(&json!([nap(103, 1), ping(104)]));
    assert_eq!(ids(&answers(&mut session)), [103, 104]);
    assert_eq!(ids(&answers(&mut session)), [101, 102]);
}

#[test]
fn where_nothing_is_to_be_answered_nothing_is_sent() {
    let mut session = session();
    let note = rpc::notification("notifications/roots/list_changed", Value::Null);
    let answer = json!({"jsonrpc": "2.0", "id": 9, "result": {}});
    for array in [
        json!([note]),
        json!([note, note, answer]),
        json!([cancel(77)]),
        json!([{"jsonrpc": "2.0", "result": {}}]),
    ] {
        let said = reactions(&mut session, &array.to_string());
        assert_eq!(said, [] as [Value; 0], "{array}");
    }
}

#[test]
fn what_is_invalid_gets_an_error_of_its_own() {
    let mut session = session();
    let array = json!([
        1,
        ping(101),
        "two",
        {"jsonrpc": "2.0", "id": 102},
        {"jsonrpc": "1.0", "id": 103, "method": "ping"},
        [ping(104)],
        rpc::request(105, "initialize", rpc::hello("2025-03-26")),
        rpc::request(106, "no/such/method", Value::Null),
        {},
    ]);
    session.send(&array);
    let answers = answers(&mut session);
    assert_eq!(answers.len(), 9, "{answers:?}");
    let (nobodys, own): (Vec<_>, Vec<_>) = answers
        .into_iter()
        .partition(|answer| answer["id"].is_null());
    assert_eq!(nobodys.len(), 4, "{nobodys:?}");
    for error in nobodys {
        assert_eq!(rpc::error_code(&error), INVALID_REQUEST, "{error}");
    }
    assert_eq!(ids(&own), [101, 102, 103, 105, 106]);
    assert_eq!(rpc::result(&own[0]), &json!({}));
    let codes: Vec<_> = own[1..].iter().map(rpc::error_code).collect();
    assert_eq!(
        codes,
        [INVALID_REQUEST, INVALID_REQUEST, INVALID_REQUEST, -32601]
    );
}

#[test]
fn an_array_that_is_none_or_too_much_gets_one_error() {
    let mut session = session();
    let many = Value::Array((1000..1101).map(ping).collect());
    for (line, code) in [
        ("[]".to_owned(), INVALID_REQUEST),
        (many.to_string(), INVALID_REQUEST),
        (format!("[{}", ping(101)), -32700),
        (format!("[{},]", ping(101)), -32700),
        (format!("[{}0]", "0,".repeat(300_000)), INVALID_REQUEST),
    ] {
        let said = reactions(&mut session, &line);
        let [error] = &said[..] else {
            panic!("{}: {said:?}", &line[..line.len().min(100)]);
        };
        assert_eq!(rpc::error_code(error), code, "{error}");
        assert!(error["id"].is_null(), "{error}");
    }
    // As many as are allowed.
    let most = Value::Array((1000..1100).map(ping).collect());
    session.send(&most);
    assert_eq!(answers(&mut session).len(), 100);
}

#[test]
fn what_is_cancelled_is_left_out() {
    let mut session = session();
    // From outside.
    session.send(&json!([nap(101, 60_000), ping(102)]));
    session.send(&cancel(101));
    assert_eq!(ids(&answers(&mut session)), [102]);
    // By the same array.
    session.send(&json!([nap(103, 60_000), cancel(103), ping(104)]));
    assert_eq!(ids(&answers(&mut session)), [104]);
    // By another array.
    session.send(&json!([nap(105, 60_000), ping(106)]));
    session.send(&json!([cancel(105), ping(107)]));
    let mut both = [ids(&answers(&mut session)), ids(&answers(&mut session))];
    both.sort_by_key(|ids| ids[0].as_u64());
    assert_eq!(both, [vec![json!(106)], vec![json!(107)]]);
    // All of it.
    let said = reactions(
        &mut session,
        &json!([nap(108, 60_000), cancel(108)]).to_string(),
    );
    assert_eq!(said, [] as [Value; 0]);
    assert_eq!(session.finish().success().stdout, "");
}

#[test]
fn one_id_twice_in_an_array_is_refused_the_second_time() {
    let mut session = session();
    session.send(&json!([nap(101, 100), ping(101)]));
    let answers = answers(&mut session);
    assert_eq!(ids(&answers), [101, 101]);
    let refused = answers
        .iter()
        .filter(|answer| answer.get("error").is_some());
    assert_eq!(
        refused.map(rpc::error_code).collect::<Vec<_>>(),
        [INVALID_REQUEST]
    );
}

/// More than may be open at once: the rest is read when there is room.
#[test]
fn many_arrays_of_many_requests() {
    let mut session = session();
    for array in 0..20 {
        let requests = (0..100).map(|one| ping(10_000 + array * 100 + one));
        session.send(&Value::Array(requests.collect()));
    }
    let mut all = Vec::new();
    for _ in 0..20 {
        let answers = answers(&mut session);
        assert_eq!(answers.len(), 100);
        all.extend(answers.iter().map(|answer| answer["id"].as_u64().unwrap()));
    }
    all.sort_unstable();
    assert_eq!(all, (10_000..12_000).collect::<Vec<_>>());
}

#[test]
fn no_other_revision_has_them() {
    for version in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let mut session = Palisade::run(guest("sleeps")).start();
        session.initialize(version);
        let said = reactions(&mut session, &json!([ping(101)]).to_string());
        assert_eq!(said.len(), 1, "{version}: {said:?}");
        assert_eq!(rpc::error_code(&said[0]), INVALID_REQUEST, "{version}");
    }
    // Nor is one the way to open a session.
    let mut session = Palisade::run(guest("sleeps")).start();
    session.send(&json!([rpc::request(
        1,
        "initialize",
        rpc::hello("2025-03-26")
    )]));
    assert_eq!(
        rpc::error_code(&session.receive().unwrap()),
        INVALID_REQUEST
    );
}
