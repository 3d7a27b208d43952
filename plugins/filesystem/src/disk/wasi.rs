//! The disk as WASI 0.2 shows it.

use std::cell::OnceCell;
use std::mem::ManuallyDrop;
use std::time::{Duration, UNIX_EPOCH};

use wasip2::clocks::wall_clock::Datetime;
use wasip2::filesystem::preopens::get_directories;
use wasip2::filesystem::types::{
    Descriptor, DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntryStream, ErrorCode,
    OpenFlags, PathFlags,
};

use super::{Entry, Error, Kind, Metadata, Reason};

/// Handed over at a time: the host counts what a guest gives it in one call.
const CHUNK: usize = 256 * 1024;

/// The granted directories and where they are mounted.
type Mounts = ManuallyDrop<Vec<(Descriptor, String)>>;

thread_local! {
    /// Asked for once. Never dropped: the host throws the instance away.
    static MOUNTS: OnceCell<Mounts> = const { OnceCell::new() };
}

/// An open file.
pub(crate) struct File(Descriptor);

impl File {
    /// What is known of it.
    pub(crate) fn metadata(&self) -> Result<Metadata, Error> {
        self.0.stat().map(known).map_err(why)
    }

    /// At most `length` bytes from `offset`; nothing at the end.
    pub(crate) fn read(&self, length: usize, offset: u64) -> Result<Vec<u8>, Error> {
        let (bytes, _) = self.0.read(length as u64, offset).map_err(why)?;
        Ok(bytes)
    }

    /// Writes all of it, from the beginning of the file.
    pub(crate) fn write(&self, content: &[u8]) -> Result<(), Error> {
        let mut offset = 0;
        while offset < content.len() {
            let end = content.len().min(offset + CHUNK);
            let part = &content[offset..end];
            let written = self.0.write(part, offset as u64).map_err(why)?;
            if written == 0 {
                return Err(Error::Posix(Reason::Io));
            }
            offset += usize::try_from(written).unwrap_or(CHUNK);
        }
        Ok(())
    }

    /// Leaves nothing after `length` bytes.
    pub(crate) fn cut(&self, length: u64) -> Result<(), Error> {
        self.0.set_size(length).map_err(why)
    }
}

/// Opens a file for writing over it.
pub(crate) fn open_to_write(path: &str) -> Result<File, Error> {
    let (none, write) = (OpenFlags::empty(), DescriptorFlags::WRITE);
    at(path, |mount, path| {
        mount
            .open_at(PathFlags::empty(), path, none, write)
            .map(File)
    })
}

/// Opens a file for reading.
pub(crate) fn open(path: &str) -> Result<File, Error> {
    at(path, |mount, path| {
        let follow = PathFlags::SYMLINK_FOLLOW;
        mount
            .open_at(follow, path, OpenFlags::empty(), DescriptorFlags::READ)
            .map(File)
    })
}

/// What a path leads to.
pub(crate) fn metadata(path: &str) -> Result<Metadata, Error> {
    at(path, |mount, path| {
        mount.stat_at(PathFlags::SYMLINK_FOLLOW, path)
    })
    .map(known)
}

/// What a path is, be it a link.
pub(crate) fn metadata_of_link(path: &str) -> Result<Metadata, Error> {
    at(path, |mount, path| mount.stat_at(PathFlags::empty(), path)).map(known)
}

/// What a link says.
pub(crate) fn link_target(path: &str) -> Result<String, Error> {
    at(path, Descriptor::readlink_at)
}

/// Creates a file that must not exist, for writing.
pub(crate) fn create(path: &str) -> Result<File, Error> {
    let flags = OpenFlags::CREATE | OpenFlags::EXCLUSIVE;
    at(path, |mount, path| {
        let write = DescriptorFlags::WRITE;
        mount
            .open_at(PathFlags::empty(), path, flags, write)
            .map(File)
    })
}

/// Creates one directory.
pub(crate) fn create_directory(path: &str) -> Result<(), Error> {
    at(path, Descriptor::create_directory_at)
}

/// Renames, within one granted directory or from one to another.
pub(crate) fn rename(from: &str, to: &str) -> Result<(), Error> {
    at(from, |from_mount, from| {
        // The error in here is about the other path.
        Ok(at(to, |to_mount, to| {
            from_mount.rename_at(from, to_mount, to)
        }))
    })?
}

/// Removes a file or a link.
pub(crate) fn remove(path: &str) -> Result<(), Error> {
    at(path, Descriptor::unlink_file_at)
}

/// The entries of a directory, in no order, without `.` and `..`.
pub(crate) fn read_directory(
    path: &str,
) -> Result<impl Iterator<Item = Result<Entry, Error>>, Error> {
    let stream = at(path, |mount, path| {
        let follow = PathFlags::SYMLINK_FOLLOW;
        mount
            .open_at(follow, path, OpenFlags::DIRECTORY, DescriptorFlags::READ)?
            .read_directory()
    })?;
    Ok(std::iter::from_fn(move || next(&stream)))
}

fn next(stream: &DirectoryEntryStream) -> Option<Result<Entry, Error>> {
    match stream.read_directory_entry() {
        Ok(entry) => entry.map(|entry| {
            Ok(Entry {
                name: entry.name,
                kind: kind(entry.type_),
            })
        }),
        Err(code) => Some(Err(why(code))),
    }
}

/// Does something in the innermost mount that holds a path.
fn at<T>(
    path: &str,
    act: impl FnOnce(&Descriptor, &str) -> Result<T, ErrorCode>,
) -> Result<T, Error> {
    MOUNTS.with(|mounts| {
        let mounts = mounts.get_or_init(|| ManuallyDrop::new(get_directories()));
        let (_, mount, below) = mounts
            .iter()
            .filter_map(|(mount, name)| {
                let below = path.strip_prefix(name.trim_end_matches('/'))?;
                let inside = below.is_empty() || below.starts_with('/');
                inside.then(|| (name.len(), mount, below.trim_start_matches('/')))
            })
            .max_by_key(|(length, ..)| *length)
            .ok_or(Error::Outside)?;
        act(mount, if below.is_empty() { "." } else { below }).map_err(why)
    })
}

fn known(stat: DescriptorStat) -> Metadata {
    let time = |time: Datetime| {
        UNIX_EPOCH.checked_add(Duration::new(
            time.seconds,
            time.nanoseconds.min(999_999_999),
        ))
    };
    Metadata {
        kind: kind(stat.type_),
        size: stat.size,
        created: None,
        modified: stat.data_modification_timestamp.and_then(time),
        accessed: stat.data_access_timestamp.and_then(time),
    }
}

fn kind(kind: DescriptorType) -> Kind {
    match kind {
        DescriptorType::RegularFile => Kind::File,
        DescriptorType::Directory => Kind::Directory,
        DescriptorType::SymbolicLink => Kind::Link,
        _ => Kind::Other,
    }
}

fn why(code: ErrorCode) -> Error {
    Error::Posix(match code {
        ErrorCode::NotPermitted => return Error::NotPermitted,
        ErrorCode::NoEntry => Reason::NoEntry,
        ErrorCode::Access => Reason::Access,
        ErrorCode::Exist => Reason::Exists,
        ErrorCode::NotDirectory => Reason::NotDirectory,
        ErrorCode::IsDirectory => Reason::IsDirectory,
        ErrorCode::NotEmpty => Reason::NotEmpty,
        ErrorCode::NameTooLong => Reason::NameTooLong,
        ErrorCode::Loop => Reason::Loop,
        ErrorCode::Invalid => Reason::Invalid,
        ErrorCode::CrossDevice => Reason::CrossDevice,
        ErrorCode::ReadOnly => Reason::ReadOnly,
        ErrorCode::InsufficientSpace => Reason::NoSpace,
        ErrorCode::Quota => Reason::Quota,
        ErrorCode::FileTooLarge => Reason::FileTooLarge,
        ErrorCode::Busy | ErrorCode::TextFileBusy => Reason::Busy,
        ErrorCode::IllegalByteSequence => Reason::IllegalBytes,
        ErrorCode::Io => Reason::Io,
        other => return Error::Other(other.message().to_owned()),
    })
}
