//! Tools whose JSON is whatever the test wants: the SDK would not let it pass.

use palisade_sdk::bindings::client;
use palisade_sdk::bindings::tools::exports::palisade::mcp::tools::{Guest, ToolOutcome};
use palisade_sdk::bindings::types::{
    Annotations, ContentBlock, Context, EmbeddedResource, Error, ErrorKind, LogLevel, ResourceBody,
    ResourceContents, ResourceInfo, Role, TaskSupport, TextContent, Tool, ToolResult,
};

/// What every tool takes: the text to put where JSON belongs.
const INPUT: &str =
    r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}"#;

/// What `against_schema` promises.
const OUTPUT: &str = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;

const TOOLS: [(&str, &str, Option<&str>); 9] = [
    (
        "structured",
        "Returns the text as structured content.",
        None,
    ),
    (
        "against_schema",
        "As structured, with an output schema; an empty text is no content.",
        Some(OUTPUT),
    ),
    (
        "failed_against_schema",
        "Fails, without the structured content that its schema demands.",
        Some(OUTPUT),
    ),
    ("meta", "Returns the text as the result's _meta.", None),
    ("block_meta", "Returns the text as a block's _meta.", None),
    (
        "error_data",
        "Returns a protocol error with the text as data.",
        None,
    ),
    ("log", "Logs the text as data.", None),
    (
        "priority",
        "Returns blocks of every priority, also impossible ones.",
        None,
    ),
    (
        "everywhere",
        "Returns the text in every place for text there is.",
        None,
    ),
];

struct BrokenJson;

impl Guest for BrokenJson {
    fn list_tools() -> Result<Vec<Tool>, Error> {
        Ok(TOOLS.iter().map(tool).collect())
    }

    fn call_tool(name: String, arguments: String, _: Context) -> Result<ToolOutcome, Error> {
        let arguments: serde_json::Value =
            serde_json::from_str(&arguments).map_err(|error| internal(error.to_string(), None))?;
        let text = arguments["text"].as_str().unwrap_or_default().to_owned();
        let mut result = ToolResult {
            content: Vec::new(),
            structured_content: None,
            is_error: false,
            meta: None,
        };
        match name.as_str() {
            "structured" => result.structured_content = Some(text),
            "against_schema" => result.structured_content = Some(text).filter(|it| !it.is_empty()),
            "failed_against_schema" => {
                result.content.push(block(text, None, None));
                result.is_error = true;
            }
            "meta" => result.meta = Some(text),
            "block_meta" => result
                .content
                .push(block("a block".into(), None, Some(text))),
            "error_data" => return Err(internal("with data".into(), Some(text))),
            "log" => {
                client::log(LogLevel::Warning, None, &text);
                result.content.push(block("logged".into(), None, None));
            }
            "priority" => result.content = priorities(),
            "everywhere" => result.content = everywhere(&text),
            _ => return Err(internal(format!("there is no tool called {name:?}"), None)),
        }
        Ok(ToolOutcome::Complete(result))
    }
}

fn tool((name, description, output): &(&str, &str, Option<&str>)) -> Tool {
    Tool {
        name: (*name).into(),
        title: None,
        description: Some((*description).into()),
        input_schema: INPUT.into(),
        output_schema: output.map(Into::into),
        annotations: None,
        icons: Vec::new(),
        task_support: TaskSupport::Forbidden,
        meta: None,
    }
}

fn internal(message: String, data: Option<String>) -> Error {
    Error {
        kind: ErrorKind::Internal,
        message,
        data,
    }
}

fn block(text: String, annotations: Option<Annotations>, meta: Option<String>) -> ContentBlock {
    ContentBlock::Text(TextContent {
        text,
        annotations,
        meta,
    })
}

/// JSON has no number for the first three, MCP none for the next two.
fn priorities() -> Vec<ContentBlock> {
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 7.0, -1.0, 0.5]
        .into_iter()
        .map(|priority| {
            let annotations = Annotations {
                audience: vec![Role::User],
                priority: Some(priority),
                last_modified: None,
            };
            block(format!("{priority}"), Some(annotations), None)
        })
        .collect()
}

fn everywhere(text: &str) -> Vec<ContentBlock> {
    let text = text.to_owned();
    vec![
        block(text.clone(), None, None),
        ContentBlock::ResourceLink(ResourceInfo {
            uri: text.clone(),
            name: text.clone(),
            title: Some(text.clone()),
            description: Some(text.clone()),
            mime_type: Some(text.clone()),
            size: None,
            annotations: None,
            icons: Vec::new(),
            meta: None,
        }),
        ContentBlock::Embedded(EmbeddedResource {
            contents: ResourceContents {
                uri: text.clone(),
                mime_type: Some(text.clone()),
                body: ResourceBody::Text(text),
                meta: None,
            },
            annotations: None,
            meta: None,
        }),
    ]
}

palisade_sdk::bindings::tools::export!(BrokenJson);
