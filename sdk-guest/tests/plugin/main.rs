//! What a host sees of a plugin written with this SDK, asked through the
//! interface that the component exports.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test says where it failed by panicking"
)]

mod arguments;
mod asking;
mod descriptions;
mod errors;
mod forms;
mod lifecycle;
mod prompts;
mod resources;
mod results;
mod schemas;

use palisade_sdk::bindings::tools::exports::palisade::mcp::tools::{Guest, ToolOutcome};
use palisade_sdk::bindings::types;
use serde_json::Value;

/// The tool of that name.
fn tool<P: Guest>(name: &str) -> types::Tool {
    let tools = P::list_tools().unwrap();
    tools.into_iter().find(|tool| tool.name == name).unwrap()
}

/// The input schema of the tool of that name.
fn input_schema<P: Guest>(name: &str) -> Value {
    serde_json::from_str(&tool::<P>(name).input_schema).unwrap()
}

/// A call's context, as the host gives it in the first round.
fn context() -> types::Context {
    types::Context {
        meta: None,
        trace: None,
        client: None,
        capabilities: types::ClientCapabilities::empty(),
        wants_progress: true,
        answers: Vec::new(),
        state: None,
    }
}

/// Calls a tool.
fn call<P: Guest>(name: &str, arguments: &str) -> Result<types::ToolResult, types::Error> {
    P::call_tool(name.to_owned(), arguments.to_owned(), context()).map(|outcome| match outcome {
        ToolOutcome::Complete(result) => result,
        ToolOutcome::InputRequired(_) => panic!("{name} asked for something"),
    })
}

/// The text of a call that worked.
fn text<P: Guest>(name: &str, arguments: &str) -> String {
    let result = call::<P>(name, arguments).unwrap();
    let text = only_text(&result);
    assert!(!result.is_error, "{text}");
    text
}

/// The text of a call that did not work, as the model reads it.
fn failure<P: Guest>(name: &str, arguments: &str) -> String {
    let result = call::<P>(name, arguments).unwrap();
    let text = only_text(&result);
    assert!(result.is_error, "worked: {text}");
    text
}

fn only_text(result: &types::ToolResult) -> String {
    match &result.content[..] {
        [types::ContentBlock::Text(text)] => text.text.clone(),
        other => panic!("not one text: {other:?}"),
    }
}
