//! From a source to bytes in the store's own directory, hashed.

use std::collections::BTreeMap;

use palisade_net::Outside;

use crate::digest::Digest;
use crate::lock::Entry;
use crate::oci::{self, Credentials};
use crate::source::Source;
use crate::store::Store;
use crate::temp::TempBlob;

pub(crate) mod beside;
pub(crate) mod error;
pub(crate) mod limits;
mod local;
mod look;
mod sink;
pub(crate) mod web;

pub use beside::{Beside, of_file as beside_file};
pub use error::FetchError;
pub use limits::Limits;
use web::{Ask, Web, good};

/// Brings plugins from where they are.
///
/// What a person named is asked, and where that leads is followed as far as it is
/// `https://` and on the public internet. What comes is bounded in size and in time,
/// and is hashed while it is written; nobody has parsed it.
#[derive(Clone, Default)]
pub struct Fetcher {
    pub(crate) outside: Outside,
    pub(crate) limits: Limits,
    pub(crate) credentials: Credentials,
}

/// What was fetched.
#[derive(Debug)]
pub struct Fetched {
    /// Its bytes, in the store's directory and not yet part of it.
    pub blob: TempBlob,
    /// Their digest.
    pub digest: Digest,
    /// In a registry, the digest of the manifest that the tag led to.
    pub manifest: Option<Digest>,
    /// In a registry, the manifests that led to it, as they are written. Each names
    /// the next by its digest, and the last one the component.
    pub chain: Vec<Vec<u8>>,
    /// What lies beside it and may say who made it. Nobody has looked into it.
    pub beside: Vec<Beside>,
    /// What the manifest says of itself: words of a stranger, bounded in size alone.
    pub annotations: BTreeMap<String, String>,
}

/// What something has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pin {
    /// The component.
    pub digest: Digest,
    /// In a registry, the manifest that leads to it.
    pub manifest: Option<Digest>,
}

impl From<&Entry> for Pin {
    fn from(entry: &Entry) -> Self {
        Self {
            digest: entry.digest,
            manifest: entry.manifest,
        }
    }
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that have come.
    pub received: u64,
    /// Bytes there are, where somebody said so.
    pub total: Option<u64>,
}

/// Who is told how far it is.
pub type Told<'a> = &'a mut (dyn FnMut(Progress) + Send);

impl Fetcher {
    /// Reaches the network by `outside`, which paths do not need.
    #[must_use]
    pub fn new(outside: Outside) -> Self {
        Self {
            outside,
            ..Self::default()
        }
    }

    /// The same within other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The same with logins at registries. None are used otherwise.
    #[must_use]
    pub fn with_credentials(self, credentials: Credentials) -> Self {
        Self {
            credentials,
            ..self
        }
    }

    /// Fetches what is there now. A tag is resolved once; what comes after goes by
    /// digest.
    ///
    /// # Errors
    /// [`FetchError`]; nothing is left then.
    pub async fn fetch(
        &self,
        store: &Store,
        source: &Source,
        progress: Told<'_>,
    ) -> Result<Fetched, FetchError> {
        match source {
            Source::Path(path) => {
                let (blob, digest) = local::fetch(store, path, &self.limits, progress).await?;
                let beside = beside::of_file(path)?;
                Ok(Fetched::of(blob, digest).with(beside))
            }
            Source::Web(address) => {
                let web = Web::new(&self.outside, &self.limits, address.clone());
                let answer = web.follow(Ask::get(address.clone())).await?;
                let from = address.to_string();
                let answer = good(&from, answer)?;
                let coming = web.component(store, &from, answer, None, progress);
                let (blob, digest) = coming.await?;
                let beside = beside::of_address(&web, address).await?;
                Ok(Fetched::of(blob, digest).with(beside))
            }
            Source::Oci(reference) => oci::pull(self, store, reference, progress).await,
        }
    }

    /// Fetches what was installed, and nothing else: from a registry by digest, also
    /// if the tag now leads elsewhere.
    ///
    /// # Errors
    /// [`FetchError::Changed`] if other bytes come, and others.
    pub async fn fetch_pinned(
        &self,
        store: &Store,
        source: &Source,
        pin: Pin,
        progress: Told<'_>,
    ) -> Result<Fetched, FetchError> {
        let exactly = match (source, pin.manifest) {
            (Source::Oci(reference), Some(manifest)) => Source::Oci(reference.at(manifest)),
            _ => source.clone(),
        };
        let fetched = self.fetch(store, &exactly, progress).await?;
        match fetched.digest == pin.digest {
            true => Ok(fetched),
            false => Err(FetchError::Changed {
                from: source.to_string(),
                expected: pin.digest,
                found: fetched.digest,
            }),
        }
    }
}

impl Fetched {
    fn with(self, beside: Option<Beside>) -> Self {
        Self {
            beside: beside.into_iter().collect(),
            ..self
        }
    }

    fn of(blob: TempBlob, digest: Digest) -> Self {
        Self {
            blob,
            digest,
            manifest: None,
            chain: Vec::new(),
            beside: Vec::new(),
            annotations: BTreeMap::new(),
        }
    }
}
