//! Descriptions of things that can be read.

use serde_json::{Map, Value};

use crate::bindings::types;
use crate::content::no_annotations;
use crate::icon::Icon;
use crate::schema::text_of;
use crate::{Content, Role};

/// A description of something that can be read, without its contents (MCP
/// `Resource`): in a result, see [`Content::resource_link`], or in the list
/// that a method marked `#[resources]` returns.
#[derive(Clone, Debug)]
pub struct ResourceLink(pub(crate) types::ResourceInfo);

impl ResourceLink {
    /// A link to `uri`, called `name`.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self(types::ResourceInfo {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            annotations: None,
            icons: Vec::new(),
            meta: None,
        })
    }

    /// A name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.0.title = Some(title.into());
        self
    }

    /// What it is.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.0.description = Some(description.into());
        self
    }

    /// Its MIME type.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.0.mime_type = Some(mime_type.into());
        self
    }

    /// Its size in bytes.
    #[must_use]
    pub fn size(mut self, bytes: u64) -> Self {
        self.0.size = Some(bytes);
        self
    }

    /// Whom it is meant for.
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

    /// When it was last changed, in ISO 8601.
    #[must_use]
    pub fn last_modified(mut self, when: impl Into<String>) -> Self {
        self.annotations().last_modified = Some(when.into());
        self
    }

    fn annotations(&mut self) -> &mut types::Annotations {
        self.0.annotations.get_or_insert_with(no_annotations)
    }

    /// Adds a picture of it.
    #[must_use]
    pub fn icon(mut self, icon: impl Into<Icon>) -> Self {
        self.0.icons.push(icon.into().0);
        self
    }

    /// Sets `_meta`.
    #[must_use]
    pub fn meta(mut self, meta: Map<String, Value>) -> Self {
        self.0.meta = Some(text_of(&Value::Object(meta)));
        self
    }
}

impl From<ResourceLink> for Content {
    fn from(link: ResourceLink) -> Self {
        Self::resource_link(link)
    }
}
