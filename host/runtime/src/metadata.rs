//! What a plugin says of itself, asked once and recorded with its code.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::bindings::contract::Tool;
use crate::component::{Export, Import, Kind};
use crate::error::LoadError;

/// Raise when the recorded form changes: it is part of the cache key.
pub(crate) const FORMAT: u32 = 2;

/// Tools one plugin may offer.
const MAX_TOOLS: usize = 1_000;

/// Bytes of all tool definitions together.
const MAX_TEXT: usize = 4 * 1024 * 1024;

/// Longest tool name, in characters (MCP: 1 to 128 of `[A-Za-z0-9_.-]`).
const MAX_NAME: usize = 128;

/// What is known of a plugin without running it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Metadata {
    /// How it is served.
    pub kind: Kind,
    /// What it needs.
    pub imports: Vec<Import>,
    /// What it offers.
    pub exports: Vec<Export>,
    /// Its tools, in its own order.
    pub tools: Vec<Tool>,
    /// The manifest it carries, as it stands there: not parsed yet.
    pub manifest: Option<String>,
}

/// Checks a tool list that a plugin gave.
///
/// # Errors
///
/// [`LoadError::BadListing`] naming the tool: no plugin is served with a list
/// that a client could misread.
pub(crate) fn check_tools(tools: &[Tool]) -> Result<(), LoadError> {
    let bad = |message: String| Err(LoadError::BadListing(message));
    if tools.is_empty() {
        return Err(LoadError::NothingToServe {
            found: "its tool list is empty".to_owned(),
        });
    }
    if tools.len() > MAX_TOOLS {
        return bad(format!(
            "it has {} tools, more than the {MAX_TOOLS} a plugin may offer",
            tools.len()
        ));
    }
    let text: usize = tools.iter().map(text_len).sum();
    if text > MAX_TEXT {
        return bad(format!(
            "it is {text} bytes long, more than the {MAX_TEXT} it may be"
        ));
    }
    let mut seen = HashSet::new();
    for tool in tools {
        if !is_tool_name(&tool.name) {
            return bad(format!(
                "{:?} is not a tool name (1 to {MAX_NAME} of A-Z a-z 0-9 _ . -)",
                tool.name
            ));
        }
        if !seen.insert(tool.name.as_str()) {
            return bad(format!("there are two tools called {:?}", tool.name));
        }
        check_schema(tool, "input", &tool.input_schema)?;
        if let Some(schema) = &tool.output_schema {
            check_schema(tool, "output", schema)?;
        }
        if let Some(meta) = &tool.meta {
            object(tool, "_meta", meta)?;
        }
    }
    Ok(())
}

fn is_tool_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
}

fn text_len(tool: &Tool) -> usize {
    let optional = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    tool.name.len()
        + tool.input_schema.len()
        + optional(&tool.title)
        + optional(&tool.description)
        + optional(&tool.output_schema)
        + optional(&tool.meta)
}

/// MCP: a schema's root has `"type": "object"`.
fn check_schema(tool: &Tool, which: &str, schema: &str) -> Result<(), LoadError> {
    let schema = object(tool, &format!("{which} schema"), schema)?;
    if schema.get("type").and_then(|ty| ty.as_str()) == Some("object") {
        return Ok(());
    }
    Err(LoadError::BadListing(format!(
        "the {which} schema of {:?} does not have \"type\": \"object\" at its root",
        tool.name
    )))
}

fn object(
    tool: &Tool,
    what: &str,
    text: &str,
) -> Result<serde_json::Map<String, serde_json::Value>, LoadError> {
    serde_json::from_str(text).map_err(|error| {
        LoadError::BadListing(format!(
            "the {what} of {:?} is no JSON object ({error})",
            tool.name
        ))
    })
}
