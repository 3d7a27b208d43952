//! What a change will do, written down before it is done.
//!
//! Once the journal has its name, the change is made, whatever happens: whoever
//! comes next carries it out. Before that, nothing is. Carrying it out twice is
//! the same as once.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::dir::Dir;
use crate::error::StoreError;

/// The journal's name, and that of the lock.
pub(crate) const NAME: &str = "journal";
pub(crate) const LOCK: &str = "palisade.lock";
const LOCK_NEW: &str = ".palisade.lock.new";

/// Largest journal, in bytes.
pub(crate) const MOST_BYTES: u64 = 64 << 20;

/// Files outside of the store that change together, and the largest of them.
const MOST_FILES: usize = 64;
pub(crate) const LARGEST_FILE: usize = 1 << 20;

/// How the names of files begin and end that are not yet what they will be.
const NEW: (&str, &str) = (".", ".palisade-new");

/// What will be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Journal {
    /// The text of the lock.
    pub(crate) lock: String,
    /// Files outside of the store: what they will hold, or none if they go.
    pub(crate) files: Vec<(PathBuf, Option<Vec<u8>>)>,
}

/// The same in JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    lock: String,
    files: Vec<WrittenFile>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFile {
    path: String,
    bytes: Option<String>,
}

impl Journal {
    /// Whether it is one that is taken.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        if self.files.len() > MOST_FILES {
            return Err(StoreError::TooMuch {
                what: "more files changed at once",
                limit: MOST_FILES as u64,
            });
        }
        for (path, bytes) in &self.files {
            let named = path.is_absolute() && place(path).is_some();
            if !named {
                return Err(StoreError::damaged(
                    path,
                    "it is no absolute path of a file",
                ));
            }
            if bytes
                .as_ref()
                .is_some_and(|bytes| bytes.len() > LARGEST_FILE)
            {
                return Err(StoreError::TooMuch {
                    what: "a larger file beside it",
                    limit: LARGEST_FILE as u64,
                });
            }
        }
        Ok(())
    }

    /// Reads one.
    pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<Self, StoreError> {
        let damaged = |why: &str| StoreError::damaged(path, why);
        let text = str::from_utf8(bytes).map_err(|_| damaged("it is no text"))?;
        let (digest, rest) = text
            .split_once('\n')
            .ok_or_else(|| damaged("it breaks off"))?;
        if digest.parse() != Ok(Digest::of(rest.as_bytes())) {
            return Err(damaged("it is not what was written"));
        }
        let written: Written =
            serde_json::from_str(rest).map_err(|error| StoreError::damaged(path, error))?;
        let decode = |text: &str| {
            STANDARD
                .decode(text)
                .map_err(|_| damaged("it is no Base64"))
        };
        let mut files = Vec::new();
        for file in written.files {
            use std::os::unix::ffi::OsStringExt as _;
            let path = std::ffi::OsString::from_vec(decode(&file.path)?);
            let bytes = file.bytes.as_deref().map(decode).transpose()?;
            files.push((path.into(), bytes));
        }
        let lock = written.lock;
        let this = Self { lock, files };
        this.check()?;
        Ok(this)
    }

    fn to_text(&self) -> String {
        use std::os::unix::ffi::OsStrExt as _;
        let files = self.files.iter().map(|(path, bytes)| WrittenFile {
            path: STANDARD.encode(path.as_os_str().as_bytes()),
            bytes: bytes.as_ref().map(|bytes| STANDARD.encode(bytes)),
        });
        let written = Written {
            lock: self.lock.clone(),
            files: files.collect(),
        };
        // Of strings alone, so it can be written.
        let text = serde_json::to_string(&written).unwrap_or_default();
        format!("{}\n{text}", Digest::of(text.as_bytes()))
    }

    /// Writes all that will be there beside where it will be, then the journal:
    /// what can fail for want of room or of permission fails here, where nothing
    /// has changed.
    pub(crate) fn commit(&self, store: &Dir, temporary: &Dir) -> Result<(), StoreError> {
        let prepared = self.prepare(store).and_then(|()| {
            temporary.write_new(NAME, self.to_text().as_bytes())?;
            temporary.rename(NAME, store, NAME)
        });
        if let Err(error) = prepared {
            let _ = temporary.remove(NAME);
            self.forget(store);
            return Err(error);
        }
        // It has its name. If the disk does not say that it has it too, it may be
        // there after a power failure or not: either is whole.
        store.sync()
    }

    fn prepare(&self, store: &Dir) -> Result<(), StoreError> {
        store.write_new(LOCK_NEW, self.lock.as_bytes())?;
        for (path, bytes) in &self.files {
            let Some((parent, name)) = place(path) else {
                continue;
            };
            if bytes.is_none() && !parent.exists() {
                continue;
            }
            let dir = Dir::make_outside(parent)?;
            sweep(&dir)?;
            match bytes {
                Some(bytes) => dir.write_new(&new_name(name), bytes)?,
                None => dir.writable()?,
            }
        }
        Ok(())
    }

    /// Takes away what was prepared. The first error is the one that matters.
    fn forget(&self, store: &Dir) {
        let _ = store.remove(LOCK_NEW);
        for (path, _) in &self.files {
            if let Some((parent, name)) = place(path)
                && parent.exists()
                && let Ok(dir) = Dir::make_outside(parent)
            {
                let _ = dir.remove(&new_name(name));
            }
        }
    }

    /// Carries it out, and forgets it.
    pub(crate) fn apply(&self, store: &Dir) -> Result<(), StoreError> {
        for (path, bytes) in &self.files {
            let Some((parent, name)) = place(path) else {
                continue;
            };
            match bytes {
                Some(bytes) => {
                    let dir = Dir::make_outside(parent)?;
                    put(&dir, &new_name(name), name, bytes)?;
                }
                None if !parent.exists() => {}
                None => {
                    let dir = Dir::make_outside(parent)?;
                    dir.remove(name)?;
                    dir.sync()?;
                }
            }
        }
        put(store, LOCK_NEW, LOCK, self.lock.as_bytes())?;
        store.remove(NAME)?;
        store.sync()
    }
}

/// Has a file hold these bytes, by way of another name, at which they may be
/// already.
fn put(dir: &Dir, new: &str, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
    let most = bytes.len() as u64;
    let holds = |name: &str| matches!(dir.read(name, most), Ok(Some(found)) if found == bytes);
    if !holds(new) {
        if holds(name) {
            return Ok(());
        }
        dir.write_new(new, bytes)?;
    }
    dir.rename(new, dir, name)?;
    dir.sync()
}

/// Takes away what changes that were never made have left.
fn sweep(dir: &Dir) -> Result<(), StoreError> {
    for name in dir.names()? {
        if name.starts_with(NEW.0) && name.ends_with(NEW.1) {
            dir.remove(&name)?;
        }
    }
    Ok(())
}

fn place(path: &Path) -> Option<(&Path, &str)> {
    Some((path.parent()?, path.file_name()?.to_str()?))
}

fn new_name(name: &str) -> String {
    format!("{}{name}{}", NEW.0, NEW.1)
}
