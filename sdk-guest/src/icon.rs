//! Pictures of tools, prompts and resources.

use crate::bindings::types;

/// A picture for people (MCP `Icon`).
#[derive(Clone, Debug)]
pub struct Icon(pub(crate) types::Icon);

impl Icon {
    /// The picture at this `https:` or `data:` URI. Hosts drop any other.
    pub fn new(src: impl Into<String>) -> Self {
        Self(types::Icon {
            src: src.into(),
            mime_type: None,
            sizes: Vec::new(),
            theme: None,
        })
    }

    /// Its MIME type.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.0.mime_type = Some(mime_type.into());
        self
    }

    /// A size it has, such as `48x48`, or `any`.
    #[must_use]
    pub fn size(mut self, size: impl Into<String>) -> Self {
        self.0.sizes.push(size.into());
        self
    }

    /// It is drawn for a dark background.
    #[must_use]
    pub fn dark(mut self) -> Self {
        self.0.theme = Some(types::IconTheme::Dark);
        self
    }

    /// It is drawn for a light background.
    #[must_use]
    pub fn light(mut self) -> Self {
        self.0.theme = Some(types::IconTheme::Light);
        self
    }
}

impl From<&str> for Icon {
    fn from(src: &str) -> Self {
        Self::new(src)
    }
}

/// The icons of one thing.
pub fn icons<I: IntoIterator>(icons: I) -> Vec<types::Icon>
where
    I::Item: Into<Icon>,
{
    icons.into_iter().map(|icon| icon.into().0).collect()
}
