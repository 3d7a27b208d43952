//! The contract's records as MCP's.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use palisade_runtime::contract as from;
use rmcp::model as to;

use crate::outcome::{Checked, CheckedPrompt, clean};

/// A tool definition. Its schemas have been checked when it was recorded.
pub(super) fn tool(tool: &from::Tool) -> to::Tool {
    let mut converted = to::Tool::new_with_raw(
        tool.name.clone(),
        tool.description.clone().map(clean).map(Into::into),
        object(&tool.input_schema),
    );
    converted.title = tool.title.clone().map(clean);
    converted.output_schema = tool
        .output_schema
        .as_deref()
        .map(|json| object(json).into());
    converted.annotations = tool.annotations.as_ref().map(tool_annotations);
    converted.icons = icons(&tool.icons);
    converted.meta = meta(tool.meta.as_deref());
    converted
}

/// A result.
pub(super) fn tool_result(checked: Checked) -> to::CallToolResult {
    let content = checked.content.into_iter().map(block).collect();
    let mut result = if checked.is_error {
        to::CallToolResult::error(content)
    } else {
        to::CallToolResult::success(content)
    };
    result.structured_content = checked.structured;
    result.meta = checked.meta.map(to::MetaObject);
    result
}

/// A family of resources. It was checked when it was recorded.
pub(super) fn template(template: &from::ResourceTemplate) -> to::ResourceTemplate {
    let mut converted = to::ResourceTemplate::new(&template.uri_template, &template.name);
    converted.title = template.title.clone().map(clean);
    converted.description = template.description.clone().map(clean);
    converted.mime_type = template.mime_type.clone().map(clean);
    converted.annotations = template.annotations.clone().map(annotations);
    converted.icons = icons(&template.icons);
    converted.meta = meta(template.meta.as_deref());
    converted
}

/// A prompt's definition. It was checked when it was recorded.
pub(super) fn prompt(prompt: &from::Prompt) -> to::Prompt {
    let arguments: Vec<_> = prompt
        .arguments
        .iter()
        .map(|argument| {
            let mut converted = to::PromptArgument::new(&argument.name);
            converted.title = argument.title.clone().map(clean);
            converted.description = argument.description.clone().map(clean);
            converted.required = Some(argument.required);
            converted
        })
        .collect();
    let mut converted = to::Prompt::new(
        &prompt.name,
        prompt.description.clone().map(clean),
        (!arguments.is_empty()).then_some(arguments),
    );
    converted.title = prompt.title.clone().map(clean);
    converted.icons = icons(&prompt.icons);
    converted.meta = meta(prompt.meta.as_deref());
    converted
}

/// What a prompt came to.
pub(super) fn prompt_result(prompt: CheckedPrompt) -> to::GetPromptResult {
    let messages = prompt
        .messages
        .into_iter()
        .map(|message| to::PromptMessage::new(role(message.role), block(message.content)))
        .collect();
    let mut result = to::GetPromptResult::new(messages);
    result.description = prompt.description;
    result.meta = prompt.meta.map(to::MetaObject);
    result
}

fn role(role: from::Role) -> to::Role {
    match role {
        from::Role::User => to::Role::User,
        from::Role::Assistant => to::Role::Assistant,
    }
}

fn object(json: &str) -> to::JsonObject {
    serde_json::from_str(json).unwrap_or_default()
}

fn meta(json: Option<&str>) -> Option<to::MetaObject> {
    json.map(|json| to::MetaObject(object(json)))
}

fn tool_annotations(hints: &from::ToolAnnotations) -> to::ToolAnnotations {
    let mut converted = to::ToolAnnotations::default();
    converted.title = hints.title.clone().map(clean);
    converted.read_only_hint = hints.read_only_hint;
    converted.destructive_hint = hints.destructive_hint;
    converted.idempotent_hint = hints.idempotent_hint;
    converted.open_world_hint = hints.open_world_hint;
    converted
}

/// Only icons a client can show without asking a stranger's scheme.
fn icons(icons: &[from::Icon]) -> Option<Vec<to::Icon>> {
    let converted: Vec<_> = icons
        .iter()
        .filter(|icon| icon.src.starts_with("https:") || icon.src.starts_with("data:"))
        .map(|icon| {
            let mut converted = to::Icon::new(&icon.src);
            converted.mime_type = icon.mime_type.clone();
            converted.sizes = (!icon.sizes.is_empty()).then(|| icon.sizes.clone());
            converted.theme = icon.theme.map(|theme| match theme {
                from::IconTheme::Light => to::IconTheme::Light,
                from::IconTheme::Dark => to::IconTheme::Dark,
            });
            converted
        })
        .collect();
    (!converted.is_empty()).then_some(converted)
}

/// A piece of content.
pub(super) fn block(block: from::ContentBlock) -> to::ContentBlock {
    match block {
        from::ContentBlock::Text(text) => {
            let mut converted = to::TextContent::new(text.text);
            converted.annotations = text.annotations.map(annotations);
            converted.meta = meta(text.meta.as_deref());
            to::ContentBlock::Text(converted)
        }
        from::ContentBlock::Image(image) => {
            let data = BASE64_STANDARD.encode(image.data);
            let mut converted = to::ImageContent::new(data, image.mime_type);
            converted.annotations = image.annotations.map(annotations);
            converted.meta = meta(image.meta.as_deref());
            to::ContentBlock::Image(converted)
        }
        from::ContentBlock::Audio(audio) => {
            let data = BASE64_STANDARD.encode(audio.data);
            let mut converted = to::AudioContent::new(data, audio.mime_type);
            converted.annotations = audio.annotations.map(annotations);
            converted.meta = meta(audio.meta.as_deref());
            to::ContentBlock::Audio(converted)
        }
        from::ContentBlock::ResourceLink(link) => to::ContentBlock::ResourceLink(resource(link)),
        from::ContentBlock::Embedded(embedded) => {
            let mut converted = to::EmbeddedResource::new(contents(embedded.contents));
            converted.annotations = embedded.annotations.map(annotations);
            converted.meta = meta(embedded.meta.as_deref());
            to::ContentBlock::Resource(converted)
        }
    }
}

/// A description of a resource.
pub(super) fn resource(link: from::ResourceInfo) -> to::Resource {
    let mut converted = to::Resource::new(link.uri, link.name);
    converted.title = link.title;
    converted.description = link.description;
    converted.mime_type = link.mime_type;
    converted.size = link.size;
    converted.icons = icons(&link.icons);
    converted.annotations = link.annotations.map(annotations);
    converted.meta = meta(link.meta.as_deref());
    converted
}

/// What was read.
pub(super) fn contents(contents: from::ResourceContents) -> to::ResourceContents {
    let meta = meta(contents.meta.as_deref());
    match contents.body {
        from::ResourceBody::Text(text) => to::ResourceContents::TextResourceContents {
            uri: contents.uri,
            mime_type: contents.mime_type,
            text,
            meta,
        },
        from::ResourceBody::Blob(blob) => to::ResourceContents::BlobResourceContents {
            uri: contents.uri,
            mime_type: contents.mime_type,
            blob: BASE64_STANDARD.encode(blob),
            meta,
        },
    }
}

fn annotations(hints: from::Annotations) -> to::Annotations {
    let mut converted = to::Annotations::default();
    converted.audience =
        (!hints.audience.is_empty()).then(|| hints.audience.into_iter().map(role).collect());
    converted.priority = hints
        .priority
        .filter(|priority| (0.0..=1.0).contains(priority))
        .map(halved);
    converted.last_modified = hints.last_modified;
    converted
}

/// rmcp keeps a priority in a float of half the size.
#[allow(
    clippy::cast_possible_truncation,
    reason = "a priority lies between 0 and 1, and nobody needs nine digits of it"
)]
fn halved(priority: f64) -> f32 {
    priority as f32
}
