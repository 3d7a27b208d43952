//! From the exported interface to the methods that are prompts, and back.

use serde_json::{Map, Value};

use crate::bindings::prompts::exports::palisade::mcp::prompts as exported;
use crate::bindings::types::{self, Role};
use crate::plugin::{self, Plugin, refusal_or_questions};
use crate::schema::text_of;
use crate::{Content, Context, Error, Result};

/// A plugin that offers prompts. `#[plugin]` implements it.
pub trait Prompts: Plugin {
    /// Every prompt, in the order in which they are written.
    fn list() -> Vec<exported::Prompt>;

    /// Fills in a prompt.
    ///
    /// # Errors
    /// What the method returned, or there is no such prompt, or an argument is
    /// missing.
    fn get(
        &mut self,
        name: &str,
        arguments: &[(String, String)],
        context: &Context,
    ) -> Result<PromptResult>;
}

impl<T: Prompts> exported::Guest for T {
    fn list_prompts() -> Result<Vec<exported::Prompt>, types::Error> {
        Ok(T::list())
    }

    fn get_prompt(
        name: String,
        arguments: Vec<(String, String)>,
        context: types::Context,
    ) -> Result<exported::PromptOutcome, types::Error> {
        let context = Context::new(context);
        match plugin::with(|plugin: &mut T| plugin.get(&name, &arguments, &context)) {
            Ok(result) => Ok(exported::PromptOutcome::Complete(result.0)),
            Err(error) => refusal_or_questions(error).map(|questions| {
                exported::PromptOutcome::InputRequired(context.input_required(questions))
            }),
        }
    }
}

/// The answer where a prompt is not there.
#[must_use]
pub fn unknown_prompt(name: &str) -> Error {
    Error::not_found(format_args!("there is no prompt called {name:?}"))
}

/// An argument that may be left out.
#[must_use]
pub fn optional_text(arguments: &[(String, String)], name: &str) -> Option<String> {
    arguments
        .iter()
        .find(|(other, _)| other == name)
        .map(|(_, value)| value.clone())
}

/// An argument that may not be left out.
///
/// # Errors
/// It is.
pub fn required_text(arguments: &[(String, String)], name: &str) -> Result<String> {
    optional_text(arguments, name)
        .ok_or_else(|| Error::invalid_params(format_args!("the argument `{name}` is missing")))
}

/// What the attributes and comments say about a prompt.
#[derive(Clone, Debug)]
pub struct PromptEntry {
    /// Its name in the protocol.
    pub name: &'static str,
    /// Its name for people.
    pub title: Option<&'static str>,
    /// Its doc comment.
    pub description: &'static str,
    /// Its arguments.
    pub arguments: &'static [PromptArgument],
    /// `icons`
    pub icons: Vec<types::Icon>,
    /// `meta`
    pub meta: Option<String>,
}

/// What the attributes and comments say about an argument of a prompt.
#[derive(Clone, Copy, Debug)]
pub struct PromptArgument {
    /// Its name in the protocol.
    pub name: &'static str,
    /// Its name for people.
    pub title: Option<&'static str>,
    /// Its doc comment, empty if there is none.
    pub description: &'static str,
    /// Whether it may not be left out.
    pub required: bool,
}

impl PromptEntry {
    /// The prompt as clients see it.
    #[must_use]
    #[inline(never)]
    pub fn prompt(self) -> exported::Prompt {
        let argument = |argument: &PromptArgument| exported::PromptArgument {
            name: argument.name.to_owned(),
            title: argument.title.map(str::to_owned),
            description: (!argument.description.is_empty())
                .then(|| argument.description.to_owned()),
            required: argument.required,
        };
        exported::Prompt {
            name: self.name.to_owned(),
            title: self.title.map(str::to_owned),
            description: Some(self.description.to_owned()),
            arguments: self.arguments.iter().map(argument).collect(),
            icons: self.icons,
            meta: self.meta,
        }
    }
}

/// One turn of a prepared conversation (MCP `PromptMessage`).
#[derive(Clone, Debug)]
pub struct Message(exported::PromptMessage);

impl Message {
    /// The user says this: a text, or [`Content`] of any kind.
    pub fn user(content: impl Into<Content>) -> Self {
        Self::new(Role::User, content.into())
    }

    /// The model says this.
    pub fn assistant(content: impl Into<Content>) -> Self {
        Self::new(Role::Assistant, content.into())
    }

    fn new(role: Role, content: Content) -> Self {
        Self(exported::PromptMessage {
            role,
            content: content.0,
        })
    }
}

/// A prompt filled in, where messages alone do not say it all (MCP
/// `GetPromptResult`).
#[derive(Clone, Debug)]
pub struct PromptResult(exported::PromptResult);

impl PromptResult {
    /// These messages.
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Self {
        Self(exported::PromptResult {
            description: None,
            messages: messages.into_iter().map(|message| message.0).collect(),
            meta: None,
        })
    }

    /// What the conversation is about.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.0.description = Some(description.into());
        self
    }

    /// Sets `_meta`.
    #[must_use]
    pub fn meta(mut self, meta: Map<String, Value>) -> Self {
        self.0.meta = Some(text_of(&Value::Object(meta)));
        self
    }
}

/// Everything a prompt may return: text that the user says, a [`Message`] or a
/// `Vec` of it, a [`PromptResult`], or a `Result` of any of these.
#[diagnostic::on_unimplemented(
    message = "a prompt cannot return `{Self}`",
    label = "not something a prompt can return",
    note = "it can return `String`, `&'static str`, `Message`, `Vec<Message>`, `PromptResult`, or \
            a `Result` of one of these"
)]
pub trait IntoPrompt {
    /// Makes the result.
    ///
    /// # Errors
    /// What the method returned.
    fn into_prompt(self) -> Result<PromptResult>;
}

impl IntoPrompt for PromptResult {
    fn into_prompt(self) -> Result<PromptResult> {
        Ok(self)
    }
}

impl IntoPrompt for String {
    fn into_prompt(self) -> Result<PromptResult> {
        Ok(PromptResult::new([Message::user(self)]))
    }
}

impl IntoPrompt for &'static str {
    fn into_prompt(self) -> Result<PromptResult> {
        Ok(PromptResult::new([Message::user(self)]))
    }
}

impl IntoPrompt for Message {
    fn into_prompt(self) -> Result<PromptResult> {
        Ok(PromptResult::new([self]))
    }
}

impl IntoPrompt for Vec<Message> {
    fn into_prompt(self) -> Result<PromptResult> {
        Ok(PromptResult::new(self))
    }
}

impl<T: IntoPrompt, E: Into<Error>> IntoPrompt for std::result::Result<T, E> {
    fn into_prompt(self) -> Result<PromptResult> {
        self.map_err(Into::into)?.into_prompt()
    }
}
