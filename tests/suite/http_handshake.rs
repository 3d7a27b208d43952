//! Streamable HTTP opens sessions for the handshake revisions, and needs none
//! for the stateless one.

use palisade_tests::{Palisade, http::Server, plugin, rpc};
use serde_json::{Value, json};

fn hello() -> Server {
    Palisade::run(plugin("hello")).serve()
}

#[test]
fn the_line_on_standard_error_says_where_it_is() {
    let server = hello();
    let says = format!("palisade: serving hello at http://{}/mcp\n", server.address);
    assert_eq!(server.process.stderr(), says);
    assert!(server.address.ip().is_loopback());
}

#[test]
fn every_handshake_revision_gets_a_session() {
    let server = hello();
    for version in rpc::HANDSHAKE_REVISIONS {
        let mut session = server.session(version);
        assert!(session.id.len() >= 22, "{}", session.id);
        assert!(
            session.id.bytes().all(|byte| byte.is_ascii_graphic()),
            "{}",
            session.id
        );
        let tools = session.ask("tools/list", Value::Null);
        assert_eq!(
            rpc::result(&tools)["tools"][0]["name"],
            "greet",
            "{version}"
        );
        let result = session.call("greet", json!({"name": "Ada"}));
        assert_eq!(rpc::tool_text(&result), "Hello, Ada!", "{version}");
        assert!(result.get("resultType").is_none(), "{version}: {result}");
        assert_eq!(rpc::result(&session.ask("ping", Value::Null)), &json!({}));
        assert_eq!(session.delete(), 204, "{version}");
    }
}

#[test]
fn a_session_that_was_deleted_is_gone() {
    let server = hello();
    let session = server.session("2025-11-25");
    assert_eq!(session.delete(), 204);
    assert_eq!(session.delete(), 404);
    let ping = rpc::request(7, "ping", Value::Null);
    assert_eq!(session.post(&ping).send().status, 404);
    assert_eq!(session.listen(None).status, 404);
    // The others live on.
    let mut other = server.session("2025-06-18");
    rpc::result(&other.ask("ping", Value::Null));
}

#[test]
fn a_handshake_that_fails_opens_nothing() {
    let server = hello();
    let broken = rpc::request(1, "initialize", json!({"protocolVersion": 7}));
    let mut response = server.post(&broken).send();
    assert!(response.header("mcp-session-id").is_none());
    assert_eq!(rpc::error_code(&response.answer()), -32602);
}

#[test]
fn two_sessions_do_not_mix() {
    let server = Palisade::run(plugin("hello")).serve();
    let mut one = server.session("2025-11-25");
    let mut two = server.session("2025-03-26");
    assert_ne!(one.id, two.id);
    // Under the same ids, at the same time.
    let (mut of_one, id) = one.start("tools/call", rpc::tool("greet", json!({"name": "One"})));
    let (mut of_two, same) = two.start("tools/call", rpc::tool("greet", json!({"name": "Two"})));
    assert_eq!(id, same);
    let text = |answer: &Value| rpc::tool_text(rpc::result(answer));
    assert_eq!(text(&of_two.answer()), "Hello, Two!");
    assert_eq!(text(&of_one.answer()), "Hello, One!");
    assert_eq!(one.delete(), 204);
    rpc::result(&two.ask("ping", Value::Null));
}

#[test]
fn a_stateless_request_needs_nothing_before_it() {
    let server = hello();
    let greet = rpc::tool("greet", json!({"name": "Ada"}));
    let mut response = server.stateless(1, "tools/call", greet.clone()).send();
    assert_eq!(response.status, 200);
    assert!(response.header("mcp-session-id").is_none());
    let answer = response.json();
    let result = rpc::result(&answer);
    assert_eq!(rpc::tool_text(result), "Hello, Ada!");
    assert_eq!(result["resultType"], "complete");

    // A session's id is of no interest to it.
    let request = server.stateless(2, "tools/call", greet);
    let mut response = request.header("mcp-session-id", "nonsense").send();
    assert_eq!(rpc::tool_text(rpc::result(&response.json())), "Hello, Ada!");

    let mut response = server.stateless(3, "server/discover", Value::Null).send();
    let answer = response.json();
    assert!(
        rpc::result(&answer)["supportedVersions"].is_array(),
        "{answer}"
    );
}

#[test]
fn what_a_stateless_request_lacks_has_a_status() {
    let server = hello();
    let greet = || rpc::tool("greet", json!({"name": "Ada"}));
    let call = || server.stateless(1, "tools/call", greet());
    let version = "io.modelcontextprotocol/protocolVersion";
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    let with = |change: &dyn Fn(&mut Value)| {
        let mut params = rpc::stateless(greet());
        change(&mut params);
        call().json(&rpc::request(1, "tools/call", params))
    };
    let unknown = |params: &mut Value| params["_meta"][version] = json!("2099-01-01");
    let rows = [
        (
            "no version header",
            call().without("mcp-protocol-version"),
            400,
            -32020,
        ),
        (
            "another version",
            call().header("mcp-protocol-version", "2025-11-25"),
            400,
            -32020,
        ),
        (
            "no method header",
            call().without("mcp-method"),
            400,
            -32020,
        ),
        (
            "another method",
            call().header("mcp-method", "tools/list"),
            400,
            -32020,
        ),
        ("no name header", call().without("mcp-name"), 400, -32020),
        (
            "another name",
            call().header("mcp-name", "Greet"),
            400,
            -32020,
        ),
        (
            "no capabilities",
            with(&|params| {
                params["_meta"]
                    .as_object_mut()
                    .unwrap()
                    .remove(capabilities);
            }),
            400,
            -32602,
        ),
        (
            "a version only in the header",
            with(&|params| {
                params.as_object_mut().unwrap().remove("_meta");
            }),
            400,
            -32602,
        ),
        (
            "a version that is a number",
            with(&|params| params["_meta"][version] = json!(7)),
            400,
            -32602,
        ),
        (
            "a version that nobody knows",
            with(&unknown).header("mcp-protocol-version", "2099-01-01"),
            400,
            -32022,
        ),
        (
            "a method that nobody knows",
            server.stateless(1, "no/such/method", Value::Null),
            404,
            -32601,
        ),
        (
            "initialize",
            server.stateless(1, "initialize", rpc::hello("2026-07-28")),
            404,
            -32601,
        ),
        (
            "initialize with nothing",
            server.stateless(1, "initialize", Value::Null),
            404,
            -32601,
        ),
        (
            "ping",
            server.stateless(1, "ping", Value::Null),
            404,
            -32601,
        ),
        (
            "discover without a version",
            server.post(&rpc::request(1, "server/discover", Value::Null)),
            400,
            -32602,
        ),
    ];
    for (what, request, status, code) in rows {
        let mut response = request.send();
        assert_eq!(response.status, status, "{what}");
        let answer = response.json();
        assert_eq!(rpc::error_code(&answer), code, "{what}: {answer}");
        assert_eq!(answer["id"], 1, "{what}: {answer}");
    }
    // A name in base64 is the same name.
    let request = call().header("mcp-name", "=?base64?Z3JlZXQ=?=");
    rpc::result(&request.send().json());
}
