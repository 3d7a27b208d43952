//! Why something can't be packed, or read back.

use palisade_policy::ParseError;
use thiserror::Error;

/// Why something can't be packed, or read back.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PackageError {
    /// It is a core module.
    #[error(
        "it is a core WebAssembly module, not a component; build it for wasm32-wasip2, or wrap \
         it with `wasm-tools component new`"
    )]
    Module,
    /// It is no WebAssembly, or a broken one.
    #[error("it is not a whole WebAssembly component: {0}")]
    Damaged(String),
    /// The manifest is not one.
    #[error("{0}")]
    Manifest(#[from] ParseError),
    /// The manifest's `license` is not what other tools can read.
    #[error("`license` is {found:?}, which is no SPDX expression: {why}")]
    Licence {
        /// What is there.
        found: String,
        /// What is wrong with it.
        why: String,
    },
    /// A text is too large.
    #[error("{what} is {size} bytes, more than the {most} it may be")]
    TooLarge {
        /// Which one.
        what: &'static str,
        /// What it has.
        size: usize,
        /// What it may have.
        most: usize,
    },
    /// A text of a package is not UTF-8.
    #[error("{0} in it is not UTF-8")]
    NotText(&'static str),
    /// A package has a text twice.
    #[error("{0} is in it twice")]
    Twice(&'static str),
}
