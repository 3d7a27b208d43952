//! Why something can't be fetched: one sentence each.

use std::path::PathBuf;

use palisade_net::NetError;

use crate::digest::Digest;
use crate::error::StoreError;

/// Why a plugin can't be fetched or pushed. Nothing of it is left.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// There is no such file.
    #[error("there is no file {}{}", path.display(), match registry { true => "; for one in a registry, write oci:// before it", false => "" })]
    NoFile {
        /// Where it should be.
        path: PathBuf,
        /// Whether it looks like something in a registry.
        registry: bool,
    },
    /// Not a file that can be a plugin.
    #[error("{} is {what}; name the .wasm file itself", path.display())]
    NotAFile {
        /// What is not.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// The system refuses it.
    #[error("{} can't be read: {source}", path.display())]
    Unreadable {
        /// What.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Something else than WebAssembly.
    #[error("{from} is {what}")]
    NotWasm {
        /// What it came from.
        from: String,
        /// What it is.
        what: &'static str,
    },
    /// More than is taken.
    #[error("{from} is larger than {limit} bytes")]
    TooLarge {
        /// What is.
        from: String,
        /// How much is taken.
        limit: u64,
    },
    /// Not as much as was announced.
    #[error("{from} has {found} bytes where {size} were announced")]
    Length {
        /// What has.
        from: String,
        /// How many came.
        found: u64,
        /// How many should have.
        size: u64,
    },
    /// It could not be reached, or broke off.
    #[error("{from} can't be fetched: {}", .source.sentence())]
    Net {
        /// What.
        from: String,
        /// Why.
        #[source]
        source: Box<NetError>,
    },
    /// The server said no.
    #[error("{from} can't be fetched: the server answers {status}{hint}")]
    Status {
        /// What.
        from: String,
        /// In which code of HTTP.
        status: u16,
        /// What that means.
        hint: &'static str,
    },
    /// It leads somewhere it may not.
    #[error("{from} leads to `{to}`, which {why}")]
    Redirect {
        /// What does.
        from: String,
        /// Where to.
        to: String,
        /// Why that is not followed.
        why: String,
    },
    /// It came so slowly that it would never end.
    #[error("{from} comes too slowly ({received} bytes in {seconds} s); try again later")]
    Slow {
        /// What does.
        from: String,
        /// What has come.
        received: u64,
        /// In which time.
        seconds: u64,
    },
    /// Other bytes than those that were installed.
    #[error(
        "{from} is not what it was: it should be {expected} and is {found}; `palisade update` shows what has changed"
    )]
    Changed {
        /// What has changed.
        from: String,
        /// What it was.
        expected: Digest,
        /// What it is.
        found: Digest,
    },
    /// What a registry has there can't be taken.
    #[error("{reference} can't be used: {why}")]
    Artifact {
        /// What.
        reference: String,
        /// Why.
        why: String,
    },
    /// A registry wants to know who asks.
    #[error("the registry {registry} {why}")]
    Login {
        /// Which.
        registry: String,
        /// What about it.
        why: String,
    },
    /// It can't be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A thread of this program broke off.
    #[error("fetching broke off")]
    Broken,
}

/// What a status of HTTP means to a person.
pub(crate) fn hint(status: u16) -> &'static str {
    match status {
        401 | 403 => ", which means that it wants to know who asks, or says no to them",
        404 | 410 => ", which means that there is no such thing",
        429 => ", which means that it wants to be left alone for a while",
        500..=599 => ", which means that something is wrong with it",
        _ => "",
    }
}
