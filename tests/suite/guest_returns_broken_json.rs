//! JSON that a guest gets wrong becomes a tool error that says so. The client
//! never has to read it.

use palisade_tests::stage::{done, open};
use palisade_tests::{Palisade, Session, guest, rpc};
use serde_json::{Value, json};

/// None of it is JSON.
const BROKEN: [&str; 14] = [
    "",
    "{",
    "{\"a\": 1",
    "{\"a\": 1}}",
    "{a: 1}",
    "{'a': 1}",
    "[1, 2,]",
    "NaN",
    "-Infinity",
    "1e999",
    "\"\\ud800\"",
    "\"\n\"",
    "nul",
    "{} {}",
];

fn session() -> Session {
    open(&Palisade::run(guest("broken-json")))
}

fn with(text: &str) -> Value {
    json!({"text": text})
}

#[test]
fn as_structured_content() {
    let mut session = session();
    for text in BROKEN {
        let result = session.call("structured", with(text));
        let why = rpc::tool_error(&result);
        assert!(why.contains("structured content"), "{text:?}: {why}");
        assert!(why.contains("not valid JSON"), "{text:?}: {why}");
        assert!(result.get("structuredContent").is_none(), "{result}");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    rpc::tool_error(&session.call("structured", with(&deep)));

    let result = session.call("structured", with("{\"a\": [1, \"zwei\", null]}"));
    assert_eq!(result["structuredContent"], json!({"a": [1, "zwei", null]}));
    // Clients that know no structured content read the text.
    let text: Value = serde_json::from_str(&rpc::tool_text(&result)).unwrap();
    assert_eq!(text, result["structuredContent"]);
}

#[test]
fn as_meta() {
    let mut session = session();
    for text in BROKEN.into_iter().chain(["[]", "7", "null", "\"text\""]) {
        let result = session.call("meta", with(text));
        let why = rpc::tool_error(&result);
        assert!(why.contains("_meta"), "{text:?}: {why}");
        assert!(result.get("_meta").is_none(), "{result}");
    }
    let result = session.call("meta", with("{\"example.com/a\": 1}"));
    assert_eq!(result["_meta"], json!({"example.com/a": 1}));
}

#[test]
fn as_a_blocks_meta() {
    let mut session = session();
    for text in BROKEN.into_iter().chain(["[]", "7", "null"]) {
        let result = session.call("block_meta", with(text));
        let why = rpc::tool_error(&result);
        assert!(why.contains("_meta"), "{text:?}: {why}");
    }
    let result = session.call("block_meta", with("{\"example.com/a\": 1}"));
    assert_eq!(result["content"][0]["_meta"], json!({"example.com/a": 1}));
}

/// There is nobody to blame but the plugin, and the error itself stands.
#[test]
fn as_the_data_of_an_error() {
    let mut session = session();
    for text in BROKEN {
        let call = rpc::tool("error_data", with(text));
        let response = session.ask("tools/call", call);
        assert_eq!(rpc::error_code(&response), -32603, "{text:?}");
        assert_eq!(response["error"]["message"], "with data");
        assert!(response["error"].get("data").is_none(), "{response}");
    }
    let call = rpc::tool("error_data", with("{\"a\": 1}"));
    let response = session.ask("tools/call", call);
    assert_eq!(response["error"]["data"], json!({"a": 1}));
}

/// A log message is worth having even so: as text.
#[test]
fn as_a_log_message() {
    let mut session = session();
    for text in BROKEN.into_iter().filter(|text| !text.is_empty()) {
        assert_eq!(done(&mut session, "log", with(text)), "logged");
        let messages = session.take_others();
        assert_eq!(messages.len(), 1, "{messages:?}");
        assert_eq!(messages[0]["params"]["data"], text);
    }
}

#[test]
fn against_its_own_schema() {
    let mut session = session();
    for text in ["{}", "{\"n\": 1.5}", "{\"n\": \"1\"}", "[]", "7", "null"] {
        let result = session.call("against_schema", with(text));
        let why = rpc::tool_error(&result);
        assert!(why.contains("output schema"), "{text:?}: {why}");
        assert!(result.get("structuredContent").is_none(), "{result}");
    }
    let why = rpc::tool_error(&session.call("against_schema", with("")));
    assert!(why.contains("no structured content"), "{why}");
    let result = session.call("against_schema", with("{\"n\": 7}"));
    assert_eq!(result["structuredContent"], json!({"n": 7}));
    // A failure need not have the shape of a success.
    let result = session.call("failed_against_schema", with("why"));
    assert_eq!(rpc::tool_error(&result), "why");
}

#[test]
fn numbers_that_json_or_mcp_do_not_have() {
    let mut session = session();
    let result = session.call("priority", with(""));
    rpc::tool_text(&result);
    let blocks = result["content"].as_array().unwrap();
    assert_eq!(blocks.len(), 6);
    for block in blocks {
        let priority = &block["annotations"]["priority"];
        if block["text"] == "0.5" {
            assert_eq!(*priority, 0.5);
        } else {
            assert!(priority.is_null(), "{block}");
        }
    }
}

/// A terminal may be behind any client, and obeys any text it is shown.
#[test]
fn what_steers_a_terminal_is_taken_out_everywhere() {
    let mut session = session();
    let text = "\u{1b}[2Jred\u{9b}31m\u{7}\ttab\nline";
    let result = session.call("everywhere", with(text));
    rpc::tool_text(&result);
    let mut places = Vec::new();
    collect_strings(&result["content"], "", &mut places);
    let steering: Vec<_> = places
        .iter()
        .filter(|(_, text)| text.contains(|c: char| c.is_control() && !"\t\n\r".contains(c)))
        .map(|(place, _)| place.as_str())
        .collect();
    assert_eq!(steering, [""; 0], "{result:#}");
}

fn collect_strings(value: &Value, place: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) => found.push((place.to_owned(), text.clone())),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect_strings(item, &format!("{place}/{index}"), found);
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                collect_strings(field, &format!("{place}/{key}"), found);
            }
        }
        _ => {}
    }
}
