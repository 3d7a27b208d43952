//! Whether a directory may be renamed.
//!
//! What is hidden in it must stay hidden, and what is not must not become so:
//! else renaming `secrets` would show `secrets/key`, and renaming to it would
//! make what can't be made.

use std::ffi::CStr;
use std::os::fd::{AsFd, OwnedFd};

use palisade_policy::{Entered, HideSet, Trail};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;
use rustix::path::Arg;

/// Most entries that are looked at. A directory that holds more is not renamed
/// where that could make a difference.
const MAX_ENTRIES: usize = 10_000;

/// Most directories in one another.
const MAX_DEPTH: usize = 64;

/// One end of a rename: the patterns that hold there, and what is known of the
/// place.
pub(super) type End<'s> = (&'s HideSet, &'s Trail);

/// Whether the same is hidden of all that lies in a directory before and after.
/// What can't be read is taken to make a difference.
pub(super) fn alike(parent: impl AsFd, name: &str, old: End<'_>, new: End<'_>) -> bool {
    let mut left = MAX_ENTRIES;
    if know_the_same(old, new) {
        return true;
    }
    match open_dir(parent, name) {
        Ok(dir) => entries_alike(&dir, old, new, MAX_DEPTH, &mut left),
        Err(_) => false,
    }
}

/// Then there is no need to look.
fn know_the_same(old: End<'_>, new: End<'_>) -> bool {
    std::ptr::eq(old.0, new.0) && old.1 == new.1 || old.0.is_empty() && new.0.is_empty()
}

fn entries_alike(
    dir: &OwnedFd,
    old: End<'_>,
    new: End<'_>,
    depth: usize,
    left: &mut usize,
) -> bool {
    let Ok(entries) = Dir::read_from(dir) else {
        return false;
    };
    for entry in entries {
        let Ok(entry) = entry else { return false };
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        if *left == 0 || depth == 0 {
            return false;
        }
        *left -= 1;
        let text = name.to_string_lossy();
        let (old_trail, new_trail) = match (old.0.enter(old.1, &text), new.0.enter(new.1, &text)) {
            (Entered::Hidden, Entered::Hidden) => continue,
            (Entered::Visible(old), Entered::Visible(new))
            | (Entered::UnlessFolded(old), Entered::UnlessFolded(new)) => (old, new),
            _ => return false,
        };
        let (old, new) = ((old.0, &old_trail), (new.0, &new_trail));
        if know_the_same(old, new) {
            continue;
        }
        match subdirectory(dir, name, entry.file_type()) {
            Ok(Some(dir)) if !entries_alike(&dir, old, new, depth - 1, left) => return false,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
    true
}

/// An entry, opened if it is a directory.
fn subdirectory(dir: &OwnedFd, name: &CStr, kind: FileType) -> Result<Option<OwnedFd>, Errno> {
    let kind = match kind {
        FileType::Unknown => {
            let stat = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
            FileType::from_raw_mode(stat.st_mode)
        }
        kind => kind,
    };
    match kind {
        FileType::Directory => open_dir(dir, name).map(Some),
        _ => Ok(None),
    }
}

fn open_dir(dir: impl AsFd, name: impl Arg) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(dir, name, flags, Mode::empty())
}
