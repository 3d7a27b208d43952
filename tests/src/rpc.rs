//! JSON-RPC messages as MCP has them.

use serde_json::{Value, json};

/// Every revision that is opened with `initialize`, oldest first.
pub const HANDSHAKE_REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The revision without a handshake.
pub const STATELESS: &str = "2026-07-28";

/// A request.
#[must_use]
pub fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    let mut message = json!({"jsonrpc": "2.0", "id": id.into(), "method": method});
    if !params.is_null() {
        message["params"] = params;
    }
    message
}

/// A notification.
#[must_use]
pub fn notification(method: &str, params: Value) -> Value {
    let mut message = json!({"jsonrpc": "2.0", "method": method});
    if !params.is_null() {
        message["params"] = params;
    }
    message
}

/// The parameters of `initialize`.
#[must_use]
pub fn hello(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    })
}

/// `params` (an object, or null for none) with the `_meta` that makes a
/// request one of the stateless revision.
///
/// # Panics
///
/// If `params` is something else.
#[must_use]
pub fn stateless(params: Value) -> Value {
    stateless_at(STATELESS, params)
}

/// [`stateless`] for another version.
///
/// # Panics
///
/// If `params` is neither an object nor null.
#[must_use]
pub fn stateless_at(version: &str, params: Value) -> Value {
    let mut params = if params.is_null() { json!({}) } else { params };
    assert!(params.is_object(), "params are an object: {params}");
    let meta = [
        ("protocolVersion", json!(version)),
        ("clientCapabilities", json!({})),
        ("clientInfo", json!({"name": "tests", "version": "1"})),
    ];
    for (key, value) in meta {
        params["_meta"][format!("io.modelcontextprotocol/{key}")] = value;
    }
    params
}

/// The parameters of `tools/call`.
#[must_use]
pub fn tool(name: &str, arguments: Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

/// The result in a response.
///
/// # Panics
///
/// If it holds none.
#[track_caller]
pub fn result(response: &Value) -> &Value {
    let result = response.get("result");
    result.unwrap_or_else(|| panic!("this is no result: {response}"))
}

/// The error code in a response, whose message must say something.
///
/// # Panics
///
/// If it holds no error, or one without words.
#[track_caller]
pub fn error_code(response: &Value) -> i64 {
    let error = response.get("error");
    let error = error.unwrap_or_else(|| panic!("this is no error: {response}"));
    let says = error["message"].as_str().unwrap_or_default();
    assert!(!says.is_empty(), "an error without words: {response}");
    assert!(
        response.get("result").is_none(),
        "both result and error: {response}"
    );
    error["code"].as_i64().expect("an error code is an integer")
}

/// All text of a tool's result, one block a line.
///
/// # Panics
///
/// If there is no content.
#[track_caller]
pub fn text(result: &Value) -> String {
    let content = result["content"].as_array();
    let content = content.unwrap_or_else(|| panic!("this is no tool result: {result}"));
    let texts: Vec<_> = content
        .iter()
        .filter_map(|block| block["text"].as_str())
        .collect();
    texts.join("\n")
}

/// What a tool says has gone wrong.
///
/// # Panics
///
/// If the result does not say that something has.
#[track_caller]
pub fn tool_error(result: &Value) -> String {
    assert_eq!(result["isError"], true, "this is no failure: {result}");
    text(result)
}

/// What a tool says that has worked.
///
/// # Panics
///
/// If the result says that it has not.
#[track_caller]
pub fn tool_text(result: &Value) -> String {
    assert_ne!(result["isError"], true, "the tool failed: {result}");
    text(result)
}
