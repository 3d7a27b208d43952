//! What a client of the reference server knows of it.

use palisade_sdk::Error;
use palisade_sdk::bindings::prompts::exports::palisade::mcp::prompts::Guest as _;
use palisade_sdk::bindings::tools::exports::palisade::mcp::tools::Guest as _;
use serde_json::{Value, json};

use crate::Fetch;

#[test]
fn the_tool_is_the_reference_servers() {
    let tools = Fetch::list_tools().unwrap();
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0].name, "fetch");
    let schema: Value = serde_json::from_str(&tools[0].input_schema).unwrap();
    let argument = |name: &str, keys: &[&str]| {
        let of = &schema["properties"][name];
        let mut found = json!({"description": of["description"]});
        for key in keys {
            found[key] = of[key].clone();
        }
        found
    };
    // Recorded from mcp-server-fetch 2026.10.24.
    assert_eq!(
        argument("url", &["type", "format", "minLength"]),
        json!({"description": "URL to fetch", "type": "string", "format": "uri", "minLength": 1})
    );
    assert_eq!(
        argument("max_length", &["type", "default", "minimum", "maximum"]),
        json!({
            "description": "Maximum number of characters to return.",
            "type": "integer", "default": 5000, "minimum": 1, "maximum": 999_999
        })
    );
    assert_eq!(
        argument("start_index", &["type", "default", "minimum"]),
        json!({
            "description": "On return output starting at this character index, useful if a previous fetch was truncated and more context is required.",
            "type": "integer", "default": 0, "minimum": 0
        })
    );
    assert_eq!(
        argument("raw", &["type", "default"]),
        json!({
            "description": "Get the actual HTML content of the requested page, without simplification.",
            "type": "boolean", "default": false
        })
    );
    assert_eq!(schema["required"], json!(["url"]));
    let hints = tools[0].annotations.as_ref().unwrap();
    assert_eq!(
        (
            hints.read_only_hint,
            hints.destructive_hint,
            hints.idempotent_hint,
            hints.open_world_hint
        ),
        (Some(true), Some(false), Some(true), Some(true))
    );
}

#[test]
fn the_prompt_is_the_reference_servers() {
    let prompts = Fetch::list_prompts().unwrap();
    assert_eq!(prompts.len(), 1);
    assert_eq!(prompts[0].name, "fetch");
    assert_eq!(
        prompts[0].description.as_deref(),
        Some("Fetch a URL and extract its contents as markdown")
    );
    assert_eq!(prompts[0].arguments.len(), 1);
    assert_eq!(prompts[0].arguments[0].name, "url");
    assert!(prompts[0].arguments[0].required);
}

#[test]
fn what_can_not_be_fetched_is_said_in_a_sentence() {
    let failed = |url: &str| {
        let error: Error = Fetch.fetch(url.to_owned(), 10, 0, false).unwrap_err();
        error.message().to_owned()
    };
    assert!(
        failed("example").starts_with("\"example\" is not a URL"),
        "{}",
        failed("example")
    );
    assert!(failed("ftp://a.test/").contains("is not an address of http or https"));
    // Here there is no network at all.
    assert!(
        failed("https://a.test/").contains("Failed to fetch robots.txt https://a.test/robots.txt")
    );
}
