//! Plugins from elsewhere: fetched, checked, and kept.
//!
//! A [`Source`] is where a plugin comes from: a path, `https://…` or `oci://…`. A
//! [`Fetcher`] brings its bytes into the store's own directory, hashed before
//! anybody parses them. A [`Store`] keeps components by their digest, and
//! `palisade.lock` says which of them is installed under which name, from where,
//! and what a person saw of it when they agreed.
//!
//! ```
//! use palisade_registry::Source;
//!
//! let source: Source = "oci://ghcr.io/team/notes:1.0".parse()?;
//! assert!(matches!(&source, Source::Oci(notes) if notes.tag() == Some("1.0")));
//! assert!("http://example.com/notes.wasm".parse::<Source>().is_err());
//! # Ok::<(), palisade_registry::SourceError>(())
//! ```
//!
//! Knows nothing of running: whoever wants to know what a component is asks
//! somebody else.

mod digest;
mod dir;
mod error;
mod fault;
mod fetch;
pub mod fuzzing;
mod journal;
mod lock;
mod oci;
mod offer;
mod source;
mod stamp;
mod store;
mod temp;
mod writer;

pub use digest::{BadDigest, Digest};
pub use error::StoreError;
pub use fetch::{Beside, FetchError, Fetched, Fetcher, Limits, Pin, Progress, Told, beside_file};
pub use lock::Entry;
pub use oci::{Credentials, Pushed};
pub use offer::{Offer, OfferDigests, canonical, definition_digest};
pub use source::{OciReference, Source, SourceError, WebAddress};
pub use stamp::Stamp;
pub use store::{LARGEST_BLOB, Snapshot, Store};
pub use temp::TempBlob;
pub use writer::{Before, Change, EntryChange, FileChange, Writer};
