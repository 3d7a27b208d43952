//! Secrets on their way out, and kept from coming back.
//!
//! An [`Injector`] adds a plugin's secrets to the requests they are for, after
//! the rules have let a request through: the guest never holds them. What comes
//! back from such a destination goes through a [`Mask`], which puts `*` in the
//! place of a secret wherever it stands in headers, body, trailers and errors, in
//! plain and in the usual encodings. Lengths stay as they are.
//!
//! What is looked for is the secret, and its Base64 and hexadecimal; it is looked
//! for in the text as it is, and in the text with its escapes undone, once, twice
//! and three times. So it does not matter which of its characters are escaped,
//! nor how.
//!
//! Two things a mask must not do. It must not be got round: an answer that is
//! compressed, or part of one, is refused, since a secret in it would not be
//! found. And it must not be asked what a secret is: what it holds back of an
//! answer, to see what comes next, depends on nothing that is secret.

mod body;
mod cut;
mod escape;
mod forms;
mod inject;
mod mask;
mod scan;
mod spelling;
mod track;

pub use body::Masked;
pub use inject::{Injector, InjectorError};
pub use mask::Mask;

/// How often escapes are undone.
const DEPTH: usize = 3;
