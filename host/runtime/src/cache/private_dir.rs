//! A directory only this user can write to.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, Stat};

use crate::error::CacheError;

/// Bits of a mode by which somebody else could write.
const OTHERS_WRITE: u32 = 0o022;

#[derive(Debug)]
pub(super) struct PrivateDir {
    path: PathBuf,
    handle: OwnedFd,
}

/// A file of a [`PrivateDir`] whose owner has been checked.
pub(super) struct PrivateFile {
    file: File,
    len: u64,
}

impl PrivateDir {
    pub(super) fn open(path: PathBuf) -> Result<Self, CacheError> {
        let failed = |source| CacheError::Directory {
            path: path.clone(),
            source,
        };
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&path)
            .map_err(failed)?;
        // Its last part must not be a link: the checks below are about this
        // very directory.
        let handle = rustix::fs::open(
            &path,
            OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
            Mode::empty(),
        )
        .map_err(|error| failed(error.into()))?;
        let stat = rustix::fs::fstat(&handle).map_err(|error| failed(error.into()))?;
        if let Some(why) = not_private(&stat) {
            return Err(CacheError::NotPrivate { path, why });
        }
        Ok(Self { path, handle })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a file for reading; none if it is missing or not ours alone.
    pub(super) fn open_file(&self, name: &str) -> Option<PrivateFile> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let handle = rustix::fs::openat(&self.handle, name, flags, Mode::empty()).ok()?;
        let stat = rustix::fs::fstat(&handle).ok()?;
        if let Some(why) = not_private(&stat) {
            tracing::warn!("{name} in {} is not used: {why}", self.path.display());
            return None;
        }
        let file = File::from(handle);
        let metadata = file.metadata().ok()?;
        metadata.is_file().then(|| PrivateFile {
            len: metadata.len(),
            file,
        })
    }

    /// The whole of a file.
    pub(super) fn read(&self, name: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open_file(name)?.file.read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Takes a file away.
    pub(super) fn remove(&self, name: &str) -> std::io::Result<()> {
        rustix::fs::unlinkat(&self.handle, name, AtFlags::empty()).map_err(Into::into)
    }

    /// Writes a file as a whole: it is there complete, or not at all.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> std::io::Result<()> {
        let temporary = format!(".{}.{name}", std::process::id());
        // One left by a process of the same number that was killed.
        let _ = rustix::fs::unlinkat(&self.handle, &temporary, AtFlags::empty());
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = rustix::fs::openat(&self.handle, &temporary, flags, Mode::RUSR | Mode::WUSR)?;
        let mut file = File::from(handle);
        let written = file
            .write_all(bytes)
            .and_then(|()| file.sync_data())
            .and_then(|()| {
                rustix::fs::renameat(&self.handle, &temporary, &self.handle, name)
                    .map_err(std::io::Error::from)
            });
        if written.is_err() {
            // The first error is the one that matters.
            let _ = rustix::fs::unlinkat(&self.handle, &temporary, AtFlags::empty());
        }
        written
    }
}

impl PrivateFile {
    /// In bytes.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// CRC-32 of the content. Read, not mapped, so that it is not counted
    /// against this process's memory.
    pub(super) fn crc(&self) -> Option<u32> {
        let mut hasher = crc32fast::Hasher::new();
        let mut chunk = vec![0; 32 * 1024];
        let mut file = &self.file;
        loop {
            match file.read(&mut chunk).ok()? {
                0 => return Some(hasher.finalize()),
                length => hasher.update(&chunk[..length]),
            }
        }
    }

    /// A path that leads to this open file and nowhere else.
    pub(super) fn handle_path(&self) -> PathBuf {
        let fd = self.file.as_fd().as_raw_fd();
        if cfg!(target_os = "linux") {
            PathBuf::from(format!("/proc/self/fd/{fd}"))
        } else {
            PathBuf::from(format!("/dev/fd/{fd}"))
        }
    }
}

/// Why somebody else could write this, if somebody could.
fn not_private(stat: &Stat) -> Option<&'static str> {
    if stat.st_uid != rustix::process::geteuid().as_raw() {
        return Some("it belongs to another user");
    }
    (stat.st_mode & OTHERS_WRITE != 0).then_some("others may write to it")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn only_what_is_ours_alone_is_read() {
        let home = tempfile::tempdir().unwrap();
        let dir = PrivateDir::open(home.path().join("a/b")).unwrap();
        dir.write("file", b"code").unwrap();
        assert_eq!(dir.read("file").unwrap(), b"code");
        dir.write("file", b"newer").unwrap();
        assert_eq!(dir.read("file").unwrap(), b"newer");

        let file = dir.path().join("file");
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o666)).unwrap();
        assert!(dir.read("file").is_none(), "others may write to it");

        symlink("/etc/passwd", dir.path().join("link")).unwrap();
        assert!(dir.read("link").is_none(), "a link leads elsewhere");
    }

    #[test]
    fn a_directory_that_others_may_write_to_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let open = home.path().join("open");
        std::fs::create_dir(&open).unwrap();
        std::fs::set_permissions(&open, PermissionsExt::from_mode(0o777)).unwrap();
        assert!(matches!(
            PrivateDir::open(open.clone()),
            Err(CacheError::NotPrivate { .. })
        ));

        let link = home.path().join("link");
        symlink(home.path(), &link).unwrap();
        assert!(matches!(
            PrivateDir::open(link),
            Err(CacheError::Directory { .. })
        ));
    }
}
