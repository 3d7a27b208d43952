//! What a result must be before a client sees it.

use std::borrow::Cow;

use palisade_policy::Shown;
use palisade_runtime::contract::{
    CompletionValues, ContentBlock, PromptMessage, PromptResult, ResourceBody, ResourceContents,
    ResourceInfo, TextContent, ToolResult,
};
use serde_json::{Map, Value};

/// A result whose JSON parses and whose text can't harm a terminal.
#[derive(Debug)]
pub struct Checked {
    /// Content, its text cleaned.
    pub content: Vec<ContentBlock>,
    /// Structured content, parsed.
    pub structured: Option<Value>,
    /// MCP `_meta`, parsed.
    pub meta: Option<Map<String, Value>>,
    /// Whether it says that the call did not work.
    pub is_error: bool,
    /// What it must be cut to for a client, if it is too large.
    pub(crate) over: Option<Over>,
    /// Whether to do anything with all of it takes long.
    pub(crate) large: bool,
}

/// A result is larger than the plugin's limit of output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Over {
    /// The limit, in bytes.
    pub(crate) limit: usize,
    /// Whether the tool has an output schema, so that clients take a result
    /// without structured content for broken.
    pub(crate) demands_structured: bool,
}

impl Checked {
    /// MCP `CallToolResult` as JSON.
    ///
    /// # Errors
    ///
    /// If it can't be written as JSON, which no checked result is.
    pub fn into_json(self) -> serde_json::Result<Value> {
        crate::adapter::result_json(self)
    }

    /// A result that says what went wrong.
    pub(crate) fn failure(message: String) -> Self {
        Self {
            content: vec![text(message)],
            structured: None,
            meta: None,
            is_error: true,
            over: None,
            large: false,
        }
    }
}

/// Parses and cleans what a plugin returned.
///
/// # Errors
///
/// What is wrong with it, in words for a model.
pub(crate) fn check(result: ToolResult) -> Result<Checked, String> {
    let structured: Option<Value> = result
        .structured_content
        .map(|json| parse("structured content", &json))
        .transpose()?;
    let meta = result.meta.map(|json| parse("_meta", &json)).transpose()?;
    let mut content = result.content;
    for block in &mut content {
        clean_block(block)?;
    }
    // Clients that know no structured content read the text; what is not an
    // object none before 2026-07-28 knows (SEP-2106).
    let has_text = content
        .iter()
        .any(|block| matches!(block, ContentBlock::Text(_)));
    if let Some(structured) = &structured
        && (content.is_empty() || !structured.is_object() && !has_text)
    {
        content.push(text(structured.to_string()));
    }
    Ok(Checked {
        content,
        structured,
        meta,
        is_error: result.is_error,
        over: None,
        large: false,
    })
}

/// What a prompt came to, checked as a result is.
#[derive(Debug)]
pub struct CheckedPrompt {
    /// For a person.
    pub description: Option<String>,
    /// The conversation, its text cleaned.
    pub messages: Vec<PromptMessage>,
    /// MCP `_meta`, parsed.
    pub meta: Option<Map<String, Value>>,
}

/// Parses and cleans a prompt.
///
/// # Errors
///
/// What is wrong with it.
pub(crate) fn check_prompt(prompt: PromptResult) -> Result<CheckedPrompt, String> {
    let meta = prompt.meta.map(|json| parse("_meta", &json)).transpose()?;
    let mut messages = prompt.messages;
    for message in &mut messages {
        clean_block(&mut message.content)?;
    }
    Ok(CheckedPrompt {
        description: prompt.description.map(clean),
        messages,
        meta,
    })
}

/// Cleans what was read.
///
/// # Errors
///
/// What is wrong with it.
pub(crate) fn check_contents(
    mut contents: Vec<ResourceContents>,
) -> Result<Vec<ResourceContents>, String> {
    for one in &mut contents {
        clean_contents(one)?;
    }
    Ok(contents)
}

/// Cleans a list of resources.
///
/// # Errors
///
/// What is wrong with it.
pub(crate) fn check_resources(
    mut resources: Vec<ResourceInfo>,
) -> Result<Vec<ResourceInfo>, String> {
    for resource in &mut resources {
        clean_resource(resource)?;
    }
    Ok(resources)
}

/// Values MCP lets a completion hold.
const MAX_VALUES: usize = 100;

/// The values a client may be given: the first hundred, and word of more.
pub(crate) fn check_completion(mut values: CompletionValues) -> CompletionValues {
    if values.values.len() > MAX_VALUES {
        values.values.truncate(MAX_VALUES);
        values.has_more = true;
    }
    for value in &mut values.values {
        *value = clean(std::mem::take(value));
    }
    values
}

fn parse<T: serde::de::DeserializeOwned>(what: &str, json: &str) -> Result<T, String> {
    serde_json::from_str(json)
        .map_err(|error| format!("the plugin returned {what} that is not valid JSON: {error}"))
}

pub(crate) fn text(text: String) -> ContentBlock {
    ContentBlock::Text(TextContent {
        text,
        annotations: None,
        meta: None,
    })
}

fn clean_block(block: &mut ContentBlock) -> Result<(), String> {
    let meta = match block {
        ContentBlock::Text(text) => {
            clean_all([&mut text.text]);
            &text.meta
        }
        ContentBlock::Image(media) | ContentBlock::Audio(media) => {
            clean_all([&mut media.mime_type]);
            &media.meta
        }
        ContentBlock::ResourceLink(link) => return clean_resource(link),
        ContentBlock::Embedded(embedded) => {
            clean_contents(&mut embedded.contents)?;
            &embedded.meta
        }
    };
    check_meta(meta.as_deref())
}

fn clean_resource(resource: &mut ResourceInfo) -> Result<(), String> {
    clean_all([&mut resource.uri, &mut resource.name]);
    clean_all(&mut resource.title);
    clean_all(&mut resource.description);
    clean_all(&mut resource.mime_type);
    check_meta(resource.meta.as_deref())
}

fn clean_contents(contents: &mut ResourceContents) -> Result<(), String> {
    clean_all([&mut contents.uri]);
    clean_all(&mut contents.mime_type);
    if let ResourceBody::Text(text) = &mut contents.body {
        clean_all([text]);
    }
    check_meta(contents.meta.as_deref())
}

fn check_meta(meta: Option<&str>) -> Result<(), String> {
    match meta {
        Some(meta) => parse::<Map<String, Value>>("_meta", meta).map(drop),
        None => Ok(()),
    }
}

fn clean_all<'a>(texts: impl IntoIterator<Item = &'a mut String>) {
    for text in texts {
        *text = clean(std::mem::take(text));
    }
}

/// Takes out the control characters that steer a terminal.
pub(crate) fn clean(text: String) -> String {
    match Shown::Result.of(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(cleaned) => cleaned,
    }
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn only_steering_characters_are_replaced() {
        assert_eq!(
            clean("a\tb\r\nc\u{1b}[31m\u{9b}".into()),
            "a\tb\r\nc\u{fffd}[31m\u{fffd}"
        );
        assert_eq!(clean("ümläut 中".into()), "ümläut 中");
    }
}
