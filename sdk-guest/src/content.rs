//! The blocks a tool result is made of (MCP `ContentBlock`).

use serde_json::{Map, Value};

use crate::bindings::types;
use crate::link::ResourceLink;
use crate::schema::text_of;

pub use crate::bindings::types::Role;

/// One block of a result: text, an image, audio, or a resource.
///
/// ```
/// use palisade_sdk::prelude::*;
///
/// let note = Content::text("3 files changed").audience([Role::User]).priority(0.3);
/// let logo = Content::image(vec![0x89, b'P', b'N', b'G'], "image/png");
/// ```
#[derive(Clone, Debug)]
pub struct Content(pub(crate) types::ContentBlock);

impl Content {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self(types::ContentBlock::Text(types::TextContent {
            text: text.into(),
            annotations: None,
            meta: None,
        }))
    }

    /// An image, as its bytes (not base64) and MIME type.
    pub fn image(data: impl Into<Vec<u8>>, mime_type: impl Into<String>) -> Self {
        Self(types::ContentBlock::Image(media(
            data.into(),
            mime_type.into(),
        )))
    }

    /// Sound, as its bytes (not base64) and MIME type.
    pub fn audio(data: impl Into<Vec<u8>>, mime_type: impl Into<String>) -> Self {
        Self(types::ContentBlock::Audio(media(
            data.into(),
            mime_type.into(),
        )))
    }

    /// The address of something the client can read for itself.
    pub fn resource_link(link: impl Into<ResourceLink>) -> Self {
        Self(types::ContentBlock::ResourceLink(link.into().0))
    }

    /// A text resource, contents included.
    pub fn embedded_text(
        uri: impl Into<String>,
        mime_type: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        embedded(
            uri.into(),
            mime_type.into(),
            types::ResourceBody::Text(text.into()),
        )
    }

    /// A binary resource, contents included, as bytes (not base64).
    pub fn embedded_blob(
        uri: impl Into<String>,
        mime_type: impl Into<String>,
        bytes: impl Into<Vec<u8>>,
    ) -> Self {
        embedded(
            uri.into(),
            mime_type.into(),
            types::ResourceBody::Blob(bytes.into()),
        )
    }

    /// Whom the block is meant for.
    #[must_use]
    pub fn audience(mut self, audience: impl IntoIterator<Item = Role>) -> Self {
        self.annotations().audience = audience.into_iter().collect();
        self
    }

    /// How important it is, from 0.0 (least) to 1.0 (most).
    #[must_use]
    pub fn priority(mut self, priority: f64) -> Self {
        self.annotations().priority = Some(priority.clamp(0.0, 1.0));
        self
    }

    /// When the thing it shows was last changed, in ISO 8601.
    #[must_use]
    pub fn last_modified(mut self, when: impl Into<String>) -> Self {
        self.annotations().last_modified = Some(when.into());
        self
    }

    /// Sets `_meta`.
    #[must_use]
    pub fn meta(mut self, meta: Map<String, Value>) -> Self {
        let place = match &mut self.0 {
            types::ContentBlock::Text(text) => &mut text.meta,
            types::ContentBlock::Image(media) | types::ContentBlock::Audio(media) => {
                &mut media.meta
            }
            types::ContentBlock::ResourceLink(link) => &mut link.meta,
            types::ContentBlock::Embedded(embedded) => &mut embedded.meta,
        };
        *place = Some(text_of(&Value::Object(meta)));
        self
    }

    fn annotations(&mut self) -> &mut types::Annotations {
        let annotations = match &mut self.0 {
            types::ContentBlock::Text(text) => &mut text.annotations,
            types::ContentBlock::Image(media) | types::ContentBlock::Audio(media) => {
                &mut media.annotations
            }
            types::ContentBlock::ResourceLink(link) => &mut link.annotations,
            types::ContentBlock::Embedded(embedded) => &mut embedded.annotations,
        };
        annotations.get_or_insert_with(no_annotations)
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

pub(crate) fn no_annotations() -> types::Annotations {
    types::Annotations {
        audience: Vec::new(),
        priority: None,
        last_modified: None,
    }
}

fn media(data: Vec<u8>, mime_type: String) -> types::MediaContent {
    types::MediaContent {
        data,
        mime_type,
        annotations: None,
        meta: None,
    }
}

fn embedded(uri: String, mime_type: String, body: types::ResourceBody) -> Content {
    Content(types::ContentBlock::Embedded(types::EmbeddedResource {
        contents: types::ResourceContents {
            uri,
            mime_type: Some(mime_type),
            body,
            meta: None,
        },
        annotations: None,
        meta: None,
    }))
}
