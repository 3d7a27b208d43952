//! What can go wrong with a request.

use std::fmt;

/// Why a request came to nothing: one sentence, made to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

/// What kind of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The address, the method or a header can't be sent.
    Url,
    /// The person did not grant it.
    Denied,
    /// It took too long.
    Timeout,
    /// More was sent or received than may be.
    TooLarge,
    /// It was redirected too often, or to where nothing can be asked for.
    Redirects,
    /// The answer can't be read as what it was taken for.
    Content,
    /// Anything else: no such host, no connection, a broken one.
    Failed,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The sentence.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
