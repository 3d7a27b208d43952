//! Directories and files.

use std::collections::BTreeSet;

use palisade_sdk::prelude::*;
use wasip2::clocks::monotonic_clock::subscribe_duration;
use wasip2::clocks::wall_clock::Datetime;
use wasip2::filesystem::preopens::get_directories;
use wasip2::filesystem::types::{
    Descriptor, DescriptorFlags, ErrorCode, NewTimestamp, OpenFlags, PathFlags,
};

use crate::kind;

/// Most bytes that are read of a file.
const SOME: u64 = 4096;

/// WASI's name of an error, which tells more than a number.
pub(crate) fn named(code: ErrorCode) -> Error {
    Error::msg(code.name())
}

/// A directory that the host opened; of `/MOUNT:PATH`, one that is opened below
/// it first.
pub(crate) fn root(mount: &str) -> Result<Descriptor> {
    let (mount, below) = mount.split_once(':').unwrap_or((mount, ""));
    let root = get_directories()
        .into_iter()
        .find_map(|(directory, path)| (path == mount).then_some(directory))
        .with_context(|| format!("nothing is mounted at {mount:?}"))?;
    match below {
        "" => Ok(root),
        path => directory(&root, path),
    }
}

fn directory(root: &Descriptor, path: &str) -> Result<Descriptor> {
    root.open_at(
        PathFlags::SYMLINK_FOLLOW,
        path,
        OpenFlags::DIRECTORY,
        DescriptorFlags::READ | DescriptorFlags::MUTATE_DIRECTORY,
    )
    .map_err(named)
}

fn follow_flags(follow: bool) -> PathFlags {
    if follow {
        PathFlags::SYMLINK_FOLLOW
    } else {
        PathFlags::empty()
    }
}

pub(crate) fn preopens() -> String {
    let all: Vec<_> = get_directories()
        .into_iter()
        .map(|(_, path)| path)
        .collect();
    all.join("\n")
}

pub(crate) fn read(mount: &str, path: &str, follow: bool) -> Result<String> {
    let file = root(mount)?
        .open_at(
            follow_flags(follow),
            path,
            OpenFlags::empty(),
            DescriptorFlags::READ,
        )
        .map_err(named)?;
    let what = kind(file.get_type().map_err(named)?);
    let (bytes, _) = file.read(SOME, 0).map_err(named)?;
    Ok(format!("{what}: {}", String::from_utf8_lossy(&bytes)))
}

/// Holds a directory open until there is a file called `go`, and then reads a
/// file in it.
pub(crate) fn hold(mount: &str, directory: &str, name: &str, ctx: &Context) -> Result<String> {
    const PAUSE_NANOS: u64 = 5_000_000;
    let root = root(mount)?;
    let open = |from: &Descriptor, path: &str, flags| {
        let following = PathFlags::SYMLINK_FOLLOW;
        from.open_at(following, path, flags, DescriptorFlags::READ)
            .map_err(named)
    };
    let held = open(&root, directory, OpenFlags::DIRECTORY)?;
    ctx.progress(1.0, None, Some("held"));
    while root.stat_at(PathFlags::empty(), "go").is_err() {
        subscribe_duration(PAUSE_NANOS).block();
    }
    let file = open(&held, name, OpenFlags::empty())?;
    let (bytes, _) = file.read(SOME, 0).map_err(named)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads a file over and over; says what came of it, each outcome once.
pub(crate) fn read_over_and_over(mount: &str, path: &str, follow: bool, count: u32) -> String {
    let outcomes: BTreeSet<_> = (0..count)
        .map(|_| read(mount, path, follow).unwrap_or_else(|error| error.to_string()))
        .collect();
    outcomes.into_iter().collect::<Vec<_>>().join("\n")
}

/// Makes a file over and over; says what came of it, each outcome once.
pub(crate) fn write_over_and_over(mount: &str, path: &str, text: &str, count: u32) -> String {
    let outcomes: BTreeSet<_> = (0..count)
        .map(|_| match write(mount, path, text) {
            Ok(done) => done.to_owned(),
            Err(error) => error.to_string(),
        })
        .collect();
    outcomes.into_iter().collect::<Vec<_>>().join("\n")
}

/// Opens a directory, renames it, and then reads a file by the old handle.
pub(crate) fn read_in_renamed(mount: &str, from: &str, to: &str, path: &str) -> Result<String> {
    let root = root(mount)?;
    let held = directory(&root, from)?;
    root.rename_at(from, &root, to).map_err(named)?;
    let (flags, none) = (DescriptorFlags::READ, OpenFlags::empty());
    let file = held.open_at(PathFlags::empty(), path, none, flags);
    let (bytes, _) = file.map_err(named)?.read(SOME, 0).map_err(named)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Opens a directory and names what is in it over and over, until that fails or
/// has been done often enough; says every name that was seen, and why it ended.
pub(crate) fn list_while_it_lasts(mount: &str, path: &str, count: u32) -> Result<String> {
    let held = directory(&root(mount)?, path)?;
    let mut seen = BTreeSet::new();
    for _ in 0..count {
        let entries = match held.read_directory() {
            Ok(entries) => entries,
            Err(code) => {
                seen.insert(format!("ended: {}", code.name()));
                break;
            }
        };
        while let Some(entry) = entries.read_directory_entry().map_err(named)? {
            seen.insert(entry.name);
        }
    }
    Ok(seen.into_iter().collect::<Vec<_>>().join("\n"))
}

pub(crate) fn read_link(mount: &str, path: &str) -> Result<String> {
    root(mount)?.readlink_at(path).map_err(named)
}

pub(crate) fn hash(mount: &str, path: &str, follow: bool) -> Result<&'static str> {
    root(mount)?
        .metadata_hash_at(follow_flags(follow), path)
        .map_err(named)?;
    Ok("hashed")
}

/// Sets a directory's times to 1970 by its handle.
pub(crate) fn set_own_times(mount: &str) -> Result<&'static str> {
    let epoch = epoch();
    root(mount)?.set_times(epoch, epoch).map_err(named)?;
    Ok("set")
}

pub(crate) fn list(mount: &str, path: &str) -> Result<String> {
    let entries = directory(&root(mount)?, path)?
        .read_directory()
        .map_err(named)?;
    let mut names = Vec::new();
    while let Some(entry) = entries.read_directory_entry().map_err(named)? {
        names.push(format!("{} {}", kind(entry.type_), entry.name));
    }
    names.sort();
    Ok(names.join("\n"))
}

pub(crate) fn write(mount: &str, path: &str, text: &str) -> Result<&'static str> {
    root(mount)?
        .open_at(
            PathFlags::SYMLINK_FOLLOW,
            path,
            OpenFlags::CREATE,
            DescriptorFlags::WRITE,
        )
        .map_err(named)?
        .write(text.as_bytes(), 0)
        .map_err(named)?;
    Ok("written")
}

pub(crate) fn write_read_only(mount: &str, path: &str) -> Result<&'static str> {
    let file = root(mount)?
        .open_at(
            PathFlags::SYMLINK_FOLLOW,
            path,
            OpenFlags::empty(),
            DescriptorFlags::READ,
        )
        .map_err(named)?;
    file.write(b"overwritten", 0).map_err(named)?;
    Ok("written")
}

pub(crate) fn create_in(mount: &str, directory: &str, name: &str) -> Result<&'static str> {
    root(mount)?
        .open_at(
            PathFlags::SYMLINK_FOLLOW,
            directory,
            OpenFlags::DIRECTORY,
            DescriptorFlags::READ | DescriptorFlags::MUTATE_DIRECTORY,
        )
        .map_err(named)?
        .open_at(
            PathFlags::empty(),
            name,
            OpenFlags::CREATE,
            DescriptorFlags::READ | DescriptorFlags::WRITE,
        )
        .map_err(named)?;
    Ok("created")
}

pub(crate) fn truncate(mount: &str, path: &str) -> Result<&'static str> {
    root(mount)?
        .open_at(
            PathFlags::SYMLINK_FOLLOW,
            path,
            OpenFlags::TRUNCATE,
            DescriptorFlags::READ,
        )
        .map_err(named)?;
    Ok("truncated")
}

pub(crate) fn stat(mount: &str, path: &str, follow: bool) -> Result<String> {
    let found = root(mount)?
        .stat_at(follow_flags(follow), path)
        .map_err(named)?;
    Ok(format!("{} of {} bytes", kind(found.type_), found.size))
}

pub(crate) fn link(
    mount: &str,
    path: &str,
    to_mount: &str,
    to_path: &str,
    follow: bool,
) -> Result<&'static str> {
    root(mount)?
        .link_at(follow_flags(follow), path, &root(to_mount)?, to_path)
        .map_err(named)?;
    Ok("linked")
}

pub(crate) fn symlink(mount: &str, target: &str, path: &str) -> Result<&'static str> {
    root(mount)?.symlink_at(target, path).map_err(named)?;
    Ok("linked")
}

pub(crate) fn rename(
    mount: &str,
    path: &str,
    to_mount: &str,
    to_path: &str,
) -> Result<&'static str> {
    root(mount)?
        .rename_at(path, &root(to_mount)?, to_path)
        .map_err(named)?;
    Ok("renamed")
}

pub(crate) fn unlink(mount: &str, path: &str) -> Result<&'static str> {
    root(mount)?.unlink_file_at(path).map_err(named)?;
    Ok("deleted")
}

pub(crate) fn create_directory(mount: &str, path: &str) -> Result<&'static str> {
    root(mount)?.create_directory_at(path).map_err(named)?;
    Ok("created")
}

pub(crate) fn remove_directory(mount: &str, path: &str) -> Result<&'static str> {
    root(mount)?.remove_directory_at(path).map_err(named)?;
    Ok("removed")
}

pub(crate) fn set_times(mount: &str, path: &str, follow: bool) -> Result<&'static str> {
    let epoch = epoch();
    root(mount)?
        .set_times_at(follow_flags(follow), path, epoch, epoch)
        .map_err(named)?;
    Ok("set")
}

fn epoch() -> NewTimestamp {
    NewTimestamp::Timestamp(Datetime {
        seconds: 0,
        nanoseconds: 0,
    })
}

pub(crate) fn read_length(mount: &str, path: &str, length: u64) -> Result<String> {
    let file = root(mount)?
        .open_at(
            PathFlags::SYMLINK_FOLLOW,
            path,
            OpenFlags::empty(),
            DescriptorFlags::READ,
        )
        .map_err(named)?;
    let (bytes, _) = file.read(length, 0).map_err(named)?;
    Ok(format!("{} bytes", bytes.len()))
}
