//! Directories by handle, in which every change is a step that a test may end the
//! process before.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::error::StoreError;
use crate::fault;

/// Bits of a mode by which somebody else could write.
const OTHERS: u32 = 0o022;

/// An open directory, and where it is, for messages.
#[derive(Debug)]
pub(crate) struct Dir {
    handle: OwnedFd,
    path: PathBuf,
}

const OPEN: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

impl Dir {
    /// Opens one that nobody else may write to; none if it is not there. Its last
    /// part is no link: what is checked is this very directory.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>, StoreError> {
        Self::opened(path, rustix::fs::open(path, OPEN, Mode::empty()))?
            .map(Self::private)
            .transpose()
    }

    /// The same, made first if it is not there.
    pub(crate) fn make(path: &Path) -> Result<Self, StoreError> {
        if let Some(this) = Self::open(path)? {
            return Ok(this);
        }
        fault::step();
        let made = std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path);
        made.map_err(|error| StoreError::at(path, error))?;
        Self::open(path)?.ok_or_else(|| StoreError::at(path, Errno::NOENT.into()))
    }

    /// Any directory, links followed, made if it is not there: the place of a
    /// file that a person may keep elsewhere.
    pub(crate) fn make_outside(path: &Path) -> Result<Self, StoreError> {
        let flags = OPEN.difference(OFlags::NOFOLLOW);
        let open = || Self::opened(path, rustix::fs::open(path, flags, Mode::empty()));
        if let Some(this) = open()? {
            return Ok(this);
        }
        fault::step();
        let made = std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path);
        made.map_err(|error| StoreError::at(path, error))?;
        open()?.ok_or_else(|| StoreError::at(path, Errno::NOENT.into()))
    }

    /// One in this one; none if it is not there.
    pub(crate) fn child(&self, name: &str) -> Result<Option<Self>, StoreError> {
        let path = self.path.join(name);
        let handle = rustix::fs::openat(&self.handle, name, OPEN, Mode::empty());
        Self::opened(&path, handle)?.map(Self::private).transpose()
    }

    /// The same, made first if it is not there.
    pub(crate) fn make_child(&self, name: &str) -> Result<Self, StoreError> {
        if let Some(child) = self.child(name)? {
            return Ok(child);
        }
        fault::step();
        match rustix::fs::mkdirat(&self.handle, name, Mode::RWXU) {
            Ok(()) => self.sync()?,
            Err(Errno::EXIST) => {}
            Err(error) => return Err(self.failed(name, error)),
        }
        let child = self.child(name)?;
        child.ok_or_else(|| self.failed(name, Errno::NOENT))
    }

    fn opened(path: &Path, handle: Result<OwnedFd, Errno>) -> Result<Option<Self>, StoreError> {
        match handle {
            Ok(handle) => Ok(Some(Self {
                handle,
                path: path.to_owned(),
            })),
            Err(Errno::NOENT) => Ok(None),
            Err(Errno::LOOP | Errno::NOTDIR) => Err(StoreError::NotPrivate {
                path: path.to_owned(),
                why: "it is not a directory",
            }),
            Err(error) => Err(StoreError::at(path, error.into())),
        }
    }

    fn private(self) -> Result<Self, StoreError> {
        let stat = rustix::fs::fstat(&self.handle).map_err(|error| self.failed("", error))?;
        let why = match stat.st_mode & OTHERS {
            _ if stat.st_uid != rustix::process::geteuid().as_raw() => "it belongs to another user",
            0 => return Ok(self),
            _ => "others may write to it (chmod go-w would end that)",
        };
        Err(StoreError::NotPrivate {
            path: self.path,
            why,
        })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What an error at a name in it means.
    pub(crate) fn failed(&self, name: &str, error: impl Into<std::io::Error>) -> StoreError {
        match name {
            "" => StoreError::at(&self.path, error.into()),
            name => StoreError::at(&self.path.join(name), error.into()),
        }
    }

    /// Opens a regular file to be read; none if it is not there.
    pub(crate) fn file(&self, name: &str) -> Result<Option<File>, StoreError> {
        // A pipe would wait for somebody to write.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let no = || StoreError::damaged(&self.path.join(name), "it is not a file");
        let handle = match rustix::fs::openat(&self.handle, name, flags, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => return Err(no()),
            handle => handle.map_err(|error| self.failed(name, error))?,
        };
        let stat = rustix::fs::fstat(&handle).map_err(|error| self.failed(name, error))?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok(Some(handle.into())),
            _ => Err(no()),
        }
    }

    /// The whole of a file of at most `max` bytes; none if it is not there.
    pub(crate) fn read(&self, name: &str, max: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(file) = self.file(name)? else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        let read = file.take(max + 1).read_to_end(&mut bytes);
        read.map_err(|error| self.failed(name, error))?;
        match bytes.len() as u64 > max {
            true => Err(StoreError::damaged(
                &self.path.join(name),
                format!("it is larger than {max} bytes"),
            )),
            false => Ok(Some(bytes)),
        }
    }

    /// A new file, which must not be there.
    pub(crate) fn create(&self, name: &str) -> Result<File, StoreError> {
        fault::step();
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        rustix::fs::openat(&self.handle, name, flags, mode)
            .map(File::from)
            .map_err(|error| self.failed(name, error))
    }

    /// A file that is opened to be locked, made if it is not there.
    pub(crate) fn lock_file(&self, name: &str) -> Result<File, StoreError> {
        fault::step();
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        rustix::fs::openat(&self.handle, name, flags, mode)
            .map(File::from)
            .map_err(|error| self.failed(name, error))
    }

    /// A file with these bytes on the disk, in place of one that may be left there.
    pub(crate) fn write_new(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.remove(name)?;
        let mut file = self.create(name)?;
        fault::step();
        let written = file.write_all(bytes).and_then(|()| {
            fault::step();
            file.sync_all()
        });
        written.map_err(|error| {
            // The first error is the one that matters.
            let _ = self.remove(name);
            self.failed(name, error)
        })
    }

    /// Gives a file another name, here or in another directory, in place of what
    /// has it.
    pub(crate) fn rename(&self, from: &str, into: &Self, name: &str) -> Result<(), StoreError> {
        fault::step();
        rustix::fs::renameat(&self.handle, from, &into.handle, name)
            .map_err(|error| into.failed(name, error))
    }

    /// Takes a file away; whether it was there.
    pub(crate) fn remove(&self, name: &str) -> Result<bool, StoreError> {
        fault::step();
        match rustix::fs::unlinkat(&self.handle, name, AtFlags::empty()) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(self.failed(name, error)),
        }
    }

    /// Whether this user may write in it.
    pub(crate) fn writable(&self) -> Result<(), StoreError> {
        let access = rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
        rustix::fs::accessat(&self.handle, ".", access, AtFlags::empty())
            .map_err(|error| self.failed("", error))
    }

    /// Has what was renamed, made and removed in it on the disk.
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        fault::step();
        rustix::fs::fsync(&self.handle).map_err(|error| self.failed("", error))
    }

    /// The names of what is in it, sorted.
    pub(crate) fn names(&self) -> Result<Vec<String>, StoreError> {
        let entries = rustix::fs::Dir::read_from(&self.handle);
        let entries = entries.map_err(|error| self.failed("", error))?;
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| self.failed("", error))?;
            let name = entry.file_name().to_str().map(str::to_owned);
            names.extend(name.ok().filter(|name| name != "." && name != ".."));
        }
        names.sort();
        Ok(names)
    }
}
