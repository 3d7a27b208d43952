//! What this plugin asks of the operating system.
//!
//! On WASI it is asked directly. The standard library would go through a libc
//! and an adapter on top of the same interface, which set themselves up anew
//! in every instance and look at every entry of a directory twice: three times
//! the calls to the host for reading a small file. Elsewhere, where only tests
//! run, it is the standard library.

#[cfg(not(target_os = "wasi"))]
mod local;
#[cfg(target_os = "wasi")]
mod wasi;

use std::fmt;
use std::time::SystemTime;

#[cfg(not(target_os = "wasi"))]
pub(crate) use local::{
    File, create, create_directory, link_target, metadata, metadata_of_link, open, open_to_write,
    read_directory, remove, rename,
};
#[cfg(target_os = "wasi")]
pub(crate) use wasi::{
    File, create, create_directory, link_target, metadata, metadata_of_link, open, open_to_write,
    read_directory, remove, rename,
};

/// What something on disk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A device, a socket, a pipe.
    Other,
}

/// What is known without reading.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Metadata {
    pub(crate) kind: Kind,
    /// In bytes.
    pub(crate) size: u64,
    /// When it was made, where the system tells.
    pub(crate) created: Option<SystemTime>,
    /// When its content last changed.
    pub(crate) modified: Option<SystemTime>,
    /// When it was last read.
    pub(crate) accessed: Option<SystemTime>,
}

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// Of the entry itself: a link is not followed.
    pub(crate) kind: Kind,
}

/// Why the system did not do it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Error {
    /// The path is in no directory that the sandbox knows.
    #[cfg_attr(
        not(target_os = "wasi"),
        expect(dead_code, reason = "there is no sandbox where the tests run")
    )]
    Outside,
    /// The sandbox does not do this; mostly since a link leads out of it.
    NotPermitted,
    /// One of the common reasons.
    Posix(Reason),
    /// Something else, in the system's words.
    Other(String),
}

/// Reasons that have a name in POSIX.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    NoEntry,
    Access,
    Exists,
    NotDirectory,
    IsDirectory,
    NotEmpty,
    NameTooLong,
    Loop,
    Invalid,
    CrossDevice,
    ReadOnly,
    NoSpace,
    Quota,
    FileTooLarge,
    Busy,
    IllegalBytes,
    Io,
}

impl Reason {
    /// The name and the words for it, as other servers write them.
    pub(crate) fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::NoEntry => ("ENOENT", "no such file or directory"),
            Self::Access => ("EACCES", "permission denied"),
            Self::Exists => ("EEXIST", "file already exists"),
            Self::NotDirectory => ("ENOTDIR", "not a directory"),
            Self::IsDirectory => ("EISDIR", "illegal operation on a directory"),
            Self::NotEmpty => ("ENOTEMPTY", "directory not empty"),
            Self::NameTooLong => ("ENAMETOOLONG", "name too long"),
            Self::Loop => ("ELOOP", "too many symbolic links encountered"),
            Self::Invalid => ("EINVAL", "invalid argument"),
            Self::CrossDevice => ("EXDEV", "cross-device link not permitted"),
            Self::ReadOnly => ("EROFS", "read-only file system"),
            Self::NoSpace => ("ENOSPC", "no space left on device"),
            Self::Quota => ("EDQUOT", "disk quota exceeded"),
            Self::FileTooLarge => ("EFBIG", "file too large"),
            Self::Busy => ("EBUSY", "resource busy or locked"),
            Self::IllegalBytes => ("EILSEQ", "illegal byte sequence"),
            Self::Io => ("EIO", "i/o error"),
        }
    }
}

impl Error {
    /// There is nothing of that name.
    pub(crate) const NO_ENTRY: Self = Self::Posix(Reason::NoEntry);
    /// There is something of that name.
    pub(crate) const EXISTS: Self = Self::Posix(Reason::Exists);
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside => f.write_str("outside of every granted directory"),
            Self::NotPermitted => f.write_str("not permitted"),
            Self::Posix(reason) => {
                let (code, text) = reason.words();
                write!(f, "{code}: {text}")
            }
            Self::Other(text) => f.write_str(text),
        }
    }
}
