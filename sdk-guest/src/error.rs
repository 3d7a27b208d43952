//! What a tool returns when it did not work.

use std::fmt::{self, Display, Write as _};

use serde_json::Value;

use crate::bindings::types;
use crate::schema::text_of;

/// A tool's result: the value, or an [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call failed.
///
/// `?` turns every [`std::error::Error`] into one, with the whole chain of
/// causes in its message. Like [`Error::msg`] and [`bail!`](crate::bail) it
/// becomes a tool result with `isError`, which a model reads and may act on.
/// The other constructors refuse the request itself, as a JSON-RPC error.
///
/// It does not implement [`std::error::Error`] (the conversion above would be
/// ambiguous); its [`Display`] text is the message.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: String,
    data: Option<Value>,
    questions: Vec<types::InputRequest>,
}

/// What an [`Error`] becomes.
pub(crate) enum Failure {
    /// A result that says this.
    Tool(String),
    /// A refusal.
    Protocol(types::Error),
    /// These questions.
    Ask(Vec<types::InputRequest>),
}

/// How an [`Error`] reaches the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A tool result with `isError`: the call ran and did not work.
    Tool,
    /// The arguments are unusable (JSON-RPC -32602).
    InvalidParams,
    /// There is no such thing.
    NotFound,
    /// The plugin does not do this (JSON-RPC -32601).
    Unsupported,
    /// It is not permitted.
    Denied,
    /// Anything else (JSON-RPC -32603).
    Internal,
    /// No failure: the client has to answer first, see
    /// [`Context::ask`](crate::Context::ask).
    InputRequired,
}

impl Error {
    /// A failure to be told to the model, in one clear sentence.
    pub fn msg(message: impl Display) -> Self {
        Self::new(ErrorKind::Tool, message)
    }

    /// Refuses the request: its arguments are unusable.
    pub fn invalid_params(message: impl Display) -> Self {
        Self::new(ErrorKind::InvalidParams, message)
    }

    /// Refuses the request: what it names does not exist.
    pub fn not_found(message: impl Display) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// Refuses the request: this plugin does not do that.
    pub fn unsupported(message: impl Display) -> Self {
        Self::new(ErrorKind::Unsupported, message)
    }

    /// Refuses the request: it is not permitted.
    pub fn denied(message: impl Display) -> Self {
        Self::new(ErrorKind::Denied, message)
    }

    /// Refuses the request: the plugin itself is at fault.
    pub fn internal(message: impl Display) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    pub(crate) fn input_required(questions: Vec<types::InputRequest>) -> Self {
        let mut error = Self::new(ErrorKind::InputRequired, "the client has to answer first");
        error.0.questions = questions;
        error
    }

    fn new(kind: ErrorKind, message: impl Display) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.to_string(),
            data: None,
            questions: Vec::new(),
        }))
    }

    /// Adds JSON for programs to read. Only protocol errors carry it.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.0.data = Some(data);
        self
    }

    /// Puts what was being done in front of the message: `doing: why`.
    #[must_use]
    pub fn context(mut self, doing: impl Display) -> Self {
        self.0.message = format!("{doing}: {}", self.0.message);
        self
    }

    /// How it reaches the caller.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The message, causes included.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The keys of the questions that have to be answered first.
    pub fn asks(&self) -> impl Iterator<Item = &str> {
        self.0.questions.iter().map(|question| &question.key[..])
    }

    /// What becomes of it.
    pub(crate) fn into_failure(self) -> Failure {
        let Inner {
            kind,
            message,
            data,
            questions,
        } = *self.0;
        let kind = match kind {
            ErrorKind::Tool => return Failure::Tool(message),
            ErrorKind::InputRequired => return Failure::Ask(questions),
            ErrorKind::InvalidParams => types::ErrorKind::InvalidParams,
            ErrorKind::NotFound => types::ErrorKind::NotFound,
            ErrorKind::Unsupported => types::ErrorKind::Unsupported,
            ErrorKind::Denied => types::ErrorKind::Denied,
            ErrorKind::Internal => types::ErrorKind::Internal,
        };
        Failure::Protocol(types::Error {
            kind,
            message,
            data: data.map(|data| text_of(&data)),
        })
    }
}

impl<E: std::error::Error> From<E> for Error {
    fn from(error: E) -> Self {
        let mut message = plain(&error.to_string()).to_owned();
        let mut cause = error.source();
        while let Some(error) = cause {
            let text = error.to_string();
            let text = plain(&text);
            // Many errors already print their cause.
            if !message.ends_with(text) {
                // Writing to a String does not fail.
                let _ = write!(message, ": {text}");
            }
            cause = error.source();
        }
        Self::msg(message)
    }
}

/// Without the number of an operating system's error, which differs between
/// systems and tells nobody anything.
fn plain(text: &str) -> &str {
    text.rsplit_once('(')
        .and_then(|(before, number)| {
            let number = number.strip_prefix("os error ")?.strip_suffix(')')?;
            number.parse::<i32>().ok()?;
            before.strip_suffix(' ')
        })
        .unwrap_or(text)
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.0.kind, self.0.message)
    }
}

/// `.context("…")` on results and options.
pub trait ResultExt<T> {
    /// Says what was being done when it failed, in front of the reason.
    ///
    /// # Errors
    /// The error that was there, or, for `None`, one with this text.
    fn context(self, doing: impl Display) -> Result<T>;

    /// As [`context`](Self::context), for a text that costs something to make.
    ///
    /// # Errors
    /// As [`context`](Self::context).
    fn with_context<D: Display>(self, doing: impl FnOnce() -> D) -> Result<T>;
}

impl<T, E: Into<Error>> ResultExt<T> for std::result::Result<T, E> {
    fn context(self, doing: impl Display) -> Result<T> {
        self.map_err(|error| error.into().context(doing))
    }

    fn with_context<D: Display>(self, doing: impl FnOnce() -> D) -> Result<T> {
        self.map_err(|error| error.into().context(doing()))
    }
}

impl<T> ResultExt<T> for Option<T> {
    fn context(self, doing: impl Display) -> Result<T> {
        self.ok_or_else(|| Error::msg(doing))
    }

    fn with_context<D: Display>(self, doing: impl FnOnce() -> D) -> Result<T> {
        self.ok_or_else(|| Error::msg(doing()))
    }
}

/// Ends a tool with a message for the model: `bail!("no city called {city}")`.
#[macro_export]
macro_rules! bail {
    ($($message:tt)+) => {
        return ::core::result::Result::Err(
            ::core::convert::From::from($crate::Error::msg(::core::format_args!($($message)+))),
        )
    };
}
