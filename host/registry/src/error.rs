//! What can go wrong with the store: one sentence each.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;

use crate::digest::Digest;

/// Why the store can't be read or changed. After an error of a change, nothing has
/// changed, unless it is [`StoreError::Unfinished`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Others could put something into it.
    #[error("{} is not used: {why}", path.display())]
    NotPrivate {
        /// What is not used.
        path: PathBuf,
        /// Why.
        why: &'static str,
    },
    /// No room.
    #[error("there is no room left on the disk of {}; make some, and try again", path.display())]
    Full {
        /// What could not be written.
        path: PathBuf,
    },
    /// It can't be changed here.
    #[error("{} can't be written: {}", path.display(), match read_only { true => "its file system is read-only", false => "permission is denied" })]
    Forbidden {
        /// What can't.
        path: PathBuf,
        /// Whether that is the whole file system's doing.
        read_only: bool,
    },
    /// The system refuses it otherwise.
    #[error("{} can't be read or written: {source}", path.display())]
    Failed {
        /// What.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Not as the store wrote it.
    #[error("{} is damaged: {why}", path.display())]
    Damaged {
        /// What is.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// Written by a newer Palisade.
    #[error("{} was written by a newer Palisade (version {found} of its format); use that one", path.display())]
    Newer {
        /// What was.
        path: PathBuf,
        /// Its version.
        found: u64,
    },
    /// Other bytes than those that were installed.
    #[error("the stored file {digest} is not what was installed")]
    Altered {
        /// What it should be.
        digest: Digest,
    },
    /// Not there any more.
    #[error("the stored file {digest} is missing")]
    Missing {
        /// What it should be.
        digest: Digest,
    },
    /// Somebody else changes it, and does not come to an end.
    #[error("{holder} is changing the store, and has not finished within {} s; wait for it, or end it", .limit.as_secs_f64())]
    Busy {
        /// Who.
        holder: String,
        /// How long was waited.
        limit: Duration,
    },
    /// There is one of this name.
    #[error("{name} is installed already; update it, or remove it first")]
    Installed {
        /// The name.
        name: String,
    },
    /// It is no longer what was looked at.
    #[error("{what} was changed by somebody else meanwhile; look at it again")]
    Conflict {
        /// A plugin, or a file.
        what: String,
    },
    /// A name that no plugin can have.
    #[error("no plugin can be called that: a name is 1 to 48 of the characters a-z, 0-9 and -")]
    Name,
    /// More than is kept.
    #[error("{what} than the store keeps ({limit})")]
    TooMuch {
        /// "more plugins", "a larger file".
        what: &'static str,
        /// How much may be.
        limit: u64,
    },
    /// What was decided is written down, and could not be carried out to its end.
    #[error(
        "the change is written down and not carried out to its end, which the next command will do: {source}"
    )]
    Unfinished {
        /// What stood in its way.
        #[source]
        source: Box<StoreError>,
    },
}

impl StoreError {
    /// What an error of the system at a path means.
    pub(crate) fn at(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::NOSPC | Errno::DQUOT) => Self::Full { path },
            Some(Errno::ROFS) => Self::Forbidden {
                path,
                read_only: true,
            },
            Some(Errno::ACCESS | Errno::PERM) => Self::Forbidden {
                path,
                read_only: false,
            },
            _ => Self::Failed { path, source },
        }
    }

    pub(crate) fn damaged(path: &Path, why: impl ToString) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            why: why.to_string(),
        }
    }
}
