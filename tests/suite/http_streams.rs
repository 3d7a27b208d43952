//! The streams of a session: what belongs where, and what becomes of it when a
//! connection breaks.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use palisade_tests::{
    Palisade, guest,
    http::{Event, HttpSession, Response, Server},
    plugin, rpc,
};
use serde_json::{Value, json};

use crate::questions_stage::accept;

fn serve(name: &str) -> Server {
    Palisade::run(guest(name)).serve()
}

/// Starts a call that tells of its progress in so many steps.
fn progress(session: &mut HttpSession, steps: u32) -> (Response, u64) {
    let mut params = rpc::tool("progress", json!({"steps": steps}));
    params["_meta"] = json!({"progressToken": "t"});
    session.start("tools/call", params)
}

/// The events up to the end of a stream, without those that say nothing.
fn rest(response: &mut Response) -> Vec<Event> {
    std::iter::from_fn(|| response.event())
        .filter(|event| !event.data.is_empty())
        .collect()
}

#[test]
fn what_a_call_says_comes_on_its_own_stream() {
    let server = serve("chatty");
    let mut session = server.session("2025-11-25");
    let mut standalone = session.listen(None);
    let (mut call, id) = progress(&mut session, 5);
    let messages = call.messages();
    assert_eq!(messages.len(), 6, "{messages:?}");
    for (number, message) in (1..).zip(&messages[..5]) {
        assert_eq!(message["method"], "notifications/progress");
        assert_eq!(
            message["params"]["progress"].as_f64(),
            Some(f64::from(number))
        );
    }
    assert_eq!(messages[5]["id"], id);
    let (mut call, _) = session.start("tools/call", rpc::tool("logs", json!({"count": 3})));
    assert_eq!(call.messages().len(), 4);
    // The event that says nothing, and nothing else.
    assert_eq!(standalone.event().unwrap().data, "");
    assert!(standalone.is_quiet(Duration::from_millis(200)));
}

#[test]
fn streams_begin_as_the_revision_has_it() {
    let server = serve("chatty");
    let mut session = server.session("2025-11-25");
    let (mut call, _) = progress(&mut session, 1);
    assert_eq!(
        call.header("content-type").as_deref(),
        Some("text/event-stream")
    );
    assert_eq!(call.header("x-accel-buffering").as_deref(), Some("no"));
    let first = call.event().unwrap();
    assert_eq!(first.data, "");
    assert!(first.id.is_some() && first.retry.is_some(), "{first:?}");

    // Older clients could not read it.
    for version in ["2025-03-26", "2025-06-18"] {
        let mut session = server.session(version);
        let (mut call, _) = progress(&mut session, 1);
        let first = call.event().unwrap();
        assert_eq!(first.message()["method"], "notifications/progress");
        assert!(first.id.is_some() && first.retry.is_some(), "{first:?}");
    }
}

#[test]
fn ids_are_never_used_twice_in_a_session() {
    let server = serve("chatty");
    let mut session = server.session("2025-11-25");
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(session.listen(None).event().unwrap().id.unwrap());
        let (mut call, _) = progress(&mut session, 3);
        ids.extend(std::iter::from_fn(|| call.event()).map(|event| event.id.unwrap()));
    }
    let all = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

#[test]
fn after_a_break_everything_comes_once() {
    let server = serve("chatty");
    let mut session = server.session("2025-11-25");
    for read in 1..8 {
        let (mut call, id) = progress(&mut session, 6);
        let mut got: Vec<_> = (0..read).map_while(|_| call.event()).collect();
        drop(call);
        // What was on its way is lost with the connection.
        let last = got.last().unwrap().id.clone().unwrap();
        let mut again = session.listen(Some(&last));
        got.extend(rest(&mut again));
        got.retain(|event| !event.data.is_empty());
        let messages: Vec<_> = got.iter().map(Event::message).collect();
        assert_eq!(messages.len(), 7, "after {read}: {messages:?}");
        for (number, message) in (1..).zip(&messages[..6]) {
            let progress = message["params"]["progress"].as_f64();
            assert_eq!(progress, Some(f64::from(number)), "after {read}");
        }
        assert_eq!(messages[6]["id"], id);
    }
}

#[test]
fn an_answer_that_came_while_nobody_listened_is_kept() {
    let server = serve("sleeps");
    let mut session = server.session("2025-11-25");
    let (mut call, id) = session.start("tools/call", rpc::tool("nap", json!({"ms": 300})));
    let primed = call.event().unwrap().id.unwrap();
    drop(call);
    // A call beside it that takes longer: by then, the first one is done.
    session.call("nap", json!({"ms": 600}));
    let mut again = session.listen(Some(&primed));
    let events = rest(&mut again);
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(events[0].message()["id"], id);
    assert_eq!(rpc::tool_text(rpc::result(&events[0].message())), "slept");
    // Having got it, the client may ask once more and gets nothing.
    let last = events[0].id.clone().unwrap();
    assert!(rest(&mut session.listen(Some(&last))).is_empty());
    // That it got nothing, on the other hand, is for the client to say.
    assert_eq!(rest(&mut session.listen(Some(&primed))).len(), 1);
}

#[test]
fn a_stream_is_gone_on_with_while_it_runs() {
    let server = serve("sleeps");
    let mut session = server.session("2025-11-25");
    let (mut call, id) = session.start("tools/call", rpc::tool("nap", json!({"ms": 700})));
    let primed = call.event().unwrap().id.unwrap();
    let mut again = session.listen(Some(&primed));
    // Who read it before is at the end of it.
    call.until_end();
    let messages = again.messages();
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0]["id"], id);
}

/// A question is a request of the host on the stream of the call: it comes once,
/// and its answer may go by another connection.
#[test]
fn a_question_survives_a_break() {
    let server = Palisade::run(plugin("everything")).serve();
    let mut session = server.session_with("2025-11-25", json!({"elicitation": {}}));
    let tool = rpc::tool("test_input_required_result_elicitation", json!({}));
    let (mut call, id) = session.start("tools/call", tool);
    let primed = call.event().unwrap().id.unwrap();
    drop(call);
    let mut again = session.listen(Some(&primed));
    let asked = again.event().unwrap();
    let question = asked.message();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    drop(again);
    let mut again = session.listen(asked.id.as_deref());
    let answer = json!({
        "jsonrpc": "2.0",
        "id": question["id"],
        "result": accept(json!({"name": "Ada"})),
    });
    assert_eq!(session.post(&answer).send().status, 202);
    let messages = again.messages();
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert_eq!(messages[0]["id"], id);
    let told = rpc::tool_text(rpc::result(&messages[0]));
    assert_eq!(told, "Hello, Ada!");
}

#[test]
fn another_session_can_not_go_on_with_it() {
    let server = serve("chatty");
    let mut one = server.session("2025-11-25");
    let two = server.session("2025-11-25");
    let (mut call, _) = progress(&mut one, 3);
    let primed = call.event().unwrap().id.unwrap();
    drop(call);
    assert_eq!(two.listen(Some(&primed)).status, 400);
    assert_eq!(rest(&mut one.listen(Some(&primed))).len(), 4);
}

#[test]
fn the_newest_listener_of_a_session_is_the_one() {
    let server = serve("chatty");
    let session = server.session("2025-11-25");
    let mut first = session.listen(None);
    first.event().unwrap();
    let mut second = session.listen(None);
    second.event().unwrap();
    first.until_end();
    assert!(second.is_quiet(Duration::from_millis(100)));
}

#[test]
fn arrays_are_served_where_the_revision_has_them() {
    let server = Palisade::run(plugin("hello")).serve();
    let session = server.session("2025-03-26");
    let greet = |id: u64, name: &str| {
        rpc::request(id, "tools/call", rpc::tool("greet", json!({"name": name})))
    };
    let note = rpc::notification("notifications/roots/list_changed", Value::Null);
    let batch = json!([
        greet(10, "Ada"),
        note.clone(),
        {"jsonrpc": "2.0", "id": 11},
        greet(12, "Bob"),
        rpc::request(13, "initialize", rpc::hello("2025-03-26")),
    ]);
    let mut answers = session.post(&batch).send().messages();
    assert_eq!(answers.len(), 4, "{answers:?}");
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let ids: Vec<_> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [10, 11, 12, 13]);
    let text = |answer: &Value| rpc::tool_text(rpc::result(answer));
    assert_eq!(text(&answers[0]), "Hello, Ada!");
    assert_eq!(rpc::error_code(&answers[1]), -32600);
    assert_eq!(text(&answers[2]), "Hello, Bob!");
    assert_eq!(rpc::error_code(&answers[3]), -32600);

    let nothing = session.post(&json!([note.clone(), note])).send();
    assert_eq!(nothing.status, 202);
    let mut empty = session.post(&json!([])).send();
    assert_eq!(empty.status, 400);
    assert_eq!(rpc::error_code(&empty.json()), -32600);
}

/// A request of a session that has been sent is carried out, whatever becomes of
/// its connection.
#[test]
fn a_request_outlives_its_connection() {
    const REQUESTS: usize = 20;
    let folder = tempfile::tempdir().unwrap();
    let server = Palisade::run(plugin("filesystem"))
        .root("here", folder.path(), "rw")
        .serve();
    let session = server.session("2025-11-25");
    for id in 0..REQUESTS {
        let write = json!({"path": format!("/here/{id}"), "content": "x"});
        let call = rpc::request(id + 10, "tools/call", rpc::tool("write_file", write));
        let body = call.to_string();
        let mut stream = TcpStream::connect(server.address).unwrap();
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             Mcp-Session-Id: {}\r\nMcp-Protocol-Version: 2025-11-25\r\n\
             Content-Length: {}\r\n\r\n{body}",
            session.id,
            body.len()
        )
        .unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        // Until the server closes its half as well.
        let _ = stream.read_to_end(&mut Vec::new());
    }
    let until = Instant::now() + Duration::from_secs(30);
    while std::fs::read_dir(folder.path()).unwrap().count() < REQUESTS {
        assert!(Instant::now() < until, "some were lost");
        // Each answer is an event to wait for.
        let ping = rpc::request(5, "ping", Value::Null);
        assert_eq!(session.post(&ping).send().status, 200);
    }
}
