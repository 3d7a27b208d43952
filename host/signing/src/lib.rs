//! Who made these bytes: signatures, and whom a person trusts.
//!
//! A plugin may carry a signature in itself (`palisade sign`, the format of the
//! WebAssembly tool conventions), or have Sigstore bundles beside it. Either is
//! looked at by [`embedded`] and [`Root::check`], which say who it was, or why it is
//! wrong; what is signed and wrong is never taken for unsigned. [`Trust`] is what a
//! person wrote about whom to trust with what.
//!
//! Bytes in, a verdict out: this crate fetches nothing, and runs nothing.

mod bundle;
mod embedded;
mod error;
pub mod fuzzing;
mod key;
mod pattern;
mod provider;
mod secret;
mod signer;
mod trust;

pub use bundle::{LARGEST_BUNDLE, LARGEST_ROOT, Root};
pub use embedded::{Sealed, embedded, is_broken, sign};
pub use error::{BadSignature, KeyError, TrustError};
pub use key::Key;
pub use secret::SecretKey;
pub use signer::Signer;
pub use trust::{Standing, Trust};
