//! Values that nobody but the host may see, and where they are kept.
//!
//! A [`SecretValue`] is bounded and checked, shows nothing of itself in messages
//! and logs, and is overwritten when it is no longer needed. A [`Store`] keeps
//! values by name, each in a file that only its owner can read.
//!
//! Knows nothing of plugins, grants or requests.

mod private;
mod store;
mod value;

pub use store::{Store, StoreError};
pub use value::{BadValue, MAX_BYTES, SecretValue};
