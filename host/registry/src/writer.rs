//! Changes to the store, one at a time.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use palisade_policy::Shown;

use crate::digest::Digest;
use crate::dir::Dir;
use crate::error::StoreError;
use crate::journal::{self, Journal};
use crate::lock::{Entry, Lock};
use crate::offer::Offer;
use crate::store::{self, Snapshot, Store};
use crate::temp::{self, TempBlob};

/// How often it is looked whether another change has come to an end.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Longest description of who holds the store, in bytes.
const LONGEST_HOLDER: u64 = 120;

/// Holds the store, alone. What is added to it is part of it once
/// [`Writer::commit`] says so, and otherwise taken away by the next one.
#[derive(Debug)]
pub struct Writer {
    dir: Dir,
    temporary: Dir,
    blobs: Dir,
    offers: Dir,
    lock: Lock,
    /// Let go of when it is closed, by a kill too.
    _held: File,
}

/// What changes, all at one moment.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// Plugins by name.
    pub entries: BTreeMap<String, EntryChange>,
    /// Files outside of the store, grants for example.
    pub files: Vec<FileChange>,
}

/// What becomes of a name, held against what was looked at.
#[derive(Debug, Clone)]
pub struct EntryChange {
    /// What was looked at; none if there was nothing of that name.
    was: Option<Entry>,
    /// What it becomes; none if it goes.
    becomes: Option<Entry>,
}

impl EntryChange {
    /// It is new.
    #[must_use]
    pub fn install(becomes: Entry) -> Self {
        Self {
            was: None,
            becomes: Some(becomes),
        }
    }

    /// What was so becomes this.
    #[must_use]
    pub fn replace(was: Entry, becomes: Entry) -> Self {
        Self {
            was: Some(was),
            becomes: Some(becomes),
        }
    }

    /// It goes.
    #[must_use]
    pub fn remove(was: Entry) -> Self {
        Self {
            was: Some(was),
            becomes: None,
        }
    }
}

/// What becomes of a file. Its folder is made if it is not there.
#[derive(Debug, Clone)]
pub struct FileChange {
    /// Where it is: an absolute path. A link there is replaced, not followed.
    pub path: PathBuf,
    /// What was looked at; [`Before::Any`] to replace whatever is there.
    pub before: Before,
    /// What it will hold (at most 1 MiB), or none if it goes.
    pub bytes: Option<Vec<u8>>,
}

/// What a file held when it was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Before {
    /// It is all the same.
    Any,
    /// This, or nothing if it was not there.
    Was(Option<Vec<u8>>),
}

impl Writer {
    pub(crate) fn begin(store: &Store) -> Result<Self, StoreError> {
        let dir = Dir::make(store.path())?;
        dir.writable()?;
        let held = hold(&dir, store.patience())?;
        store::recover(&dir)?;
        let temporary = dir.make_child(store::TEMPORARY)?;
        let (blobs, offers) = store::folders(&dir)?;
        let snapshot = store.read()?;
        let this = Self {
            dir,
            temporary,
            blobs,
            offers,
            lock: snapshot.lock,
            _held: held,
        };
        this.sweep()?;
        Ok(this)
    }

    /// What is installed. It can't change while this is held.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            lock: self.lock.clone(),
            files: BTreeMap::new(),
        }
    }

    /// Adds a component. One that is there already, whole, stays.
    ///
    /// # Errors
    /// [`StoreError`] if it can't be written.
    pub fn add_blob(&self, mut blob: TempBlob) -> Result<Digest, StoreError> {
        if blob.length() > store::LARGEST_BLOB {
            return Err(StoreError::TooMuch {
                what: "a larger component",
                limit: store::LARGEST_BLOB,
            });
        }
        let digest = blob.finish();
        let name = digest.hex();
        let there = self.blobs.read(&name, store::LARGEST_BLOB);
        match there {
            Ok(Some(bytes)) if Digest::of(&bytes) == digest => Ok(digest),
            // What is there otherwise is nothing that can be used.
            _ => blob.keep(&self.blobs, &name).map(|()| digest),
        }
    }

    /// Adds what was agreed to.
    ///
    /// # Errors
    /// [`StoreError`] if it can't be written.
    pub fn add_offer(&self, offer: &Offer) -> Result<Digest, StoreError> {
        let bytes = offer.to_bytes();
        let digest = Digest::of(&bytes);
        let temporary = Dir::child(&self.dir, store::TEMPORARY)?;
        let temporary = temporary.ok_or(StoreError::Missing { digest })?;
        let mut blob = TempBlob::new(temporary)?;
        blob.write(&bytes)?;
        blob.finish();
        blob.keep(&self.offers, &store::offer_name(digest))?;
        Ok(digest)
    }

    /// Makes a change: all of it or nothing, also if this process is killed. What
    /// nothing needs any more is then taken away.
    ///
    /// # Errors
    /// [`StoreError`]: nothing has changed, unless it is
    /// [`StoreError::Unfinished`].
    pub fn commit(mut self, change: Change) -> Result<Snapshot, StoreError> {
        let mut lock = self.lock.clone();
        for (name, change) in change.entries {
            if !palisade_policy::is_name(&name) {
                return Err(StoreError::Name);
            }
            self.enter(&mut lock, name, change)?;
        }
        for file in &change.files {
            if let Before::Was(was) = &file.before
                && store::read_file(&file.path)? != *was
            {
                let what = file.path.display().to_string();
                return Err(StoreError::Conflict { what });
            }
        }
        lock.revision += 1;
        lock.check()?;
        let journal = Journal {
            lock: lock.to_text(&self.dir.path().join(journal::LOCK))?,
            files: (change.files.into_iter())
                .map(|file| (file.path, file.bytes))
                .collect(),
        };
        journal.check()?;
        journal.commit(&self.dir, &self.temporary)?;
        self.lock = lock;
        journal.apply(&self.dir).map_err(unfinished)?;
        self.sweep().map_err(unfinished)?;
        let files = journal.files.into_iter().collect();
        let lock = self.lock;
        Ok(Snapshot { lock, files })
    }

    fn enter(&self, lock: &mut Lock, name: String, change: EntryChange) -> Result<(), StoreError> {
        let there = lock.plugin.get(&name);
        let EntryChange { was, becomes } = change;
        if was.is_none() && there.is_some() {
            return Err(StoreError::Installed { name });
        }
        if there != was.as_ref() {
            return Err(StoreError::Conflict { what: name });
        }
        match becomes {
            None => drop(lock.plugin.remove(&name)),
            Some(entry) => {
                self.present(&entry)?;
                lock.plugin.insert(name, entry);
            }
        }
        Ok(())
    }

    /// Whether the store has what an entry names: a lock never names what is not
    /// there.
    fn present(&self, entry: &Entry) -> Result<(), StoreError> {
        let missing = |digest| StoreError::Missing { digest };
        let blob = self.blobs.file(&entry.digest.hex())?;
        blob.ok_or_else(|| missing(entry.digest))?;
        let offer = self.offers.file(&store::offer_name(entry.offer))?;
        offer.ok_or_else(|| missing(entry.offer)).map(drop)
    }

    /// Takes away what nobody writes any more and what no plugin needs.
    fn sweep(&self) -> Result<(), StoreError> {
        temp::sweep(&self.temporary)?;
        let entries = || self.lock.plugin.values();
        let blobs: Vec<String> = entries().map(|entry| entry.digest.hex()).collect();
        let offers: Vec<String> = entries()
            .map(|entry| store::offer_name(entry.offer))
            .collect();
        for (dir, needed) in [(&self.blobs, blobs), (&self.offers, offers)] {
            for name in dir.names()? {
                if !needed.contains(&name) {
                    dir.remove(&name)?;
                }
            }
        }
        Ok(())
    }
}

/// What was decided is decided; only the rest of it failed.
fn unfinished(error: StoreError) -> StoreError {
    StoreError::Unfinished {
        source: Box::new(error),
    }
}

/// Takes the one lock of all writers.
fn hold(dir: &Dir, patience: Duration) -> Result<File, StoreError> {
    let mut file = dir.lock_file(store::WRITER)?;
    let until = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::Error(error)) => return Err(dir.failed(store::WRITER, error)),
            Err(TryLockError::WouldBlock) => {}
        }
        if Instant::now() >= until {
            return Err(StoreError::Busy {
                holder: holder(&mut file),
                limit: patience,
            });
        }
        #[allow(
            clippy::disallowed_methods,
            reason = "no async thread is here, and the system has no wait for a lock that ends"
        )]
        std::thread::sleep(LOOK_AGAIN);
    }
    // Only for the words of who waits: what can't be written is missing there.
    let command = std::env::args().nth(1).unwrap_or_default();
    let command: String = command.chars().take(32).collect();
    let who = format!("process {} (palisade {command})", std::process::id());
    let _ = file.set_len(0);
    let _ = file.rewind();
    let _ = file.write_all(who.as_bytes());
    Ok(file)
}

fn holder(file: &mut File) -> String {
    let mut who = Vec::new();
    let _ = file.rewind();
    let _ = file.take(LONGEST_HOLDER).read_to_end(&mut who);
    match String::from_utf8_lossy(&who) {
        who if who.is_empty() => "another process".to_owned(),
        who => Shown::OneLine.of(&who).into_owned(),
    }
}
