//! The file.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::record::{Line, Record};

/// From how much on, in bytes, another file is begun.
pub const MOST_BYTES: u64 = 4 << 20;

/// Files that are full and kept.
const OLD: usize = 4;

/// The one that is added to.
const NAME: &str = "audit.jsonl";

/// Held while another one is begun.
const LOCK: &str = "audit.lock";

/// Why something could not be written down, or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The system refused.
    #[error("{}", path.display())]
    Io {
        /// What.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Others could have written it.
    #[error("{} is not used: {why}", path.display())]
    NotOurs {
        /// What.
        path: PathBuf,
        /// Why.
        why: &'static str,
    },
    /// It can't be written as JSON, which everything here can.
    #[error("a record can't be written as JSON")]
    Json(#[from] serde_json::Error),
}

/// A folder with the record in it. Each line is written at once, so several processes
/// may add to it.
#[derive(Debug, Clone)]
pub struct Log {
    folder: PathBuf,
    most: u64,
}

impl Log {
    /// That of a folder, which need not be there.
    #[must_use]
    pub fn of(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            most: MOST_BYTES,
        }
    }

    /// The same with smaller files.
    #[must_use]
    pub fn with_most(self, most: u64) -> Self {
        Self { most, ..self }
    }

    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes the folder, for its owner alone.
    ///
    /// # Errors
    /// [`AuditError`], also if others may write to what is there.
    pub fn make_folder(&self) -> Result<(), AuditError> {
        let made = DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.folder);
        made.map_err(|source| self.failed(&self.folder, source))?;
        let metadata = fs::symlink_metadata(&self.folder);
        let metadata = metadata.map_err(|source| self.failed(&self.folder, source))?;
        check(&self.folder, &metadata, metadata.is_dir())
    }

    /// Adds a line.
    ///
    /// # Errors
    /// [`AuditError`].
    pub fn add(&self, record: &Record) -> Result<(), AuditError> {
        self.make_folder()?;
        let line = record.line()?;
        let path = self.folder.join(NAME);
        let mut file = self.open(&path, true)?.ok_or_else(|| {
            // It was begun anew between two steps, and is then there.
            self.failed(&path, ErrorKind::NotFound.into())
        })?;
        let size = file
            .metadata()
            .map_err(|source| self.failed(&path, source))?;
        if size.len() + line.len() as u64 > self.most {
            self.rotate()?;
            file = self
                .open(&path, true)?
                .ok_or_else(|| self.failed(&path, ErrorKind::NotFound.into()))?;
        }
        // In one go, so that lines of two processes never mix.
        file.write_all(&line)
            .map_err(|source| self.failed(&path, source))
    }

    /// Every line there is, oldest first.
    ///
    /// # Errors
    /// [`AuditError`].
    pub fn read(&self) -> Result<Vec<Line>, AuditError> {
        let mut lines = Vec::new();
        for place in (0..=OLD).rev() {
            let path = self.path(place);
            let Some(file) = self.open(&path, false)? else {
                continue;
            };
            let mut bytes = Vec::new();
            // Whoever writes keeps it smaller.
            (file
                .take(2 * self.most.max(MOST_BYTES))
                .read_to_end(&mut bytes))
            .map_err(|source| self.failed(&path, source))?;
            let all = bytes.split(|byte| *byte == b'\n');
            lines.extend(all.filter(|line| !line.is_empty()).map(Line::read));
        }
        Ok(lines)
    }

    /// Begins another file; the oldest goes.
    fn rotate(&self) -> Result<(), AuditError> {
        let path = self.folder.join(LOCK);
        let lock = self.open(&path, true)?;
        if let Some(lock) = &lock {
            lock.lock().map_err(|source| self.failed(&path, source))?;
        }
        let current = self.path(0);
        // Another process may have been first.
        let size = fs::symlink_metadata(&current).map_or(0, |metadata| metadata.len());
        if size < self.most / 2 {
            return Ok(());
        }
        for place in (0..OLD).rev() {
            let (from, to) = (self.path(place), self.path(place + 1));
            match fs::rename(&from, &to) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(self.failed(&from, error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn path(&self, place: usize) -> PathBuf {
        match place {
            0 => self.folder.join(NAME),
            place => self.folder.join(format!("audit.{place}.jsonl")),
        }
    }

    /// A file of this user; none if it is not there and is not to be made.
    fn open(&self, path: &Path, add: bool) -> Result<Option<File>, AuditError> {
        // No link is followed, and a pipe would wait for somebody.
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let file = OpenOptions::new()
            .read(!add)
            .append(add)
            .create(add)
            .mode(0o600)
            .custom_flags(flags)
            .open(path);
        let file = match file {
            Err(error) if error.kind() == ErrorKind::NotFound && !add => return Ok(None),
            file => file.map_err(|source| self.failed(path, source))?,
        };
        let metadata = file
            .metadata()
            .map_err(|source| self.failed(path, source))?;
        check(path, &metadata, metadata.is_file())?;
        Ok(Some(file))
    }

    fn failed(&self, path: &Path, source: std::io::Error) -> AuditError {
        AuditError::Io {
            path: path.to_owned(),
            source,
        }
    }
}

fn check(path: &Path, metadata: &fs::Metadata, kind: bool) -> Result<(), AuditError> {
    let why = if !kind {
        "it is something else than it should be"
    } else if metadata.uid() != rustix::process::geteuid().as_raw() {
        "it belongs to another user"
    } else if metadata.mode() & 0o022 != 0 {
        "others may write to it"
    } else {
        return Ok(());
    };
    Err(AuditError::NotOurs {
        path: path.to_owned(),
        why,
    })
}

#[cfg(test)]
mod tests;
