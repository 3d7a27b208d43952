//! A request of revision 2026-07-28 says everything about itself in `_meta`
//! and needs no session.

use palisade_tests::{Client, Palisade, Session, plugin, rpc};
use serde_json::{Value, json};

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

fn hello() -> Session {
    Palisade::run(plugin("hello")).start()
}

fn greet() -> Value {
    rpc::stateless(rpc::tool("greet", json!({"name": "Ada"})))
}

#[track_caller]
fn is_complete(result: &Value) {
    assert_eq!(result["resultType"], "complete", "{result}");
    assert_eq!(result["_meta"][SERVER_INFO]["name"], "hello", "{result}");
    assert!(
        result["_meta"][SERVER_INFO]["version"].is_string(),
        "{result}"
    );
}

#[track_caller]
fn says_how_long_it_holds(result: &Value) {
    assert!(result["ttlMs"].as_u64().is_some(), "{result}");
    let scope = result["cacheScope"].as_str();
    assert!(matches!(scope, Some("public" | "private")), "{result}");
}

#[test]
fn discover_says_what_is_here() {
    let mut session = hello();
    let response = session.ask("server/discover", rpc::stateless(Value::Null));
    let found = rpc::result(&response);
    is_complete(found);
    says_how_long_it_holds(found);
    assert!(found["capabilities"]["tools"].is_object(), "{found}");
    assert!(
        found.get("serverInfo").is_none(),
        "that is in _meta: {found}"
    );
    let versions: Vec<_> = found["supportedVersions"]
        .as_array()
        .unwrap()
        .iter()
        .collect();
    for version in rpc::HANDSHAKE_REVISIONS.into_iter().chain([rpc::STATELESS]) {
        assert!(
            versions.contains(&&json!(version)),
            "{version} is not among {versions:?}"
        );
    }
}

#[test]
fn tools_are_listed_and_called_with_nothing_before() {
    let mut session = hello();
    let response = session.ask("tools/call", greet());
    let result = rpc::result(&response);
    is_complete(result);
    assert_eq!(rpc::tool_text(result), "Hello, Ada!");
    assert!(
        result.get("ttlMs").is_none(),
        "a call is not to be cached: {result}"
    );

    let response = session.ask("tools/list", rpc::stateless(Value::Null));
    let result = rpc::result(&response);
    is_complete(result);
    says_how_long_it_holds(result);
    assert_eq!(result["tools"][0]["name"], "greet");
}

#[test]
fn a_call_that_fails_is_complete_too() {
    let mut session = hello();
    let wrong = rpc::stateless(rpc::tool("greet", json!({"name": " "})));
    let response = session.ask("tools/call", wrong);
    let result = rpc::result(&response);
    is_complete(result);
    assert!(
        rpc::tool_error(result).contains("the name is empty"),
        "{result}"
    );
}

#[test]
fn a_real_client_discovers_and_calls() {
    let client = Client::connect(&Palisade::run(plugin("hello")));
    assert_eq!(client.revision(), rpc::STATELESS);
    assert_eq!(client.tools()[0].name, "greet");
    let result = client.call("greet", json!({"name": "Ada"}));
    assert_eq!(rpc::tool_text(&result), "Hello, Ada!");
    assert_eq!(client.close(), Some(0));
}

#[test]
fn a_required_key_that_is_missing_is_named() {
    let mut session = hello();
    for method in ["server/discover", "tools/list", "tools/call"] {
        let mut params = greet();
        params["_meta"]
            .as_object_mut()
            .unwrap()
            .remove(CAPABILITIES);
        let response = session.ask(method, params);
        assert_eq!(rpc::error_code(&response), -32602, "{method}");
        assert!(
            response.to_string().contains(CAPABILITIES),
            "{method}: {response}"
        );
    }
}

#[test]
fn discover_without_a_version_is_refused_as_modern_servers_do() {
    let mut session = hello();
    for params in [
        Value::Null,
        json!({}),
        json!({"_meta": {}}),
        json!({"_meta": {CAPABILITIES: {}}}),
    ] {
        let response = session.ask("server/discover", params.clone());
        assert_eq!(rpc::error_code(&response), -32602, "{params}");
    }
}

#[test]
fn an_optional_key_may_be_missing() {
    let mut session = hello();
    let mut params = greet();
    params["_meta"]
        .as_object_mut()
        .unwrap()
        .remove("io.modelcontextprotocol/clientInfo");
    rpc::result(&session.ask("tools/call", params));
}

#[test]
fn an_unsupported_version_is_told_what_is_supported() {
    let mut session = hello();
    for method in ["server/discover", "tools/list", "tools/call"] {
        let mut params = greet();
        params["_meta"][VERSION] = json!("2099-01-01");
        let response = session.ask(method, params);
        assert_eq!(rpc::error_code(&response), -32022, "{method}: {response}");
        let data = &response["error"]["data"];
        assert_eq!(data["requested"], "2099-01-01", "{response}");
        let supported = data["supported"].as_array().unwrap();
        assert!(supported.contains(&json!(rpc::STATELESS)), "{response}");
    }
}

#[test]
fn nonsense_in_meta_is_refused() {
    let mut session = hello();
    let wrong = [
        (VERSION, json!(7)),
        (VERSION, Value::Null),
        (CAPABILITIES, json!("all of them")),
        ("io.modelcontextprotocol/logLevel", json!("shouting")),
    ];
    for (key, value) in wrong {
        let mut params = greet();
        params["_meta"][key] = value.clone();
        let code = rpc::error_code(&session.ask("tools/call", params));
        assert_eq!(code, -32602, "{key} = {value}");
    }
}

#[test]
fn what_the_revision_has_removed_is_an_unknown_method() {
    let mut session = hello();
    let initialize = rpc::hello(rpc::STATELESS);
    for (method, params) in [
        ("initialize", Value::Null),
        ("initialize", initialize),
        ("ping", Value::Null),
        ("logging/setLevel", json!({"level": "debug"})),
        ("resources/subscribe", json!({"uri": "x:y"})),
        ("resources/unsubscribe", json!({"uri": "x:y"})),
        ("no/such/method", Value::Null),
        ("prompts/list", Value::Null),
    ] {
        let code = rpc::error_code(&session.ask(method, rpc::stateless(params)));
        assert_eq!(code, -32601, "{method}");
    }
}

#[test]
fn unusable_parameters_are_refused() {
    let mut session = hello();
    for params in [
        json!({}),
        json!({"name": 7}),
        json!({"name": "greet", "arguments": []}),
        json!({"name": "no such tool", "arguments": {}}),
    ] {
        let code = rpc::error_code(&session.ask("tools/call", rpc::stateless(params.clone())));
        assert_eq!(code, -32602, "{params}");
    }
}

/// A revision with sessions is not spoken without one.
#[test]
fn an_older_version_is_for_sessions() {
    let mut session = hello();
    for version in rpc::HANDSHAKE_REVISIONS {
        let mut params = greet();
        params["_meta"][VERSION] = json!(version);
        let response = session.ask("tools/call", params);
        assert_eq!(rpc::error_code(&response), -32022, "{response}");
        let supported = &response["error"]["data"]["supported"];
        assert_eq!(supported, &json!([rpc::STATELESS]));
    }
}
