//! The disk of the machine on which the tests run.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::{Entry, Error, Kind, Metadata, Reason};

/// An open file.
pub(crate) struct File(fs::File);

impl File {
    /// What is known of it.
    pub(crate) fn metadata(&self) -> Result<Metadata, Error> {
        self.0
            .metadata()
            .map(|metadata| known(&metadata))
            .map_err(why)
    }

    /// At most `length` bytes from `offset`; nothing at the end.
    pub(crate) fn read(&self, length: usize, offset: u64) -> Result<Vec<u8>, Error> {
        let mut file = &self.0;
        let mut bytes = vec![0; length];
        file.seek(SeekFrom::Start(offset)).map_err(why)?;
        let count = file.read(&mut bytes).map_err(why)?;
        bytes.truncate(count);
        Ok(bytes)
    }

    /// Writes all of it, from the beginning of the file.
    pub(crate) fn write(&self, content: &[u8]) -> Result<(), Error> {
        (&self.0).write_all(content).map_err(why)
    }

    /// Leaves nothing after `length` bytes.
    pub(crate) fn cut(&self, length: u64) -> Result<(), Error> {
        self.0.set_len(length).map_err(why)
    }
}

/// Opens a file for writing over it.
pub(crate) fn open_to_write(path: &str) -> Result<File, Error> {
    OpenOptions::new()
        .write(true)
        .open(path)
        .map(File)
        .map_err(why)
}

/// Opens a file for reading.
pub(crate) fn open(path: &str) -> Result<File, Error> {
    fs::File::open(path).map(File).map_err(why)
}

/// What a path leads to.
pub(crate) fn metadata(path: &str) -> Result<Metadata, Error> {
    fs::metadata(path)
        .map(|metadata| known(&metadata))
        .map_err(why)
}

/// What a path is, be it a link.
pub(crate) fn metadata_of_link(path: &str) -> Result<Metadata, Error> {
    fs::symlink_metadata(path)
        .map(|metadata| known(&metadata))
        .map_err(why)
}

/// What a link says. As in the sandbox, one that names a place on the host is
/// not told.
pub(crate) fn link_target(path: &str) -> Result<String, Error> {
    let target = fs::read_link(path).map_err(why)?;
    match target.to_str() {
        Some(text) if !target.is_absolute() => Ok(text.to_owned()),
        _ => Err(Error::NotPermitted),
    }
}

/// Creates a file that must not exist, for writing.
pub(crate) fn create(path: &str) -> Result<File, Error> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    file.map(File).map_err(why)
}

/// Creates one directory.
pub(crate) fn create_directory(path: &str) -> Result<(), Error> {
    fs::create_dir(path).map_err(why)
}

/// Renames.
pub(crate) fn rename(from: &str, to: &str) -> Result<(), Error> {
    fs::rename(from, to).map_err(why)
}

/// Removes a file or a link.
pub(crate) fn remove(path: &str) -> Result<(), Error> {
    fs::remove_file(path).map_err(why)
}

/// The entries of a directory, in no order, without `.` and `..`.
pub(crate) fn read_directory(
    path: &str,
) -> Result<impl Iterator<Item = Result<Entry, Error>>, Error> {
    let entries = fs::read_dir(Path::new(path)).map_err(why)?;
    Ok(entries.map(|entry| {
        let entry = entry.map_err(why)?;
        Ok(Entry {
            kind: kind(entry.file_type().map_err(why)?),
            name: entry
                .file_name()
                .into_string()
                .map_err(|_| Error::Posix(Reason::IllegalBytes))?,
        })
    }))
}

fn known(metadata: &fs::Metadata) -> Metadata {
    Metadata {
        kind: kind(metadata.file_type()),
        size: metadata.len(),
        created: metadata.created().ok(),
        modified: metadata.modified().ok(),
        accessed: metadata.accessed().ok(),
    }
}

fn kind(kind: fs::FileType) -> Kind {
    if kind.is_file() {
        Kind::File
    } else if kind.is_dir() {
        Kind::Directory
    } else if kind.is_symlink() {
        Kind::Link
    } else {
        Kind::Other
    }
}

#[allow(clippy::needless_pass_by_value, reason = "stands in map_err")]
fn why(error: io::Error) -> Error {
    Error::Posix(match error.kind() {
        ErrorKind::NotFound => Reason::NoEntry,
        ErrorKind::PermissionDenied => Reason::Access,
        ErrorKind::AlreadyExists => Reason::Exists,
        ErrorKind::NotADirectory => Reason::NotDirectory,
        ErrorKind::IsADirectory => Reason::IsDirectory,
        ErrorKind::DirectoryNotEmpty => Reason::NotEmpty,
        ErrorKind::InvalidFilename => Reason::NameTooLong,
        ErrorKind::InvalidInput => Reason::Invalid,
        ErrorKind::CrossesDevices => Reason::CrossDevice,
        ErrorKind::ReadOnlyFilesystem => Reason::ReadOnly,
        ErrorKind::StorageFull => Reason::NoSpace,
        ErrorKind::QuotaExceeded => Reason::Quota,
        ErrorKind::FileTooLarge => Reason::FileTooLarge,
        ErrorKind::ResourceBusy => Reason::Busy,
        ErrorKind::WriteZero => Reason::Io,
        _ => return Error::Other(error.to_string()),
    })
}
