//! A directory and files that only their owner can read.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use zeroize::Zeroizing;

/// Bits of a mode by which somebody else could read or write.
const OTHERS: u32 = 0o077;

/// Bits of a mode by which somebody else could write.
const WRITERS: u32 = 0o022;

/// The bit of a directory in which everybody can rename and remove their own
/// files alone.
const STICKY: u32 = 0o1000;

/// An open directory that is its owner's alone.
#[derive(Debug)]
pub(crate) struct PrivateDir(OwnedFd);

/// Why something is not used.
#[derive(Debug)]
pub(crate) enum Refused {
    /// Its mode lets others at it; how, in words.
    Open(&'static str),
    /// The same of the directory it lies in, which they could put another in.
    OpenParent,
    /// It is no such thing, whatever its mode; why, in words.
    Wrong(&'static str),
    /// It can't be read or written.
    Failed(std::io::Error),
}

impl From<Errno> for Refused {
    fn from(error: Errno) -> Self {
        Self::Failed(error.into())
    }
}

impl From<std::io::Error> for Refused {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error)
    }
}

impl PrivateDir {
    /// Opens it; none if it is not there.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>, Refused> {
        // Its last part must not be a link: what is checked is this very
        // directory.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = match rustix::fs::open(path, flags, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP | Errno::NOTDIR) => {
                return Err(Refused::Wrong("it is not a directory"));
            }
            handle => handle?,
        };
        only_ours(&rustix::fs::fstat(&handle)?)?;
        // Whoever can write there can put a directory of ours in its place that
        // was meant for something else.
        let parent = rustix::fs::statat(&handle, "..", AtFlags::empty())?;
        let swappable = parent.st_mode & WRITERS != 0 && parent.st_mode & STICKY == 0;
        match swappable {
            true => Err(Refused::OpenParent),
            false => Ok(Some(Self(handle))),
        }
    }

    /// Opens it, and makes it first if it is not there.
    pub(crate) fn make(path: &Path) -> Result<Self, Refused> {
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)?;
        Self::open(path)?.ok_or_else(|| Errno::NOENT.into())
    }

    /// The whole of a file of at most `max` bytes; none if it is not there.
    pub(crate) fn read(
        &self,
        name: &str,
        max: usize,
    ) -> Result<Option<Zeroizing<Vec<u8>>>, Refused> {
        // A pipe would wait for somebody to write.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let handle = match rustix::fs::openat(&self.0, name, flags, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => return Err(Refused::Wrong("it is a link")),
            // A socket.
            Err(Errno::NXIO) => return Err(Refused::Wrong("it is not a file")),
            handle => handle?,
        };
        let stat = rustix::fs::fstat(&handle)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(Refused::Wrong("it is not a file"));
        }
        only_ours(&stat)?;
        // Of its final size, so that no part of it is left where it grew.
        let mut bytes = Zeroizing::new(Vec::with_capacity(max + 1));
        File::from(handle)
            .take(max as u64 + 1)
            .read_to_end(&mut bytes)?;
        match bytes.len() > max {
            true => Err(Refused::Wrong("it is too large to be one of these")),
            false => Ok(Some(bytes)),
        }
    }

    /// Writes a file as a whole: it is there complete, or as it was before.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Refused> {
        self.forget_abandoned()?;
        let temporary = format!(".{}.{name}", std::process::id());
        // One left by a process of the same number that was killed.
        let _ = rustix::fs::unlinkat(&self.0, &temporary, AtFlags::empty());
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        let mut file = File::from(rustix::fs::openat(&self.0, &temporary, flags, mode)?);
        let written = file
            .write_all(bytes)
            .and_then(|()| file.sync_all())
            .and_then(|()| Ok(rustix::fs::renameat(&self.0, &temporary, &self.0, name)?));
        if written.is_err() {
            // The first error is the one that matters.
            let _ = rustix::fs::unlinkat(&self.0, &temporary, AtFlags::empty());
        }
        Ok(written?)
    }

    /// Takes away what processes that were killed had on its way here: it has the
    /// values of secrets in it, that nobody would find again.
    fn forget_abandoned(&self) -> Result<(), Refused> {
        for name in self.names()? {
            let writer = (name.strip_prefix('.'))
                .and_then(|rest| rest.split('.').next()?.parse().ok())
                .and_then(rustix::process::Pid::from_raw);
            let Some(writer) = writer else {
                continue;
            };
            if rustix::process::test_kill_process(writer) == Err(Errno::SRCH) {
                // Whoever else takes it away does the same.
                let _ = rustix::fs::unlinkat(&self.0, &name, AtFlags::empty());
            }
        }
        Ok(())
    }

    /// Takes a file away; whether it was there.
    pub(crate) fn remove(&self, name: &str) -> Result<bool, Refused> {
        self.forget_abandoned()?;
        match rustix::fs::unlinkat(&self.0, name, AtFlags::empty()) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// The names of the files in it, sorted. What else lies there is nothing of
    /// ours.
    pub(crate) fn names(&self) -> Result<Vec<String>, Refused> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let flags = AtFlags::SYMLINK_NOFOLLOW;
            let stat = match rustix::fs::statat(&self.0, entry.file_name(), flags) {
                // Removed meanwhile.
                Err(Errno::NOENT) => continue,
                stat => stat?,
            };
            if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile {
                names.extend(entry.file_name().to_str().map(str::to_owned).ok());
            }
        }
        names.sort();
        Ok(names)
    }
}

/// Refuses what somebody else could read or change.
fn only_ours(stat: &Stat) -> Result<(), Refused> {
    if stat.st_uid != rustix::process::geteuid().as_raw() {
        return Err(Refused::Wrong("it belongs to another user"));
    }
    match stat.st_mode & OTHERS {
        0 => Ok(()),
        _ => Err(Refused::Open("others may read it or write to it")),
    }
}
