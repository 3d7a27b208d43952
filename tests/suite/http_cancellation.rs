//! What ends a call over HTTP, and what does not.

use std::time::{Duration, Instant};

use palisade_tests::{
    Palisade, guest,
    http::{HttpSession, Response, Server},
    plugin, rpc,
};
use serde_json::{Value, json};

/// What a guest that is stopped may still compute, on a busy machine.
const AT_ONCE: Duration = Duration::from_secs(1);

/// What a server may compute while nothing happens.
const IDLE: Duration = Duration::from_millis(50);

fn spinning() -> Server {
    Palisade::run(guest("loops-forever")).serve()
}

/// Waits until the server computes no more. It may go on for less than the
/// guest's own allowance, which would end it as well.
#[track_caller]
fn until_idle(server: &Server) {
    let start = server.process.process.cpu_time();
    loop {
        let before = server.process.process.cpu_time();
        assert!(before - start < AT_ONCE, "it still computes");
        // No event tells that nothing happens.
        let watch = Instant::now();
        while watch.elapsed() < Duration::from_millis(200) {
            std::thread::yield_now();
        }
        if server.process.process.cpu_time() - before <= IDLE {
            return;
        }
    }
}

/// Starts a call that computes for ever, and waits until it is at it.
fn spin(server: &mut Server, session: &mut HttpSession) -> (Response, u64) {
    let before = server.process.process.cpu_time();
    let started = session.start("tools/call", rpc::tool("spin", json!({})));
    server
        .process
        .until_busy(before + Duration::from_millis(100));
    started
}

#[test]
fn a_stateless_call_ends_with_its_connection() {
    let mut server = spinning();
    // No response begins before there is something to say: so the request is
    // given up, which closes its connection.
    let before = server.process.process.cpu_time();
    let request = server.stateless(1, "tools/call", rpc::tool("spin", json!({})));
    let sent = request.send_for(Duration::from_millis(500));
    assert!(sent.is_none(), "it answered");
    server
        .process
        .until_busy(before + Duration::from_millis(100));
    until_idle(&server);
}

#[test]
fn a_stateless_stream_ends_with_its_connection() {
    let mut server = spinning();
    let spin = rpc::tool("spin", json!({}));
    let response = server.stateless(1, "tools/call", spin).send();
    // By now, the stream has begun: without an answer, after some seconds.
    assert_eq!(
        response.header("content-type").as_deref(),
        Some("text/event-stream")
    );
    let before = server.process.process.cpu_time();
    server
        .process
        .until_busy(before + Duration::from_millis(50));
    drop(response);
    until_idle(&server);
}

#[test]
fn a_call_of_a_session_outlives_its_connection_but_not_the_session() {
    let mut server = spinning();
    let mut session = server.session("2025-11-25");
    let (call, _) = spin(&mut server, &mut session);
    drop(call);
    let before = server.process.process.cpu_time();
    server
        .process
        .until_busy(before + Duration::from_millis(300));
    assert_eq!(session.delete(), 204);
    until_idle(&server);
}

#[test]
fn a_call_that_is_cancelled_ends_and_so_does_its_stream() {
    let mut server = spinning();
    let mut session = server.session("2025-11-25");
    let (mut call, id) = spin(&mut server, &mut session);
    let cancelled = rpc::notification("notifications/cancelled", json!({"requestId": id}));
    assert_eq!(session.post(&cancelled).send().status, 202);
    assert_eq!(call.messages(), Vec::<Value>::new());
    until_idle(&server);
    rpc::result(&session.ask("ping", Value::Null));
}

#[test]
fn a_session_that_nobody_needs_ends_by_itself() {
    let server = Palisade::run(guest("sleeps"))
        .arg("--session-idle")
        .arg("3")
        .serve();
    let mut session = server.session("2025-11-25");
    let listened = server.session("2025-11-25");
    let mut listener = listened.listen(None);
    listener.event().unwrap();
    // It lives while something runs.
    let nap = session.call("nap", json!({"ms": 4_500}));
    assert_eq!(rpc::tool_text(&nap), "slept");
    rpc::result(&session.ask("ping", Value::Null));
    // Then it does not.
    let since = Instant::now();
    let ping = rpc::request(99, "ping", Value::Null);
    let idle = server.session("2025-11-25");
    assert!(listener.is_quiet(Duration::from_secs(7)));
    assert_eq!(idle.post(&ping).send().status, 404, "{:?}", since.elapsed());
    assert_eq!(session.post(&ping).send().status, 404);
    // Where somebody listened, it did all the time.
    assert_eq!(listened.post(&ping).send().status, 200);
}

#[test]
fn there_are_only_so_many_sessions() {
    let server = Palisade::run(guest("sleeps"))
        .arg("--max-sessions")
        .arg("2")
        .serve();
    let one = server.session("2025-11-25");
    let _two = server.session("2025-11-25");
    let hello = rpc::request(1, "initialize", rpc::hello("2025-11-25"));
    let refused = server.post(&hello).send();
    assert_eq!(refused.status, 503);
    assert!(refused.header("retry-after").is_some());
    assert!(refused.header("mcp-session-id").is_none());
    assert_eq!(one.delete(), 204);
    let _three = server.session("2025-11-25");
}

/// A question that nobody is there to answer does not keep its session.
#[test]
fn a_session_that_waits_for_its_client_is_idle() {
    let server = Palisade::run(plugin("everything"))
        .arg("--session-idle")
        .arg("1")
        .arg("--max-sessions")
        .arg("1")
        .serve();
    let mut session = server.session_with("2025-11-25", json!({"elicitation": {}}));
    let tool = rpc::tool("test_input_required_result_elicitation", json!({}));
    let (mut call, _) = session.start("tools/call", tool);
    while call.event().unwrap().data.is_empty() {}
    drop(call);
    let until = Instant::now() + Duration::from_secs(30);
    let hello = rpc::request(1, "initialize", rpc::hello("2025-11-25"));
    while server.post(&hello).send().status == 503 {
        assert!(Instant::now() < until, "the session is still there");
    }
}
