//! Bytes on their way into the store.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::digest::{Digest, Hasher};
use crate::dir::Dir;
use crate::error::StoreError;
use crate::fault;

/// Names that are tried.
const TRIED: u64 = 64;

/// A file in the store that is not yet part of it. Dropping it takes it away;
/// where the process was killed, the next change to the store does. It is locked
/// as long as it lives, by which the two are told apart.
#[derive(Debug)]
pub struct TempBlob {
    dir: Dir,
    name: String,
    file: File,
    hasher: Option<Hasher>,
    digest: Option<Digest>,
    length: u64,
}

impl std::fmt::Debug for Hasher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hasher")
    }
}

impl TempBlob {
    /// A new, empty one.
    pub(crate) fn new(dir: Dir) -> Result<Self, StoreError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut failed = None;
        for _ in 0..TRIED {
            let next = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("{}-{next}", std::process::id());
            let file = match dir.create(&name) {
                Ok(file) => file,
                // Left by a process of this number that was killed.
                Err(error) if is_there(&error) => {
                    failed = Some(error);
                    continue;
                }
                Err(error) => return Err(error),
            };
            let locked = file.lock().and_then(|()| file.metadata());
            // Who cleans up may have been faster than the lock.
            match locked {
                Ok(metadata) if metadata.nlink() > 0 => {
                    return Ok(Self {
                        dir,
                        name,
                        file,
                        hasher: Some(Hasher::default()),
                        digest: None,
                        length: 0,
                    });
                }
                Ok(_) => {}
                Err(error) => return Err(dir.failed(&name, error)),
            }
        }
        Err(failed.unwrap_or_else(|| StoreError::damaged(dir.path(), "no file can be made in it")))
    }

    /// More of it.
    ///
    /// # Errors
    /// [`StoreError`] if it can't be written.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        fault::step();
        let written = self.file.write_all(bytes);
        written.map_err(|error| self.dir.failed(&self.name, error))?;
        self.length += bytes.len() as u64;
        if let Some(hasher) = &mut self.hasher {
            hasher.update(bytes);
        }
        Ok(())
    }

    /// That was all: its digest.
    pub fn finish(&mut self) -> Digest {
        let hasher = self.hasher.take();
        let digest = hasher.map(Hasher::finish).or(self.digest);
        let digest = digest.unwrap_or_else(|| Digest::of(b""));
        self.digest = Some(digest);
        digest
    }

    /// How many bytes it holds.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// All of it, hashed: these bytes are those of `digest`.
    ///
    /// # Errors
    /// [`StoreError`] if they are others, or can't be read.
    pub fn bytes(&mut self, digest: Digest) -> Result<Vec<u8>, StoreError> {
        let mut bytes = Vec::new();
        let read = self.file.rewind();
        let read = read.and_then(|()| (&self.file).take(self.length + 1).read_to_end(&mut bytes));
        read.map_err(|error| self.dir.failed(&self.name, error))?;
        match Digest::of(&bytes) == digest {
            true => Ok(bytes),
            false => Err(StoreError::Altered { digest }),
        }
    }

    /// Gives it its name among the blobs, on the disk and not to be written any
    /// more.
    pub(crate) fn keep(self, blobs: &Dir, name: &str) -> Result<(), StoreError> {
        let failed = |error| self.dir.failed(&self.name, error);
        fault::step();
        let mode = rustix::fs::Mode::from_raw_mode(0o444);
        rustix::fs::fchmod(&self.file, mode).map_err(|error| failed(error.into()))?;
        fault::step();
        self.file.sync_all().map_err(failed)?;
        self.dir.rename(&self.name, blobs, name)?;
        blobs.sync()
    }
}

impl Drop for TempBlob {
    fn drop(&mut self) {
        // Where it was kept, nothing of this name is left.
        let _ = self.dir.remove(&self.name);
    }
}

fn is_there(error: &StoreError) -> bool {
    matches!(error, StoreError::Failed { source, .. }
        if source.kind() == std::io::ErrorKind::AlreadyExists)
}

/// Takes away what nobody writes any more.
pub(crate) fn sweep(dir: &Dir) -> Result<(), StoreError> {
    for name in dir.names()? {
        let Ok(Some(file)) = dir.file(&name) else {
            continue;
        };
        match file.try_lock() {
            Ok(()) => drop(dir.remove(&name)?),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(dir.failed(&name, error)),
        }
    }
    Ok(())
}
