//! A home with a store and a grant beside it.

#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "a test fails by panicking; each uses some of it"
)]

pub(crate) mod fake;
pub(crate) mod net;

use std::fs;
use std::path::{Path, PathBuf};

use palisade_registry::{
    Before, Change, Digest, Entry, EntryChange, FileChange, Offer, Snapshot, Store, StoreError,
    TempBlob,
};
use tempfile::TempDir;

/// Where both are.
pub(crate) struct Home {
    path: PathBuf,
    _folder: Option<TempDir>,
}

/// What a plugin offered.
pub(crate) fn offer(words: &str) -> Offer {
    let tool = serde_json::json!({"name": "tool", "description": words});
    Offer {
        request: Some(words.to_owned()),
        tools: [("tool".to_owned(), tool)].into(),
        ..Offer::default()
    }
}

/// What a lock says of it.
pub(crate) fn entry(bytes: &[u8], offer: &Offer) -> Entry {
    let kept = palisade_registry::canonical(&serde_json::to_value(offer).unwrap());
    Entry {
        source: "https://plugins.example/notes.wasm".parse().unwrap(),
        digest: Digest::of(bytes),
        manifest: None,
        version: Some("1.0".to_owned()),
        signer: None,
        offer: Digest::of(kept.as_bytes()),
        agreed: offer.digests(),
    }
}

/// Bytes on their way into a store.
pub(crate) fn blob(store: &Store, bytes: &[u8]) -> TempBlob {
    let mut blob = store.temporary().unwrap();
    blob.write(bytes).unwrap();
    blob
}

impl Home {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            path: folder.path().to_owned(),
            _folder: Some(folder),
        }
    }

    /// One that somebody else takes away.
    pub(crate) fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            _folder: None,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn store(&self) -> Store {
        Store::open(self.path.join("store")).unwrap()
    }

    pub(crate) fn grant_path(&self) -> PathBuf {
        self.path.join("grants/notes.toml")
    }

    pub(crate) fn grant(&self) -> Option<Vec<u8>> {
        fs::read(self.grant_path()).ok()
    }

    pub(crate) fn blob_path(&self, bytes: &[u8]) -> PathBuf {
        let name = Digest::of(bytes).hex();
        self.path.join("store/blobs/sha256").join(name)
    }

    /// What there is of a plugin at one moment.
    pub(crate) fn state(&self, name: &str) -> (Option<Entry>, Option<Vec<u8>>) {
        let snapshot = self.store().read_with(&[self.grant_path()]).unwrap();
        let grant = snapshot.file(&self.grant_path()).map(<[u8]>::to_vec);
        (snapshot.get(name).cloned(), grant)
    }

    /// Components, definitions, and what is not finished.
    pub(crate) fn left(&self) -> Vec<String> {
        let mut left = Vec::new();
        for folder in [
            "store/blobs/sha256",
            "store/definitions",
            "store/tmp",
            "grants",
        ] {
            if let Ok(entries) = fs::read_dir(self.path.join(folder)) {
                let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
                left.extend(entries.map(|entry| format!("{folder}/{}", name(entry.unwrap()))));
            }
        }
        left.sort();
        left
    }

    fn write(
        &self,
        name: &str,
        change: EntryChange,
        grant: Option<&str>,
        add: Option<(&[u8], &Offer)>,
    ) -> Result<Snapshot, StoreError> {
        let store = self.store();
        let bytes = add.map(|(bytes, _)| blob(&store, bytes));
        let writer = store.begin()?;
        if let (Some(bytes), Some((_, offer))) = (bytes, add) {
            writer.add_blob(bytes)?;
            writer.add_offer(offer)?;
        }
        writer.commit(Change {
            entries: [(name.to_owned(), change)].into(),
            files: vec![FileChange {
                path: self.grant_path(),
                before: Before::Any,
                bytes: grant.map(|grant| grant.as_bytes().to_vec()),
            }],
        })
    }

    pub(crate) fn install(
        &self,
        name: &str,
        bytes: &[u8],
        words: &str,
    ) -> Result<Snapshot, StoreError> {
        let offer = offer(words);
        let change = EntryChange::install(entry(bytes, &offer));
        self.write(name, change, Some(words), Some((bytes, &offer)))
    }

    pub(crate) fn update(
        &self,
        name: &str,
        was: &[u8],
        old: &str,
        bytes: &[u8],
        words: &str,
    ) -> Result<Snapshot, StoreError> {
        let new = offer(words);
        let change = EntryChange::replace(entry(was, &offer(old)), entry(bytes, &new));
        self.write(name, change, Some(words), Some((bytes, &new)))
    }

    pub(crate) fn remove(
        &self,
        name: &str,
        was: &[u8],
        words: &str,
    ) -> Result<Snapshot, StoreError> {
        let was = entry(was, &offer(words));
        self.write(name, EntryChange::remove(was), None, None)
    }

    /// Another grant, and nothing else.
    pub(crate) fn regrant(&self, words: &str) -> Result<Snapshot, StoreError> {
        self.store().begin()?.commit(Change {
            files: vec![FileChange {
                path: self.grant_path(),
                before: Before::Any,
                bytes: Some(words.as_bytes().to_vec()),
            }],
            ..Change::default()
        })
    }
}
