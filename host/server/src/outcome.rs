//! What a result must be before a client sees it.

use palisade_runtime::contract::{ContentBlock, ResourceBody, TextContent, ToolResult};
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
    // Clients that know no structured content read the text.
    if content.is_empty()
        && let Some(structured) = &structured
    {
        content.push(text(structured.to_string()));
    }
    Ok(Checked {
        content,
        structured,
        meta,
        is_error: result.is_error,
    })
}

fn parse<T: serde::de::DeserializeOwned>(what: &str, json: &str) -> Result<T, String> {
    serde_json::from_str(json)
        .map_err(|error| format!("the plugin returned {what} that is not valid JSON: {error}"))
}

fn text(text: String) -> ContentBlock {
    ContentBlock::Text(TextContent {
        text,
        annotations: None,
        meta: None,
    })
}

fn clean_block(block: &mut ContentBlock) -> Result<(), String> {
    let (texts, meta): (Vec<&mut String>, _) = match block {
        ContentBlock::Text(text) => (vec![&mut text.text], &text.meta),
        ContentBlock::Image(media) | ContentBlock::Audio(media) => {
            (vec![&mut media.mime_type], &media.meta)
        }
        ContentBlock::ResourceLink(link) => {
            let mut texts = vec![&mut link.uri, &mut link.name];
            texts.extend(&mut link.title);
            texts.extend(&mut link.description);
            texts.extend(&mut link.mime_type);
            (texts, &link.meta)
        }
        ContentBlock::Embedded(embedded) => {
            let contents = &mut embedded.contents;
            let mut texts = vec![&mut contents.uri];
            texts.extend(&mut contents.mime_type);
            if let ResourceBody::Text(text) = &mut contents.body {
                texts.push(text);
            }
            if let Some(meta) = &contents.meta {
                parse::<Map<String, Value>>("_meta", meta)?;
            }
            (texts, &embedded.meta)
        }
    };
    if let Some(meta) = meta {
        parse::<Map<String, Value>>("_meta", meta)?;
    }
    for text in texts {
        *text = clean(std::mem::take(text));
    }
    Ok(())
}

/// Takes out the control characters that steer a terminal. Tab, line feed, form
/// feed and carriage return stay: they are text.
pub(crate) fn clean(text: String) -> String {
    let steers = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\u{c}' | '\r');
    if text.contains(steers) {
        text.replace(steers, "\u{fffd}")
    } else {
        text
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
