//! Values that nobody but the host may see, and where they are kept.
//!
//! A [`SecretValue`] is bounded and checked, shows nothing of itself in messages
//! and logs, and is overwritten when it is no longer needed. A [`Store`] keeps
//! values by name, each in the system's keyring or in a file that only its owner can
//! read.
//!
//! Knows nothing of plugins, grants or requests.

mod keyring;
mod private;
mod store;
mod value;

pub use self::keyring::{Keyring, KeyringError, serve_keyring};
pub use store::{Kept, Place, Store, StoreError};
pub use value::{BadValue, MAX_BYTES, SecretValue};
