//! Reading files that somebody else may have put there.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Read as _, Result};
use std::path::Path;

/// Largest manifest or grant file that is read, in bytes.
const MAX_TEXT: u64 = 256 * 1024;

/// The whole of a regular file of at most `max` bytes.
pub(crate) fn read_file(path: &Path, max: u64) -> Result<Vec<u8>> {
    let file = open_file(path, max)?;
    let mut bytes = Vec::new();
    file.take(max + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > max {
        true => Err(too_large(max)),
        false => Ok(bytes),
    }
}

/// Opens a regular file of at most `max` bytes.
pub(crate) fn open_file(path: &Path, max: u64) -> Result<File> {
    let file = open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is not a file"));
    }
    match metadata.len() > max {
        true => Err(too_large(max)),
        false => Ok(file),
    }
}

fn too_large(max: u64) -> Error {
    let most = palisade_policy::units::format_size(max);
    let why = format!("it is larger than the {most} it may be");
    Error::new(ErrorKind::FileTooLarge, why)
}

/// A small text file.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    String::from_utf8(read_file(path, MAX_TEXT)?)
        .map_err(|_| Error::new(ErrorKind::InvalidData, "it is not UTF-8 text"))
}

/// Opens without waiting: a pipe would wait for somebody to write.
#[cfg(unix)]
fn open(path: &Path) -> Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> Result<File> {
    OpenOptions::new().read(true).open(path)
}
