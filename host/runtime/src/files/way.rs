//! A path, walked name by name.
//!
//! Every directory on the way is opened below the one before, never through a
//! link; links are read and their names walked in turn. So it is known of each
//! name where it lies when it is looked up, whatever others rename meanwhile.
//! The last name is not touched: what is to be done is done to that name in the
//! directory found, without following anything.

use std::collections::VecDeque;
use std::fs::File as StdFile;
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, readlinkat, statat};
use rustix::io::Errno;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use super::case;
use super::guard::{Guard, Known, Place};

/// Links followed before a path is taken for a loop, as on Linux.
const MAX_LINKS: u32 = 40;

/// Longest path, in bytes, as on Linux.
const MAX_PATH: usize = 4096;

/// Most directories in one another: each is held open while a path is walked.
const MAX_DEPTH: usize = 128;

/// The directory itself, as a name in it.
pub(super) const ITSELF: &str = ".";

/// Why there is nothing at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// It, or a directory on the way, is hidden.
    Hidden,
    /// The system says so.
    Error(ErrorCode),
}

impl From<Errno> for Stop {
    fn from(error: Errno) -> Self {
        Self::Error(std::io::Error::from(error).into())
    }
}

/// The end of a path.
pub(super) struct Found {
    /// The directory it lies in.
    pub(super) dir: Arc<StdFile>,
    /// Its name there, or [`ITSELF`].
    pub(super) name: String,
    /// Where it lies.
    pub(super) place: Place,
    /// What is known of it.
    pub(super) known: Known,
    /// What it is; none if there is nothing.
    pub(super) kind: Option<FileType>,
    /// The path ends in a slash.
    pub(super) must_be_dir: bool,
    /// Whether a directory on the way takes names for one that differ; asked
    /// only for directories whose entries are to be listed.
    folding: Vec<Arc<StdFile>>,
}

impl Found {
    /// Whether it is the directory that the descriptor stands for, or one above
    /// the last name.
    pub(super) fn is_itself(&self) -> bool {
        self.name == ITSELF
    }

    /// Whether a directory on the way, or this one, takes names for one that
    /// differ.
    pub(super) fn folds(&self) -> bool {
        self.folding.iter().any(|dir| case::folds(dir))
    }
}

/// A directory on the way.
struct Step {
    dir: Arc<StdFile>,
    name: String,
    known: Known,
}

/// The directories from the root to where a path has come.
struct Way<'g> {
    guard: &'g Arc<Guard>,
    steps: Vec<Step>,
}

impl<'g> Way<'g> {
    /// To a directory that is open: it must still lie where it did when it was
    /// opened.
    fn to(place: &'g Place, open: &StdFile) -> Result<Self, Stop> {
        let root = Step {
            dir: Arc::clone(&place.guard.root),
            name: String::new(),
            known: place.guard.known(),
        };
        let mut way = Self {
            guard: &place.guard,
            steps: vec![root],
        };
        for name in &place.names {
            let known = way.enter(name)?;
            let dir = open_dir(way.dir(), name)?;
            way.push(dir, name.clone(), known)?;
        }
        if !place.names.is_empty() && !same(&fstat(way.dir())?, &fstat(open)?) {
            return Err(Stop::Error(ErrorCode::NoEntry));
        }
        Ok(way)
    }

    fn dir(&self) -> &Arc<StdFile> {
        // There is always the root.
        self.steps.last().map_or(&self.guard.root, |step| &step.dir)
    }

    fn known(&self) -> Known {
        let last = self.steps.last();
        last.map_or_else(|| self.guard.known(), |step| step.known.clone())
    }

    fn enter(&self, name: &str) -> Result<Known, Stop> {
        let folds = || self.steps.iter().any(|step| case::folds(&step.dir));
        let entered = self.guard.enter(&self.known(), name, folds);
        entered.ok_or(Stop::Hidden)
    }

    fn push(&mut self, dir: StdFile, name: String, known: Known) -> Result<(), Stop> {
        if self.steps.len() > MAX_DEPTH {
            return Err(Stop::Error(ErrorCode::NameTooLong));
        }
        self.steps.push(Step {
            dir: Arc::new(dir),
            name,
            known,
        });
        Ok(())
    }

    fn names(&self) -> Vec<String> {
        let below_root = self.steps.iter().skip(1);
        below_root.map(|step| step.name.clone()).collect()
    }

    /// The directory itself, at the end of a path.
    fn itself(self) -> Found {
        Found {
            dir: Arc::clone(self.dir()),
            name: ITSELF.to_owned(),
            place: Place::new(Arc::clone(self.guard), self.names()),
            known: self.known(),
            kind: Some(FileType::Directory),
            must_be_dir: true,
            folding: self.steps.into_iter().map(|step| step.dir).collect(),
        }
    }

    /// A name in the directory, at the end of a path.
    fn entry(self, name: String, known: Known, kind: Option<FileType>, slash: bool) -> Found {
        let mut names = self.names();
        names.push(name.clone());
        Found {
            dir: Arc::clone(self.dir()),
            name,
            place: Place::new(Arc::clone(self.guard), names),
            known,
            kind,
            must_be_dir: slash,
            folding: Vec::new(),
        }
    }
}

/// Walks `path` from a directory that is `open` and lies at `place`. A link at
/// its end is followed, or not. Nothing above that directory is reached.
pub(super) fn find(place: &Place, open: &StdFile, path: &str, follow: bool) -> Result<Found, Stop> {
    let mut slash = ends_in_slash(path);
    let mut todo = names(path)?;
    let mut way = Way::to(place, open)?;
    let floor = way.steps.len();
    let mut links = 0;
    while let Some(name) = todo.pop_front() {
        if name == ".." {
            if way.steps.len() <= floor {
                return Err(Stop::Error(ErrorCode::NotPermitted));
            }
            way.steps.pop();
            continue;
        }
        let known = way.enter(&name)?;
        let last = todo.is_empty();
        let kind = match kind(way.dir(), &name)? {
            None if !last => return Err(Stop::Error(ErrorCode::NoEntry)),
            kind => kind,
        };
        match kind {
            Some(FileType::Symlink) if !last || follow => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(Stop::Error(ErrorCode::Loop));
                }
                let target = link(way.dir(), &name)?;
                slash |= last && ends_in_slash(&target);
                for name in names(&target)?.into_iter().rev() {
                    todo.push_front(name);
                }
            }
            Some(FileType::Directory) if !last => {
                let dir = open_dir(way.dir(), &name)?;
                way.push(dir, name, known)?;
            }
            _ if last => return Ok(way.entry(name, known, kind, slash)),
            _ => return Err(Stop::Error(ErrorCode::NotDirectory)),
        }
    }
    Ok(way.itself())
}

/// The names of a relative path; `..` is one of them, `.` is not.
fn names(path: &str) -> Result<VecDeque<String>, Stop> {
    let code = if path.is_empty() {
        ErrorCode::NoEntry
    } else if path.contains('\0') {
        ErrorCode::Invalid
    } else if path.len() > MAX_PATH {
        ErrorCode::NameTooLong
    } else if path.starts_with('/') {
        ErrorCode::NotPermitted
    } else {
        let names = path.split('/').filter(|name| !matches!(*name, "" | "."));
        return Ok(names.map(str::to_owned).collect());
    };
    Err(Stop::Error(code))
}

pub(super) fn ends_in_slash(path: &str) -> bool {
    path.ends_with('/') || path.ends_with("/.")
}

/// What a name in a directory is, without following it.
fn kind(dir: &StdFile, name: &str) -> Result<Option<FileType>, Stop> {
    match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(FileType::from_raw_mode(stat.st_mode))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn link(dir: &StdFile, name: &str) -> Result<String, Stop> {
    let target = readlinkat(dir, name, Vec::new())?;
    (target.into_string()).map_err(|_| Stop::Error(ErrorCode::IllegalByteSequence))
}

/// Opens a directory to look further below it: a name that has become a link
/// meanwhile is not followed.
fn open_dir(dir: &StdFile, name: &str) -> Result<StdFile, Stop> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // That it may be passed is enough; it need not be readable.
    #[cfg(target_os = "linux")]
    let flags = flags | OFlags::PATH;
    Ok(openat(dir, name, flags, Mode::empty())?.into())
}

fn same(one: &Stat, other: &Stat) -> bool {
    (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
}
