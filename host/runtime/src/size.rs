//! How much a guest hands over, against the limit of `output`.
//!
//! Everything a guest chose counts: text, bytes, names, annotations, metadata.

use palisade_policy::Limits;

use crate::bindings::contract::{
    Annotations, ContentBlock, Error, Icon, InputRequired, ResourceBody, ResourceContents,
    ResourceInfo, ToolOutcome,
};
use crate::error::{CallError, Limit};

/// Refuses what is more than the limit.
pub(crate) fn check(size: usize, limits: &Limits) -> Result<(), CallError> {
    if size as u64 > limits.output {
        return Err(CallError::Limit(Limit::Output(limits.output)));
    }
    Ok(())
}

/// Bytes of an outcome.
pub(crate) fn outcome(outcome: &ToolOutcome) -> usize {
    match outcome {
        ToolOutcome::Complete(result) => {
            let content: usize = result.content.iter().map(block).sum();
            content + optional(&result.structured_content) + optional(&result.meta)
        }
        ToolOutcome::InputRequired(InputRequired { requests, state }) => {
            // What the requests hold was bounded when it was copied.
            let keys: usize = requests.iter().map(|request| request.key.len()).sum();
            keys + state.as_ref().map_or(0, Vec::len)
        }
    }
}

/// Bytes of an error.
pub(crate) fn error(error: &Error) -> usize {
    error.message.len() + optional(&error.data)
}

fn optional(text: &Option<String>) -> usize {
    text.as_ref().map_or(0, String::len)
}

fn block(block: &ContentBlock) -> usize {
    match block {
        ContentBlock::Text(text) => {
            text.text.len() + annotations(&text.annotations) + optional(&text.meta)
        }
        ContentBlock::Image(media) | ContentBlock::Audio(media) => {
            media.data.len()
                + media.mime_type.len()
                + annotations(&media.annotations)
                + optional(&media.meta)
        }
        ContentBlock::ResourceLink(link) => resource(link),
        ContentBlock::Embedded(embedded) => {
            contents(&embedded.contents)
                + annotations(&embedded.annotations)
                + optional(&embedded.meta)
        }
    }
}

fn resource(link: &ResourceInfo) -> usize {
    link.uri.len()
        + link.name.len()
        + optional(&link.title)
        + optional(&link.description)
        + optional(&link.mime_type)
        + annotations(&link.annotations)
        + link.icons.iter().map(icon).sum::<usize>()
        + optional(&link.meta)
}

fn contents(contents: &ResourceContents) -> usize {
    let body = match &contents.body {
        ResourceBody::Text(text) => text.len(),
        ResourceBody::Blob(blob) => blob.len(),
    };
    contents.uri.len() + optional(&contents.mime_type) + body + optional(&contents.meta)
}

fn icon(icon: &Icon) -> usize {
    icon.src.len() + optional(&icon.mime_type) + icon.sizes.iter().map(String::len).sum::<usize>()
}

fn annotations(annotations: &Option<Annotations>) -> usize {
    annotations.as_ref().map_or(0, |hints| {
        hints.audience.len() + optional(&hints.last_modified)
    })
}
