//! What a tool may return.

use schemars::JsonSchema;
use serde::Serialize;

use crate::bindings::types;
use crate::{Content, Error, Result, schema};

/// A result, built by hand (MCP `CallToolResult`).
///
/// Most tools return something simpler that becomes one, see
/// [`IntoToolResult`].
#[derive(Clone, Debug)]
pub struct ToolResult(pub(crate) types::ToolResult);

impl ToolResult {
    /// A result of these blocks.
    pub fn new(content: impl IntoIterator<Item = Content>) -> Self {
        Self(types::ToolResult {
            content: content.into_iter().map(|content| content.0).collect(),
            structured_content: None,
            is_error: false,
            meta: None,
        })
    }

    /// A failure for the model to read, in one block of text.
    pub fn error(message: impl Into<String>) -> Self {
        let mut result = Self::new([Content::text(message)]);
        result.0.is_error = true;
        result
    }

    /// Marks the result as a failure.
    #[must_use]
    pub fn failed(mut self) -> Self {
        self.0.is_error = true;
        self
    }

    /// Adds a block.
    #[must_use]
    pub fn with(mut self, content: impl Into<Content>) -> Self {
        self.0.content.push(content.into().0);
        self
    }

    /// Sets `structuredContent`. A tool that always has some returns
    /// [`Json`], which also tells clients its shape.
    ///
    /// # Errors
    /// The value has no JSON, for example a map whose keys are not strings.
    pub fn structured(mut self, value: &impl Serialize) -> Result<Self> {
        self.0.structured_content = Some(to_json(value)?);
        Ok(self)
    }

    /// Sets `_meta`.
    #[must_use]
    pub fn meta(mut self, meta: serde_json::Map<String, serde_json::Value>) -> Self {
        self.0.meta = Some(schema::text_of(&serde_json::Value::Object(meta)));
        self
    }
}

/// A structured result, whose shape clients learn from the type.
///
/// The value becomes `structuredContent`. Unless blocks of its own are given,
/// the same JSON is there once more as text, for clients that read only that.
#[derive(Clone, Debug)]
pub struct Json<T> {
    value: T,
    content: Option<Vec<Content>>,
}

impl<T> Json<T> {
    /// A result of this value.
    pub fn new(value: T) -> Self {
        Self {
            value,
            content: None,
        }
    }

    /// Shows these blocks instead of the value's JSON.
    #[must_use]
    pub fn with_content(mut self, content: impl IntoIterator<Item = Content>) -> Self {
        self.content = Some(content.into_iter().collect());
        self
    }
}

impl<T> From<T> for Json<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

/// What the value in a [`Json`] has to be: writable as JSON, and able to
/// describe itself. Every type that is both `Serialize` and `JsonSchema` is one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a structured result",
    label = "not something that can be written as JSON and described to a client",
    note = "put `#[derive(Serialize, JsonSchema)]` on it"
)]
pub trait Structured: Serialize + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> Structured for T {}

/// Everything a tool may return: nothing, text, [`Content`] or a `Vec` of it,
/// [`Json`], [`ToolResult`], or a `Result` of any of these.
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    label = "not something a tool can return",
    note = "it can return `()`, `String`, `&'static str`, `Content`, `Vec<Content>`, `Json<T>`, \
            `ToolResult`, or a `Result` of one of these",
    note = "wrap other values: `Json<{Self}>` if it is `Serialize` and `JsonSchema`"
)]
pub trait IntoToolResult {
    /// The JSON Schema of the structured content, as JSON text; `None` where
    /// there is none.
    fn output_schema() -> Option<String> {
        None
    }

    /// Makes the result.
    ///
    /// # Errors
    /// What the tool returned, or a value that has no JSON.
    fn into_tool_result(self) -> Result<ToolResult>;
}

impl IntoToolResult for ToolResult {
    fn into_tool_result(self) -> Result<ToolResult> {
        Ok(self)
    }
}

impl IntoToolResult for () {
    fn into_tool_result(self) -> Result<ToolResult> {
        Ok(ToolResult::new([]))
    }
}

impl IntoToolResult for String {
    fn into_tool_result(self) -> Result<ToolResult> {
        Ok(ToolResult::new([Content::text(self)]))
    }
}

impl IntoToolResult for &'static str {
    fn into_tool_result(self) -> Result<ToolResult> {
        Ok(ToolResult::new([Content::text(self)]))
    }
}

impl IntoToolResult for Content {
    fn into_tool_result(self) -> Result<ToolResult> {
        Ok(ToolResult::new([self]))
    }
}

impl IntoToolResult for Vec<Content> {
    fn into_tool_result(self) -> Result<ToolResult> {
        Ok(ToolResult::new(self))
    }
}

impl<T: Structured> IntoToolResult for Json<T> {
    fn output_schema() -> Option<String> {
        Some(schema::output_of::<T>())
    }

    fn into_tool_result(self) -> Result<ToolResult> {
        let json = to_json(&self.value)?;
        let content = match self.content {
            Some(content) => content,
            None => vec![Content::text(json.clone())],
        };
        let mut result = ToolResult::new(content);
        result.0.structured_content = Some(json);
        Ok(result)
    }
}

impl<T: IntoToolResult, E: Into<Error>> IntoToolResult for std::result::Result<T, E> {
    fn output_schema() -> Option<String> {
        T::output_schema()
    }

    fn into_tool_result(self) -> Result<ToolResult> {
        self.map_err(Into::into)?.into_tool_result()
    }
}

fn to_json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| Error::internal(format!("the result has no JSON: {error}")))
}
