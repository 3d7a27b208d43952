//! Secrets on their way out, and kept from coming back.
//!
//! An [`Injector`] adds a plugin's secrets to the requests they are for, after
//! the rules have let a request through: the guest never holds them. What comes
//! back from such a destination goes through a [`Mask`], which puts `*` in the
//! place of a secret wherever it stands in headers, body, trailers and errors, in
//! plain and in the usual encodings. Lengths stay as they are.
//!
//! Two things a mask must not do. It must not be got round: an answer that is
//! compressed, or part of one, is refused, since a secret in it would not be
//! found. And it must not be asked what a secret is: what it holds back of an
//! answer, to see what comes next, depends on nothing that is secret.

mod body;
mod forms;
mod inject;
mod mask;
mod scan;
mod spelling;

pub use body::Masked;
pub use inject::{Injector, InjectorError};
pub use mask::Mask;
