//! What an error was caused by, in a form that can be sent from one process to
//! another.

use serde::{Deserialize, Serialize};

/// A cause with its own causes: their words, not their types.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Cause {
    text: String,
    source: Option<Box<Cause>>,
}

impl Cause {
    /// The words of `error` and of what caused it.
    pub(crate) fn of(error: &(dyn std::error::Error + 'static)) -> Self {
        Self {
            text: error.to_string(),
            source: error.source().map(|source| Box::new(Self::of(source))),
        }
    }

    /// The innermost cause, which in wasmtime's chains is the one that says
    /// most.
    pub(crate) fn root(&self) -> &Self {
        let mut cause = self;
        while let Some(source) = &cause.source {
            cause = source;
        }
        cause
    }
}

impl From<wasmtime::Error> for Cause {
    fn from(error: wasmtime::Error) -> Self {
        let error: &(dyn std::error::Error + 'static) = error.as_ref();
        Self::of(error)
    }
}

impl std::fmt::Display for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Cause {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let source = self.source.as_deref()?;
        Some(source)
    }
}
