//! A client's configuration file on disk: read within bounds, backed up once, and
//! written in one moment.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{Error, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use tempfile::NamedTempFile;

use crate::failure::Failure;

/// Largest file that is edited, in bytes. Claude Code keeps more than servers in
/// its own.
const MAX: u64 = 16 * 1024 * 1024;

/// A file that is there or could be.
#[derive(Debug)]
pub(crate) struct ConfigFile {
    /// As its client names it.
    named: PathBuf,
    /// Where it really lies; links are followed, since people keep their files in
    /// one place and link them to where they are read.
    real: PathBuf,
    found: Option<Found>,
}

#[derive(Debug)]
struct Found {
    text: String,
    mode: u32,
}

/// What has become of a file that was to be written.
#[derive(Debug)]
pub(crate) enum Written {
    /// It is. Where a backup of the first state lies, if there is one.
    Done(Option<PathBuf>),
    /// Somebody else has written it since it was read.
    Changed,
}

impl ConfigFile {
    /// Reads it, if it is there.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let named = std::path::absolute(path).map_err(|error| unreadable(path, &error))?;
        let real = match named.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(unreadable(&named, &error)),
            Ok(metadata) => match named.canonicalize() {
                Err(error) if metadata.is_symlink() && error.kind() == ErrorKind::NotFound => {
                    return Err(refused(&named, "it is a link to nothing"));
                }
                real => Some(real.map_err(|error| unreadable(&named, &error))?),
            },
        };
        let Some(real) = real else {
            own_place(&named)?;
            return Ok(Self {
                real: named.clone(),
                named,
                found: None,
            });
        };
        let found = Some(read(&real).map_err(|why| match why {
            Why::Io(error) => unreadable(&named, &error),
            Why::Said(why) => refused(&named, why),
        })?);
        Ok(Self { named, real, found })
    }

    /// Whether it is there.
    pub(crate) fn exists(&self) -> bool {
        self.found.is_some()
    }

    /// What it says; nothing, if it is not there.
    pub(crate) fn text(&self) -> &str {
        self.found.as_ref().map_or("", |found| &found.text)
    }

    /// Writes it, unless somebody else has since it was read.
    pub(crate) fn write(&self, text: &str) -> Result<Written, Failure> {
        let folder = self.real.parent().unwrap_or(Path::new("/"));
        let failed = |error: &Error| {
            Failure::because(format!("{} can't be written", self.named.display()), error)
                .remedy("it is as it was; with --print, see what to put there")
        };
        if self.found.is_none() {
            let mut builder = std::fs::DirBuilder::new();
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            let made = builder.recursive(true).create(folder);
            made.map_err(|error| failed(&error))?;
        }
        // Whoever reads it may find another server's token there.
        let mode = self.found.as_ref().map_or(0o600, |found| found.mode);
        let mut temporary = NamedTempFile::new_in(folder).map_err(|error| failed(&error))?;
        let filled = temporary
            .write_all(text.as_bytes())
            .and_then(|()| {
                temporary
                    .as_file()
                    .set_permissions(Permissions::from_mode(mode))
            })
            .and_then(|()| temporary.as_file().sync_all());
        filled.map_err(|error| failed(&error))?;
        let Some(found) = &self.found else {
            return match temporary.persist_noclobber(&self.real) {
                Ok(_) => Ok(Written::Done(None)),
                Err(error) if error.error.kind() == ErrorKind::AlreadyExists => {
                    Ok(Written::Changed)
                }
                Err(error) => Err(failed(&error.error)),
            };
        };
        let backup = self.back_up(found)?;
        match read(&self.real) {
            Ok(now) if now.text == found.text => {}
            _ => return Ok(Written::Changed),
        }
        (temporary.persist(&self.real)).map_err(|error| failed(&error.error))?;
        Ok(Written::Done(Some(backup)))
    }

    /// Keeps what is there. It is done once: a later backup would take the place of
    /// the only copy of what stood there before Palisade, and what Palisade did
    /// since, `client remove` undoes. It lies where the client looks, not where a
    /// link leads: that may be a folder of files a person shares.
    fn back_up(&self, found: &Found) -> Result<PathBuf, Failure> {
        let mut name = self.named.clone().into_os_string();
        name.push(".palisade-backup");
        let path = PathBuf::from(name);
        let kept = (OpenOptions::new().write(true).create_new(true).mode(0o600))
            .open(&path)
            .and_then(|mut file| {
                file.write_all(found.text.as_bytes())?;
                file.sync_all()
            });
        match kept {
            Ok(()) => Ok(path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(path),
            Err(error) => Err(Failure::because(
                format!("{} can't be written", path.display()),
                &error,
            )
            .remedy("nothing is changed; with --print, see what to put there")),
        }
    }
}

/// Why a file is not read.
enum Why {
    Io(Error),
    Said(&'static str),
}

impl From<Error> for Why {
    fn from(error: Error) -> Self {
        Self::Io(error)
    }
}

/// Reads a path in which no link is left.
fn read(real: &Path) -> Result<Found, Why> {
    // A pipe would wait for somebody to write.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = (OpenOptions::new().read(true))
        .custom_flags(flags.bits().cast_signed())
        .open(real)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(Why::Said("it is not a file"));
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(Why::Said("it belongs to another user"));
    }
    Ok(Found {
        text: bounded(file)?,
        mode: metadata.mode() & 0o777,
    })
}

fn bounded(file: File) -> Result<String, Why> {
    let mut bytes = Vec::new();
    file.take(MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX {
        return Err(Why::Said("it is larger than 16 MiB"));
    }
    String::from_utf8(bytes).map_err(|_| Why::Said("it is not UTF-8 text"))
}

/// Whether a file may be made there: run by another user, it would be one that its
/// owner can't write.
fn own_place(path: &Path) -> Result<(), Failure> {
    let metadata = path
        .ancestors()
        .skip(1)
        .find_map(|path| path.metadata().ok());
    match metadata {
        Some(metadata) if metadata.uid() != rustix::process::geteuid().as_raw() => Err(refused(
            path,
            "the folder it would be in belongs to another user",
        )),
        _ => Ok(()),
    }
}

fn unreadable(path: &Path, error: &Error) -> Failure {
    Failure::because(format!("{} can't be read", path.display()), error)
}

fn refused(path: &Path, why: &str) -> Failure {
    Failure::new(format!("{} is left as it is: {why}", path.display()))
        .remedy("with --print, see what to put there")
}
