//! The store: what is installed, and the very bytes of it.

use std::collections::BTreeMap;
use std::fs::{self, TryLockError};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::digest::Digest;
use crate::dir::Dir;
use crate::error::StoreError;
use crate::journal::{self, Journal};
use crate::lock::{self, Entry, Lock};
use crate::offer::Offer;
use crate::temp::TempBlob;
use crate::writer::Writer;

/// Largest component that is kept, in bytes.
pub const LARGEST_BLOB: u64 = 256 << 20;

/// Largest offer, in bytes.
const LARGEST_OFFER: u64 = 64 << 20;

/// How long a change waits for another one.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often what changes while it is read is read again.
const READ_AGAIN: usize = 100;

pub(crate) const TEMPORARY: &str = "tmp";
pub(crate) const WRITER: &str = "store.lock";
const BLOBS: [&str; 2] = ["blobs", "sha256"];
const OFFERS: &str = "definitions";

/// A directory that holds plugins: `blobs/sha256/HEX`, what was agreed to in
/// `definitions/HEX.json`, and `palisade.lock`. It need not be there to be read.
/// Cheap to clone.
///
/// Nothing in it is believed for its name: a component and an offer are hashed
/// whenever they are read. One writer changes it at a time ([`Store::begin`]), and
/// all that changes together does so at one moment, also if the process is killed.
#[derive(Debug, Clone)]
pub struct Store {
    path: PathBuf,
    patience: Duration,
}

/// What is installed, and what files beside the store hold, at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    pub(crate) lock: Lock,
    pub(crate) files: BTreeMap<PathBuf, Option<Vec<u8>>>,
}

impl Snapshot {
    /// What is installed, by name.
    #[must_use]
    pub fn entries(&self) -> &BTreeMap<String, Entry> {
        &self.lock.plugin
    }

    /// The plugin of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.lock.plugin.get(name)
    }

    /// What a file held that was asked for; none if it was not there.
    #[must_use]
    pub fn file(&self, path: &Path) -> Option<&[u8]> {
        self.files.get(path)?.as_deref()
    }

    /// A number that is another one after every change.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.lock.revision
    }
}

impl Store {
    /// The store in a directory. If a change to it was decided and not carried
    /// out, that is done now, where this user can.
    ///
    /// # Errors
    /// [`StoreError::NotPrivate`] if others could write to it.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let this = Self {
            path: path.into(),
            patience: PATIENCE,
        };
        if let Some(dir) = Dir::open(&this.path)? {
            this.catch_up(&dir);
        }
        Ok(this)
    }

    /// The same, in which a change waits so long for another one. 30 s.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn patience(&self) -> Duration {
        self.patience
    }

    /// Carries out what was decided. Where this can't be done, whoever reads
    /// takes it for done, so nothing is lost by leaving it.
    fn catch_up(&self, dir: &Dir) {
        if !matches!(dir.file(journal::NAME), Ok(Some(_))) {
            return;
        }
        let Ok(Some(lock)) = dir.file(WRITER) else {
            return;
        };
        match lock.try_lock() {
            Ok(()) => {
                let _ = recover(dir);
            }
            // Its writer is at it.
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
        }
    }

    /// What is installed.
    ///
    /// # Errors
    /// [`StoreError`] if that can't be read.
    pub fn read(&self) -> Result<Snapshot, StoreError> {
        self.read_with(&[])
    }

    /// What is installed, and what these files hold (absolute paths, at most
    /// 1 MiB each): all of one moment, as [`Writer::commit`] left it.
    ///
    /// # Errors
    /// [`StoreError`] if that can't be read.
    pub fn read_with(&self, files: &[PathBuf]) -> Result<Snapshot, StoreError> {
        let Some(dir) = Dir::open(&self.path)? else {
            let lock = Lock::parse(&self.path, None)?;
            let files = read_files(files)?;
            return Ok(Snapshot { lock, files });
        };
        let mut seen = Seen::of(&dir)?;
        for _ in 0..READ_AGAIN {
            let found = read_files(files)?;
            let again = Seen::of(&dir)?;
            if seen == again {
                return seen.snapshot(&dir, found);
            }
            seen = again;
        }
        Err(StoreError::Busy {
            holder: "another command".to_owned(),
            limit: Duration::ZERO,
        })
    }

    /// A component, hashed: these bytes are those of the digest.
    ///
    /// # Errors
    /// [`StoreError::Missing`] and [`StoreError::Altered`].
    pub fn blob(&self, digest: Digest) -> Result<Vec<u8>, StoreError> {
        let dir = self.folder(&BLOBS)?;
        checked(dir.as_ref(), &digest.hex(), digest, LARGEST_BLOB)
    }

    /// What was agreed to, hashed.
    ///
    /// # Errors
    /// [`StoreError::Missing`] and [`StoreError::Altered`].
    pub fn offer(&self, digest: Digest) -> Result<Offer, StoreError> {
        let dir = self.folder(&[OFFERS])?;
        let name = offer_name(digest);
        let bytes = checked(dir.as_ref(), &name, digest, LARGEST_OFFER)?;
        let path = self.path.join(OFFERS).join(name);
        serde_json::from_slice(&bytes).map_err(|error| StoreError::damaged(&path, error))
    }

    /// The plugin of a name with its component, hashed; none if there is none. An
    /// update at the same time is no error: it is the one or the other.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn load(&self, name: &str) -> Result<Option<(Entry, Vec<u8>)>, StoreError> {
        let mut snapshot = self.read()?;
        loop {
            let Some(entry) = snapshot.get(name) else {
                return Ok(None);
            };
            match self.blob(entry.digest) {
                Ok(bytes) => return Ok(Some((entry.clone(), bytes))),
                Err(error) => {
                    let again = self.read()?;
                    if again.get(name) == Some(entry) {
                        return Err(error);
                    }
                    snapshot = again;
                }
            }
        }
    }

    /// Looks at everything that is installed: names, and what is wrong with each
    /// that is not as it was installed.
    ///
    /// # Errors
    /// [`StoreError`] if not even the lock can be read.
    pub fn verify(&self) -> Result<Vec<(String, StoreError)>, StoreError> {
        let snapshot = self.read()?;
        let mut wrong = Vec::new();
        for (name, entry) in snapshot.entries() {
            let blob = self.blob(entry.digest).map(drop);
            let good = blob.and_then(|()| {
                let offer = self.offer(entry.offer)?;
                match offer.digests() == entry.agreed {
                    true => Ok(()),
                    false => Err(StoreError::damaged(
                        &self.path.join(journal::LOCK),
                        format!("what it says of {name} is not what was agreed to"),
                    )),
                }
            });
            wrong.extend(good.err().map(|error| (name.clone(), error)));
        }
        Ok(wrong)
    }

    /// A file for bytes on their way into the store.
    ///
    /// # Errors
    /// [`StoreError`] if none can be made.
    pub fn temporary(&self) -> Result<TempBlob, StoreError> {
        let dir = Dir::make(&self.path)?;
        TempBlob::new(dir.make_child(TEMPORARY)?)
    }

    /// Begins a change. Waits for another one that is under way, blocking this
    /// thread, and cleans up behind one that was killed.
    ///
    /// # Errors
    /// [`StoreError::Busy`], which says who holds it, and others where the store
    /// can't be written.
    pub fn begin(&self) -> Result<Writer, StoreError> {
        Writer::begin(self)
    }

    fn folder(&self, names: &[&str]) -> Result<Option<Dir>, StoreError> {
        let mut dir = Dir::open(&self.path)?;
        for name in names {
            dir = match dir {
                Some(dir) => dir.child(name)?,
                None => None,
            };
        }
        Ok(dir)
    }
}

/// The lock and the journal as they are.
#[derive(PartialEq)]
struct Seen {
    lock: Option<Vec<u8>>,
    journal: Option<Vec<u8>>,
}

impl Seen {
    fn of(dir: &Dir) -> Result<Self, StoreError> {
        Ok(Self {
            lock: dir.read(journal::LOCK, lock::MOST_BYTES)?,
            journal: dir.read(journal::NAME, journal::MOST_BYTES)?,
        })
    }

    /// What the journal says goes before what has not yet been carried out.
    fn snapshot(
        self,
        dir: &Dir,
        mut files: BTreeMap<PathBuf, Option<Vec<u8>>>,
    ) -> Result<Snapshot, StoreError> {
        let path = dir.path().join(journal::LOCK);
        let Some(journal) = self.journal else {
            let lock = Lock::parse(&path, self.lock.as_deref())?;
            return Ok(Snapshot { lock, files });
        };
        let journal = Journal::parse(&dir.path().join(journal::NAME), &journal)?;
        for (path, bytes) in journal.files {
            if let Some(file) = files.get_mut(&path) {
                *file = bytes;
            }
        }
        let lock = Lock::parse(&path, Some(journal.lock.as_bytes()))?;
        Ok(Snapshot { lock, files })
    }
}

/// Carries out what was decided, if there is something. The caller holds the lock.
pub(crate) fn recover(dir: &Dir) -> Result<(), StoreError> {
    match dir.read(journal::NAME, journal::MOST_BYTES)? {
        Some(bytes) => Journal::parse(&dir.path().join(journal::NAME), &bytes)?.apply(dir),
        None => Ok(()),
    }
}

fn read_files(paths: &[PathBuf]) -> Result<BTreeMap<PathBuf, Option<Vec<u8>>>, StoreError> {
    let read = |path: &PathBuf| Ok((path.clone(), read_file(path)?));
    paths.iter().map(read).collect()
}

/// A file beside the store; none if it is not there.
pub(crate) fn read_file(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    let file = match fs::File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(|error| StoreError::at(path, error))?,
    };
    let mut bytes = Vec::new();
    let most = journal::LARGEST_FILE as u64;
    let read = file.take(most + 1).read_to_end(&mut bytes);
    read.map_err(|error| StoreError::at(path, error))?;
    match bytes.len() as u64 > most {
        true => Err(StoreError::damaged(
            path,
            "it is too large to be one of these",
        )),
        false => Ok(Some(bytes)),
    }
}

fn checked(
    dir: Option<&Dir>,
    name: &str,
    digest: Digest,
    most: u64,
) -> Result<Vec<u8>, StoreError> {
    let bytes = dir.map(|dir| dir.read(name, most)).transpose()?.flatten();
    let bytes = bytes.ok_or(StoreError::Missing { digest })?;
    match Digest::of(&bytes) == digest {
        true => Ok(bytes),
        false => Err(StoreError::Altered { digest }),
    }
}

pub(crate) fn offer_name(digest: Digest) -> String {
    format!("{}.json", digest.hex())
}

/// The directories of components and of offers, made if they are not there.
pub(crate) fn folders(dir: &Dir) -> Result<(Dir, Dir), StoreError> {
    let blobs = dir.make_child(BLOBS[0])?.make_child(BLOBS[1])?;
    Ok((blobs, dir.make_child(OFFERS)?))
}
