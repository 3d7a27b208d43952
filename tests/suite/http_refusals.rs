//! What can't be served over HTTP is refused with the status that says why,
//! in the order in which it is looked at.

use palisade_tests::{Palisade, http::Server, plugin, rpc};
use serde_json::{Value, json};

fn hello() -> Server {
    Palisade::run(plugin("hello")).serve()
}

fn ping() -> Value {
    rpc::request(1, "ping", Value::Null)
}

#[test]
fn each_refusal_has_its_status() {
    let server = hello();
    let initialize = rpc::request(1, "initialize", rpc::hello("2025-11-25"));
    let post = || server.post(&initialize);
    let rows = [
        ("another path", post().path("/"), 404),
        ("a path below", post().path("/mcp/x"), 404),
        ("no type of content", post().without("content-type"), 415),
        ("text", post().header("content-type", "text/plain"), 415),
        ("compressed", post().header("content-encoding", "gzip"), 415),
        (
            "another charset",
            post().header("content-type", "application/json; charset=utf-16"),
            415,
        ),
        ("nothing accepted", post().without("accept"), 406),
        (
            "only JSON accepted",
            post().header("accept", "application/json"),
            406,
        ),
        (
            "only events accepted",
            post().header("accept", "text/event-stream"),
            406,
        ),
        ("no JSON", post().body("{"), 400),
        ("no body", post().body(""), 400),
        ("not UTF-8", post().body(&b"\xff"[..]), 400),
        ("a number", post().body("7"), 400),
        (
            "an array without a session",
            post().json(&json!([initialize])),
            400,
        ),
        ("no session", server.post(&ping()), 400),
        (
            "a session that is none",
            server.post(&ping()).header("mcp-session-id", "x"),
            404,
        ),
        (
            "a version that is none",
            post().header("mcp-protocol-version", "1999-01-01"),
            400,
        ),
        ("GET without a session", server.request("GET"), 400),
        (
            "GET of a page",
            server.request("GET").header("accept", "text/html"),
            406,
        ),
        ("DELETE without a session", server.request("DELETE"), 400),
        ("PUT", server.request("PUT"), 405),
        ("HEAD", server.request("HEAD"), 405),
        ("OPTIONS", server.request("OPTIONS"), 405),
        (
            "stateless GET",
            server
                .request("GET")
                .header("mcp-protocol-version", "2026-07-28"),
            405,
        ),
        (
            "stateless DELETE",
            server
                .request("DELETE")
                .header("mcp-protocol-version", "2026-07-28"),
            405,
        ),
    ];
    for (what, request, status) in rows {
        let is_head = what == "HEAD";
        let mut response = request.send();
        let said = response.text();
        assert_eq!(response.status, status, "{what}: {said}");
        if status == 405 {
            let allowed = response.header("allow").unwrap();
            assert!(allowed.contains("POST"), "{what}: {allowed}");
        }
        if !is_head {
            let error: Value = serde_json::from_str(&said).unwrap();
            assert!(error.get("id").is_none(), "{what}: {error}");
            rpc::error_code(&error);
        }
    }
}

#[test]
fn a_body_that_is_no_json_is_a_parse_error() {
    let server = hello();
    let code = rpc::error_code(&server.post(&ping()).body("{\"jsonrpc\"").send().json());
    assert_eq!(code, -32700);
}

#[test]
fn within_a_session_versions_and_ids_are_checked() {
    let server = hello();
    let session = server.session("2025-06-18");
    let post = || session.post(&ping());
    let rows = [
        (
            "a version that is none",
            post().header("mcp-protocol-version", "1999-01-01"),
            400,
        ),
        ("another session", post().header("mcp-session-id", "x"), 404),
        ("an array", session.post(&json!([ping()])), 400),
        (
            "an event that never was",
            session.request("GET").header("last-event-id", "7-7"),
            400,
        ),
        (
            "an event id that is none",
            session.request("GET").header("last-event-id", "x"),
            400,
        ),
    ];
    for (what, request, status) in rows {
        let mut response = request.send();
        let said = response.text();
        assert_eq!(response.status, status, "{what}: {said}");
    }
    // Older clients send no version.
    let mut response = post().without("mcp-protocol-version").send();
    rpc::result(&response.answer());
}

#[test]
fn an_id_may_not_be_used_twice_at_a_time() {
    let server = Palisade::run(palisade_tests::guest("sleeps")).serve();
    let session = server.session("2025-11-25");
    let nap = |ms: u64| rpc::request("a", "tools/call", rpc::tool("nap", json!({"ms": ms})));
    let mut first = session.post(&nap(3_000)).send();
    let mut second = session.post(&nap(1)).send();
    assert_eq!(rpc::error_code(&second.answer()), -32600);
    assert_eq!(rpc::tool_text(rpc::result(&first.answer())), "slept");
    let mut third = session.post(&nap(1)).send();
    assert_eq!(rpc::tool_text(rpc::result(&third.answer())), "slept");
}

#[test]
fn a_mistake_in_a_sound_request_is_answered() {
    let server = hello();
    let mut session = server.session("2025-11-25");
    let unknown = session.ask("no/such/method", Value::Null);
    assert_eq!(rpc::error_code(&unknown), -32601);
    let wrong = session.ask("tools/call", json!({"name": 7}));
    assert_eq!(rpc::error_code(&wrong), -32602);
}
