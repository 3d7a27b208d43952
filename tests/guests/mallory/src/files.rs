//! Directories and files.

use std::collections::BTreeMap;

use palisade_sdk::prelude::*;
use wasip2::clocks::wall_clock::Datetime;
use wasip2::filesystem::preopens::get_directories;
use wasip2::filesystem::types::{
    Descriptor, DescriptorFlags, DescriptorType, ErrorCode, NewTimestamp, OpenFlags, PathFlags,
};
use wasip2::io::streams::StreamError;

/// Most bytes that are read of a file.
const SOME: u64 = 4096;

/// WASI's name of an error.
pub(crate) fn named(code: ErrorCode) -> Error {
    Error::msg(code.name())
}

/// A directory that the host opened.
pub(crate) fn mounted(mount: &str) -> Result<Descriptor> {
    get_directories()
        .into_iter()
        .find_map(|(directory, path)| (path == mount).then_some(directory))
        .with_context(|| format!("nothing is mounted at {mount:?}"))
}

fn kind(kind: DescriptorType) -> &'static str {
    match kind {
        DescriptorType::Directory => "directory",
        DescriptorType::RegularFile => "file",
        DescriptorType::SymbolicLink => "link",
        DescriptorType::Fifo => "fifo",
        DescriptorType::Socket => "socket",
        DescriptorType::CharacterDevice | DescriptorType::BlockDevice => "device",
        DescriptorType::Unknown => "unknown",
    }
}

fn flags(follow: bool) -> PathFlags {
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

fn opened(directory: &Descriptor, path: &str, how: &str) -> Result<Descriptor> {
    let mut open = OpenFlags::empty();
    let mut access = DescriptorFlags::empty();
    let mut follow = false;
    for word in how.split_whitespace() {
        match word {
            "follow" => follow = true,
            "create" => open |= OpenFlags::CREATE,
            "directory" => open |= OpenFlags::DIRECTORY,
            "exclusive" => open |= OpenFlags::EXCLUSIVE,
            "truncate" => open |= OpenFlags::TRUNCATE,
            "read" => access |= DescriptorFlags::READ,
            "write" => access |= DescriptorFlags::WRITE,
            "mutate" => access |= DescriptorFlags::MUTATE_DIRECTORY,
            _ => bail!("{word} is no way to open something"),
        }
    }
    directory
        .open_at(flags(follow), path, open, access)
        .map_err(named)
}

pub(crate) fn file(mount: &str, path: &str) -> Result<Descriptor> {
    opened(&mounted(mount)?, path, "follow read")
}

pub(crate) fn open(mount: &str, path: &str, how: &str) -> Result<String> {
    let it = opened(&mounted(mount)?, path, how)?;
    Ok(kind(it.get_type().map_err(named)?).to_owned())
}

pub(crate) fn open_below(mount: &str, directory: &str, path: &str) -> Result<String> {
    let directory = opened(&mounted(mount)?, directory, "follow directory read")?;
    contents(&opened(&directory, path, "follow read")?)
}

pub(crate) fn stat(mount: &str, path: &str, follow: bool) -> Result<String> {
    let found = mounted(mount)?
        .stat_at(flags(follow), path)
        .map_err(named)?;
    Ok(format!("{} of {} bytes", kind(found.type_), found.size))
}

pub(crate) fn hash(mount: &str, path: &str, follow: bool) -> Result<String> {
    let hash = mounted(mount)?
        .metadata_hash_at(flags(follow), path)
        .map_err(named)?;
    Ok(format!("{:x}{:x}", hash.upper, hash.lower))
}

fn contents(file: &Descriptor) -> Result<String> {
    let (bytes, _) = file.read(SOME, 0).map_err(named)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

pub(crate) fn read(mount: &str, path: &str) -> Result<String> {
    contents(&file(mount, path)?)
}

pub(crate) fn read_stream(mount: &str, path: &str) -> Result<String> {
    let file = file(mount, path)?;
    let stream = file.read_via_stream(0).map_err(named)?;
    match stream.blocking_read(SOME) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(StreamError::Closed) => Ok(String::new()),
        Err(StreamError::LastOperationFailed(error)) => bail!("{}", error.to_debug_string()),
    }
}

pub(crate) fn write(mount: &str, path: &str, text: &str) -> Result<&'static str> {
    opened(&mounted(mount)?, path, "follow create truncate write")?
        .write(text.as_bytes(), 0)
        .map_err(named)?;
    Ok("written")
}

pub(crate) fn readdir(mount: &str, path: &str) -> Result<String> {
    let entries = opened(&mounted(mount)?, path, "follow directory read")?
        .read_directory()
        .map_err(named)?;
    let mut names = Vec::new();
    while let Some(entry) = entries.read_directory_entry().map_err(named)? {
        names.push(format!("{} {}", kind(entry.type_), entry.name));
    }
    names.sort();
    Ok(names.join("\n"))
}

pub(crate) fn link(mount: &str, from: &str, to: &str, follow: bool) -> Result<&'static str> {
    let root = mounted(mount)?;
    root.link_at(flags(follow), from, &root, to)
        .map_err(named)?;
    Ok("linked")
}

pub(crate) fn symlink(mount: &str, target: &str, path: &str) -> Result<&'static str> {
    mounted(mount)?.symlink_at(target, path).map_err(named)?;
    Ok("linked")
}

pub(crate) fn readlink(mount: &str, path: &str) -> Result<String> {
    mounted(mount)?.readlink_at(path).map_err(named)
}

pub(crate) fn rename(mount: &str, from: &str, to: &str) -> Result<&'static str> {
    let root = mounted(mount)?;
    root.rename_at(from, &root, to).map_err(named)?;
    Ok("renamed")
}

pub(crate) fn unlink(mount: &str, path: &str) -> Result<&'static str> {
    mounted(mount)?.unlink_file_at(path).map_err(named)?;
    Ok("deleted")
}

pub(crate) fn mkdir(mount: &str, path: &str) -> Result<&'static str> {
    mounted(mount)?.create_directory_at(path).map_err(named)?;
    Ok("created")
}

pub(crate) fn rmdir(mount: &str, path: &str) -> Result<&'static str> {
    mounted(mount)?.remove_directory_at(path).map_err(named)?;
    Ok("removed")
}

pub(crate) fn set_times(mount: &str, path: &str, follow: bool) -> Result<&'static str> {
    let epoch = NewTimestamp::Timestamp(Datetime {
        seconds: 0,
        nanoseconds: 0,
    });
    mounted(mount)?
        .set_times_at(flags(follow), path, epoch, epoch)
        .map_err(named)?;
    Ok("set")
}

/// How often something came, a line each.
fn tally(outcomes: impl Iterator<Item = Result<String>>) -> String {
    let mut seen = BTreeMap::<String, u32>::new();
    for outcome in outcomes {
        let what = outcome.unwrap_or_else(|error| format!("error {error}"));
        *seen.entry(what).or_default() += 1;
    }
    let lines: Vec<_> = seen
        .into_iter()
        .map(|(what, times)| format!("{times} {what}"))
        .collect();
    lines.join("\n")
}

pub(crate) fn read_again_and_again(mount: &str, path: &str, times: u32) -> String {
    tally((0..times).map(|_| read(mount, path)))
}

pub(crate) fn write_again_and_again(mount: &str, path: &str, times: u32) -> String {
    tally((0..times).map(|_| write(mount, path, "mallory was here").map(str::to_owned)))
}
