//! Tools that say what the plugin knows, and some that say too much.

use crate::bindings::exports::palisade::mcp::tools::{Guest, ToolOutcome};
use crate::bindings::palisade::mcp::client;
use crate::bindings::palisade::mcp::types::{
    Context, Error, InputAsk, InputRequest, InputRequired, ListKind, Role, SamplingContent,
    SamplingMessage, SamplingRequest, TaskSupport, Tool, ToolResult,
};
use crate::{AllInterfaces, large, lifecycle, questions, text, text_block, unknown};

const NAMES: [&str; 6] = [
    "told",
    "announce",
    "ask",
    "ask-nothing",
    "ask-twice",
    "ask-at-length",
];

impl Guest for AllInterfaces {
    fn list_tools() -> Result<Vec<Tool>, Error> {
        // Lists are taken from a plugin that has been started.
        let (starts, _) = lifecycle::told();
        if starts != 1 {
            return Err(unknown("start"));
        }
        Ok(NAMES.iter().map(|name| tool(name)).collect())
    }

    fn call_tool(name: String, _: String, context: Context) -> Result<ToolOutcome, Error> {
        Ok(match name.as_str() {
            "told" => {
                let (starts, config) = lifecycle::told();
                said(format!("{starts} {config}"))
            }
            "announce" => {
                announce();
                said("announced".into())
            }
            "ask" if context.answers.is_empty() => {
                ToolOutcome::InputRequired(questions(&["name"], "Who?"))
            }
            "ask" => said(format!("{} answers", context.answers.len())),
            "ask-nothing" => ToolOutcome::InputRequired(questions(&[], "")),
            "ask-twice" => ToolOutcome::InputRequired(questions(&["name", "name"], "Who?")),
            "ask-at-length" => ToolOutcome::InputRequired(sampling()),
            other => return Err(unknown(other)),
        })
    }
}

/// Far more changes than anybody wants to hear of.
fn announce() {
    for n in 0..2_000 {
        client::resource_updated(&format!("test://{n}"));
        client::changed(ListKind::Resources);
    }
    client::resource_updated(&"x".repeat(9 << 10));
    client::changed(ListKind::Prompts);
}

/// A question that is large where one might not look.
fn sampling() -> InputRequired {
    let request = SamplingRequest {
        messages: vec![SamplingMessage {
            role: Role::User,
            content: vec![SamplingContent::Text(text(large()))],
        }],
        max_tokens: 1,
        system_prompt: None,
        model_preferences: None,
        temperature: None,
        stop_sequences: Vec::new(),
        metadata: None,
        tools: Vec::new(),
        tool_choice: None,
    };
    InputRequired {
        requests: vec![InputRequest {
            key: "model".into(),
            ask: InputAsk::Sample(request),
        }],
        state: None,
    }
}

fn said(words: String) -> ToolOutcome {
    ToolOutcome::Complete(ToolResult {
        content: vec![text_block(words)],
        structured_content: None,
        is_error: false,
        meta: None,
    })
}

fn tool(name: &str) -> Tool {
    Tool {
        name: name.into(),
        title: None,
        description: None,
        input_schema: r#"{"type":"object"}"#.into(),
        output_schema: None,
        annotations: None,
        icons: Vec::new(),
        task_support: TaskSupport::Forbidden,
        meta: None,
    }
}
