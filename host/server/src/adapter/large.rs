//! Whether there is so much in an answer that it is made and written aside.

use palisade_runtime::{LARGE, PIECE, aside};
use rmcp::model::{
    Annotations, ContentBlock, GetTaskResult, JsonRpcMessage, MetaObject, Resource,
    ResourceContents, ServerJsonRpcMessage, ServerResult, TaskPayload,
};
use serde_json::{Map, Value};

/// Does something aside if it is large, else at once.
pub(super) async fn aside_if<T: Send + 'static>(
    large: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    match large {
        true => aside(work).await,
        false => work(),
    }
}

/// Whether writing a message is much work. Looks at no more of it than is
/// little work itself.
pub(super) fn is_large(message: &ServerJsonRpcMessage) -> bool {
    let JsonRpcMessage::Response(response) = message else {
        // A question or an error, which are within narrow limits.
        return false;
    };
    Left(LARGE).result(&response.result).is_none()
}

/// What there may still be, in bytes; none if there is more.
struct Left(usize);

impl Left {
    fn take(&mut self, bytes: usize) -> Option<()> {
        self.0 = self.0.checked_sub(bytes)?;
        Some(())
    }

    fn result(&mut self, result: &ServerResult) -> Option<()> {
        match result {
            ServerResult::CallToolResult(result) => {
                self.each(&result.content, Self::block)?;
                self.each(&result.structured_content, Self::value)?;
                self.meta(result.meta.as_ref())
            }
            ServerResult::ReadResourceResult(read) => self.each(&read.contents, Self::contents),
            ServerResult::GetPromptResult(prompt) => {
                self.take(prompt.description.as_ref().map_or(0, String::len))?;
                self.each(&prompt.messages, |left, message| {
                    left.block(&message.content)
                })?;
                self.meta(prompt.meta.as_ref())
            }
            ServerResult::ListResourcesResult(list) => self.each(&list.resources, Self::resource),
            ServerResult::GetTaskResult(get) => self.task(get),
            // What the plugins were found to offer, or nothing to speak of.
            _ => Some(()),
        }
    }

    fn each<'a, T: 'a>(
        &mut self,
        all: impl IntoIterator<Item = &'a T>,
        one: impl Fn(&mut Self, &'a T) -> Option<()>,
    ) -> Option<()> {
        all.into_iter().try_for_each(|each| one(self, each))
    }

    fn block(&mut self, block: &ContentBlock) -> Option<()> {
        self.take(PIECE)?;
        match block {
            ContentBlock::Text(text) => {
                self.take(text.text.len())?;
                self.beside(text.meta.as_ref(), text.annotations.as_ref())
            }
            ContentBlock::Image(media) => {
                self.take(media.data.len())?;
                self.beside(media.meta.as_ref(), media.annotations.as_ref())
            }
            ContentBlock::Audio(media) => {
                self.take(media.data.len())?;
                self.beside(media.meta.as_ref(), media.annotations.as_ref())
            }
            ContentBlock::Resource(embedded) => {
                self.contents(&embedded.resource)?;
                self.beside(embedded.meta.as_ref(), embedded.annotations.as_ref())
            }
            ContentBlock::ResourceLink(link) => self.resource(link),
            // What is not known here could be anything.
            _ => None,
        }
    }

    fn contents(&mut self, contents: &ResourceContents) -> Option<()> {
        let (uri, body, meta) = match contents {
            ResourceContents::TextResourceContents {
                uri, text, meta, ..
            } => (uri, text, meta),
            ResourceContents::BlobResourceContents {
                uri, blob, meta, ..
            } => (uri, blob, meta),
            _ => return None,
        };
        self.take(PIECE + uri.len() + body.len())?;
        self.meta(meta.as_ref())
    }

    fn resource(&mut self, resource: &Resource) -> Option<()> {
        let texts = [&resource.title, &resource.description, &resource.mime_type];
        self.take(PIECE + resource.uri.len() + resource.name.len())?;
        self.each(texts.into_iter().flatten(), |left, text: &String| {
            left.take(text.len())
        })?;
        self.each(resource.icons.iter().flatten(), |left, icon| {
            left.take(PIECE + icon.src.len())?;
            left.each(icon.sizes.iter().flatten(), |left, size: &String| {
                left.take(PIECE + size.len())
            })
        })?;
        self.beside(resource.meta.as_ref(), resource.annotations.as_ref())
    }

    fn beside(&mut self, meta: Option<&MetaObject>, hints: Option<&Annotations>) -> Option<()> {
        let audience = hints.and_then(|hints| hints.audience.as_ref());
        self.take(audience.map_or(0, |audience| PIECE * audience.len()))?;
        self.meta(meta)
    }

    fn meta(&mut self, meta: Option<&MetaObject>) -> Option<()> {
        meta.map_or(Some(()), |meta| self.object(&meta.0))
    }

    fn task(&mut self, get: &GetTaskResult) -> Option<()> {
        match &get.task.payload {
            TaskPayload::Completed { result } => self.object(result),
            TaskPayload::Failed { error } => self.object(error),
            _ => Some(()),
        }
    }

    fn object(&mut self, object: &Map<String, Value>) -> Option<()> {
        object.iter().try_for_each(|(name, value)| {
            self.take(name.len())?;
            self.value(value)
        })
    }

    /// No deeper than the parser that read it goes.
    fn value(&mut self, value: &Value) -> Option<()> {
        self.take(PIECE / 8)?;
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => Some(()),
            Value::String(text) => self.take(text.len()),
            Value::Array(values) => self.each(values, Self::value),
            Value::Object(object) => self.object(object),
        }
    }
}
