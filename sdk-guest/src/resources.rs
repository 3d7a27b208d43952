//! From the exported interface to the methods that are resources, and back.

use std::str::FromStr;

use serde_json::{Map, Value, json};

use crate::bindings::resources::exports::palisade::mcp::resources::{
    Guest, ReadOutcome, ResourceTemplate,
};
use crate::bindings::types;
use crate::plugin::{self, Plugin, refusal, refusal_or_questions};
use crate::schema::text_of;
use crate::{Context, Error, ResourceLink, Result};

/// A plugin that offers resources. `#[plugin]` implements it.
pub trait Resources: Plugin {
    /// The resources that exist now.
    ///
    /// # Errors
    /// What the method marked `#[resources]` returned.
    fn list(&mut self, context: &Context) -> Result<Vec<types::ResourceInfo>>;

    /// Every family of resources.
    fn templates() -> Vec<ResourceTemplate>;

    /// Reads a resource.
    ///
    /// # Errors
    /// What the method returned, or there is no such resource.
    fn read(&mut self, uri: &str, context: &Context) -> Result<Vec<types::ResourceContents>>;
}

impl<T: Resources> Guest for T {
    fn list_resources(context: types::Context) -> Result<Vec<types::ResourceInfo>, types::Error> {
        let context = Context::new(context);
        plugin::with(|plugin: &mut T| Resources::list(plugin, &context)).map_err(refusal)
    }

    fn list_templates() -> Result<Vec<ResourceTemplate>, types::Error> {
        Ok(T::templates())
    }

    fn read_resource(uri: String, context: types::Context) -> Result<ReadOutcome, types::Error> {
        let context = Context::new(context);
        match plugin::with(|plugin: &mut T| plugin.read(&uri, &context)) {
            Ok(contents) => Ok(ReadOutcome::Complete(contents)),
            Err(error) => refusal_or_questions(error)
                .map(|questions| ReadOutcome::InputRequired(context.input_required(questions))),
        }
    }
}

/// The answer to the reading of a resource that is not there.
#[must_use]
pub fn unknown_resource(uri: &str) -> Error {
    Error::not_found(format_args!("there is no resource {uri:?}")).with_data(json!({ "uri": uri }))
}

/// A template's variable as the type of a parameter.
///
/// # Errors
/// It cannot be one, so there is no such resource.
pub fn variable<T: FromStr>(values: &[String], place: usize, uri: &str) -> Result<T> {
    values
        .get(place)
        .and_then(|value| value.parse().ok())
        .ok_or_else(|| unknown_resource(uri))
}

/// What the attributes and comments say about a resource or a template.
#[derive(Clone, Debug)]
pub struct ResourceEntry {
    /// Its address, or the template of its address.
    pub uri: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: Option<&'static str>,
    /// Its doc comment.
    pub description: &'static str,
    /// `mime_type`
    pub mime_type: Option<&'static str>,
    /// `size`
    pub size: Option<u64>,
    /// `icons`
    pub icons: Vec<types::Icon>,
    /// `meta`
    pub meta: Option<String>,
}

impl ResourceEntry {
    /// The resource as clients see it.
    #[must_use]
    #[inline(never)]
    pub fn resource(self) -> types::ResourceInfo {
        types::ResourceInfo {
            uri: self.uri.to_owned(),
            name: self.name.to_owned(),
            title: self.title.map(str::to_owned),
            description: Some(self.description.to_owned()),
            mime_type: self.mime_type.map(str::to_owned),
            size: self.size,
            annotations: None,
            icons: self.icons,
            meta: self.meta,
        }
    }

    /// The template as clients see it.
    #[must_use]
    #[inline(never)]
    pub fn template(self) -> ResourceTemplate {
        ResourceTemplate {
            uri_template: self.uri.to_owned(),
            name: self.name.to_owned(),
            title: self.title.map(str::to_owned),
            description: Some(self.description.to_owned()),
            mime_type: self.mime_type.map(str::to_owned),
            annotations: None,
            icons: self.icons,
            meta: self.meta,
        }
    }
}

/// What is read at one address, where text or bytes alone do not say it all.
#[derive(Clone, Debug)]
pub struct Contents {
    uri: Option<String>,
    mime_type: Option<String>,
    body: types::ResourceBody,
    meta: Option<String>,
}

impl Contents {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(types::ResourceBody::Text(text.into()))
    }

    /// Bytes (not base64).
    pub fn blob(bytes: impl Into<Vec<u8>>) -> Self {
        Self::new(types::ResourceBody::Blob(bytes.into()))
    }

    fn new(body: types::ResourceBody) -> Self {
        Self {
            uri: None,
            mime_type: None,
            body,
            meta: None,
        }
    }

    /// Its own address, if it is not the one that was read.
    #[must_use]
    pub fn uri(mut self, uri: impl Into<String>) -> Self {
        self.uri = Some(uri.into());
        self
    }

    /// Its MIME type, if it is not the one in the attribute.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Sets `_meta`.
    #[must_use]
    pub fn meta(mut self, meta: Map<String, Value>) -> Self {
        self.meta = Some(text_of(&Value::Object(meta)));
        self
    }
}

/// Everything a resource may be: text, bytes, [`Contents`] or a `Vec` of it, or
/// a `Result` of any of these.
#[diagnostic::on_unimplemented(
    message = "a resource cannot be `{Self}`",
    label = "not something a resource can be",
    note = "it can be `String`, `&'static str`, `Vec<u8>`, `Contents`, `Vec<Contents>`, or a \
            `Result` of one of these"
)]
pub trait IntoContents {
    /// The contents.
    ///
    /// # Errors
    /// What the method returned.
    fn into_contents(self) -> Result<Vec<Contents>>;
}

impl IntoContents for String {
    fn into_contents(self) -> Result<Vec<Contents>> {
        Ok(vec![Contents::text(self)])
    }
}

impl IntoContents for &'static str {
    fn into_contents(self) -> Result<Vec<Contents>> {
        Ok(vec![Contents::text(self)])
    }
}

impl IntoContents for Vec<u8> {
    fn into_contents(self) -> Result<Vec<Contents>> {
        Ok(vec![Contents::blob(self)])
    }
}

impl IntoContents for Contents {
    fn into_contents(self) -> Result<Vec<Contents>> {
        Ok(vec![self])
    }
}

impl IntoContents for Vec<Contents> {
    fn into_contents(self) -> Result<Vec<Contents>> {
        Ok(self)
    }
}

impl<T: IntoContents, E: Into<Error>> IntoContents for std::result::Result<T, E> {
    fn into_contents(self) -> Result<Vec<Contents>> {
        self.map_err(Into::into)?.into_contents()
    }
}

/// Fills in what the method left out.
///
/// # Errors
/// What the method returned.
pub fn contents<T: IntoContents>(
    read: T,
    uri: &str,
    mime_type: Option<&str>,
) -> Result<Vec<types::ResourceContents>> {
    let fill = |contents: Contents| types::ResourceContents {
        uri: contents.uri.unwrap_or_else(|| uri.to_owned()),
        mime_type: contents.mime_type.or_else(|| mime_type.map(str::to_owned)),
        body: contents.body,
        meta: contents.meta,
    };
    Ok(read.into_contents()?.into_iter().map(fill).collect())
}

/// What a method marked `#[resources]` may return: a `Vec<ResourceLink>`, or a
/// `Result` of one.
#[diagnostic::on_unimplemented(
    message = "a list of resources cannot be `{Self}`",
    label = "not a list of resources",
    note = "it can be `Vec<ResourceLink>`, or a `Result` of one"
)]
pub trait IntoResources {
    /// The list.
    ///
    /// # Errors
    /// What the method returned.
    fn into_resources(self) -> Result<Vec<types::ResourceInfo>>;
}

impl IntoResources for Vec<ResourceLink> {
    fn into_resources(self) -> Result<Vec<types::ResourceInfo>> {
        Ok(self.into_iter().map(|link| link.0).collect())
    }
}

impl<T: IntoResources, E: Into<Error>> IntoResources for std::result::Result<T, E> {
    fn into_resources(self) -> Result<Vec<types::ResourceInfo>> {
        self.map_err(Into::into)?.into_resources()
    }
}
