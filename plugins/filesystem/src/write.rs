//! Changing files and directories.

use std::hash::{BuildHasher, RandomState};

use crate::disk::{self, Kind, Reason};
use crate::error::Failure;
use crate::read;
use crate::roots::{Place, Roots};
use crate::unicode;

/// Links followed before giving up, as Linux does.
const MOST_LINKS: usize = 40;

/// The longest file name most file systems take, in bytes.
const LONGEST_NAME: usize = 255;

/// The tool `write_file`.
pub(crate) fn file(roots: &Roots, path: &str, content: &str) -> Result<(), Failure> {
    let place = unicode::find(roots, path)?.writable()?;
    match create(&place.real(), content) {
        Err(disk::Error::EXISTS) => replace(&place, content),
        result => result.map_err(|error| Failure::disk(error, "open", &place)),
    }
}

/// Replaces the content of a file that exists. A link stays a link: what it
/// leads to is replaced.
pub(crate) fn replace(place: &Place<'_>, content: &str) -> Result<(), Failure> {
    let failed = |call| move |error| Failure::disk(error, call, place);
    let (target, kind) = follow(place.real()).map_err(failed("open"))?;
    match kind {
        Kind::File => {}
        Kind::Directory => return Err(failed("open")(disk::Error::Posix(Reason::IsDirectory))),
        Kind::Link | Kind::Other => return Err(read::not_a_file(place)),
    }
    // A rename replaces the name, whatever it has become in the meantime, and
    // nobody ever sees half a file.
    let temporary = temporary(&target);
    match create(&temporary, content) {
        // Beside a file that is granted alone nothing can be made.
        Err(disk::Error::NotPermitted) => {
            return overwrite(&target, content).map_err(failed("open"));
        }
        created => created.map_err(failed("open"))?,
    }
    disk::rename(&temporary, &target).map_err(|error| {
        // The rename's error is the one to tell.
        let _ = disk::remove(&temporary);
        failed("rename")(error)
    })
}

/// Writes over what is in a file, and cuts off what is left of it.
fn overwrite(path: &str, content: &str) -> Result<(), disk::Error> {
    let file = disk::open_to_write(path)?;
    file.write(content.as_bytes())?;
    file.cut(content.len() as u64)
}

/// The tool `create_directory`.
pub(crate) fn directory(roots: &Roots, path: &str) -> Result<(), Failure> {
    let place = unicode::find(roots, path)?.writable()?;
    directories(&place).map_err(|error| Failure::disk(error, "mkdir", &place))
}

/// Creates a directory, and first those above it that are missing.
fn directories(place: &Place<'_>) -> Result<(), disk::Error> {
    let names = place.names();
    let upto = |count: usize| place.with_names(names[..count].to_vec()).real();
    // From the innermost outwards to the first that can be made or is there.
    let mut made = names.len();
    while made > 0 {
        match create_one(&upto(made)) {
            Err(disk::Error::NO_ENTRY) => made -= 1,
            result => {
                result?;
                break;
            }
        }
    }
    (made + 1..=names.len()).try_for_each(|count| create_one(&upto(count)))
}

/// Creates a directory unless it is there.
fn create_one(path: &str) -> Result<(), disk::Error> {
    let created = disk::create_directory(path);
    match created {
        Err(disk::Error::EXISTS) => match disk::metadata(path) {
            Ok(metadata) if metadata.kind == Kind::Directory => Ok(()),
            Err(error @ disk::Error::NotPermitted) => Err(error),
            _ => created,
        },
        _ => created,
    }
}

/// The tool `move_file`.
pub(crate) fn rename(roots: &Roots, source: &str, destination: &str) -> Result<(), Failure> {
    let from = unicode::find(roots, source)?.writable()?;
    let to = unicode::find(roots, destination)?.writable()?;
    if from.is_root() {
        return Err(Failure::Refused(format!(
            "{} is a granted directory itself and cannot be moved",
            from.shown()
        )));
    }
    // Not followed: a link at the destination is something that is there.
    match disk::metadata_of_link(&to.real()) {
        Ok(_) => Err(Failure::Refused(format!(
            "Destination already exists: {}",
            to.shown()
        ))),
        Err(disk::Error::NO_ENTRY) => disk::rename(&from.real(), &to.real())
            .map_err(|error| Failure::disk_pair(error, "rename", &from, &to)),
        Err(error) => Err(Failure::disk(error, "lstat", &to)),
    }
}

/// Creates a file that must not exist; leaves nothing behind on failure.
fn create(path: &str, content: &str) -> Result<(), disk::Error> {
    let file = disk::create(path)?;
    file.write(content.as_bytes()).inspect_err(|_| {
        let _ = disk::remove(path);
    })
}

/// Where a link leads in the end, and what is there. Only links that stay
/// inside the sandbox can be read.
fn follow(mut path: String) -> Result<(String, Kind), disk::Error> {
    for _ in 0..MOST_LINKS {
        let kind = disk::metadata_of_link(&path)?.kind;
        if kind != Kind::Link {
            return Ok((path, kind));
        }
        let target = disk::link_target(&path)?;
        // Not worked out by hand: `..` after a link is not the name before it.
        path.truncate(path.rfind('/').map_or(0, |slash| slash + 1));
        path.push_str(&target);
    }
    Err(disk::Error::Posix(Reason::Loop))
}

/// A name beside `path` that nobody can guess.
fn temporary(path: &str) -> String {
    let random = || RandomState::new().hash_one(0);
    let suffix = format!(".{:016x}{:016x}.tmp", random(), random());
    let (directory, name) = path.split_at(path.rfind('/').map_or(0, |slash| slash + 1));
    let end = name.floor_char_boundary(LONGEST_NAME - suffix.len());
    format!("{directory}{}{suffix}", &name[..end])
}
