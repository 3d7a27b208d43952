//! Listing a directory.
//!
//! A list is made as a whole when it is asked for, so that what another program
//! does meanwhile can't make it an endless one, and the guest reads it bit by
//! bit. Until it lets go of it, the host holds it: so there is a limit.

use std::fs::File as StdFile;
use std::sync::Arc;

use cap_primitives::fs::{DirEntry, FileType, FileTypeExt as _, read_base_dir};
use palisade_policy::Limits;
use wasmtime::component::Resource;
use wasmtime_wasi::filesystem::Dir;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorType, DirectoryEntry, DirectoryEntryStream, ErrorCode,
};
use wasmtime_wasi::p2::{FsError, FsResult};

use crate::error::{Exceeded, Limit};

/// What a guest holds of listed directories.
pub(crate) struct Listed {
    now: u32,
    most: u32,
}

/// One list, and how far the guest has read it.
pub(super) struct List {
    entries: std::vec::IntoIter<Result<DirectoryEntry, ErrorCode>>,
    count: u32,
}

/// The contract's type for a list is one that only wasmtime-wasi can make. What
/// stands in the table under its handles is a [`List`].
pub(super) fn handle(list: Resource<List>) -> Resource<DirectoryEntryStream> {
    Resource::new_own(list.rep())
}

/// The other way round.
pub(super) fn of(handle: &Resource<DirectoryEntryStream>) -> Resource<List> {
    Resource::new_own(handle.rep())
}

impl Listed {
    /// Nothing yet.
    pub(crate) fn new(limits: &Limits) -> Self {
        let most = limits.directory_entries;
        Self { now: 0, most }
    }

    /// Lists a directory, on this thread if `inline`.
    pub(super) async fn list(&mut self, dir: &Dir, inline: bool) -> FsResult<List> {
        let room = self.most - self.now;
        let entries = if inline {
            list_now(&dir.dir, room)?
        } else {
            let dir = Arc::clone(&dir.dir);
            tokio::task::spawn_blocking(move || list_now(&dir, room))
                .await
                .map_err(|error| FsError::trap(wasmtime::Error::new(error)))??
        };
        let count = u32::try_from(entries.len()).unwrap_or(u32::MAX);
        if count > room {
            let limit = Limit::DirectoryEntries(self.most);
            return Err(FsError::trap(Exceeded(limit)));
        }
        self.now += count;
        let entries = entries.into_iter();
        Ok(List { entries, count })
    }

    /// The guest has let go of a list.
    pub(super) fn forget(&mut self, list: &List) {
        self.now = self.now.saturating_sub(list.count);
    }
}

impl List {
    /// The next entry.
    pub(super) fn next(&mut self) -> Result<Option<DirectoryEntry>, ErrorCode> {
        self.entries.next().transpose()
    }
}

/// All entries, or one more than there is room for.
fn list_now(dir: &StdFile, room: u32) -> Result<Vec<Result<DirectoryEntry, ErrorCode>>, ErrorCode> {
    let entries = read_base_dir(dir).map_err(ErrorCode::from)?;
    let most = usize::try_from(room).unwrap_or(usize::MAX);
    Ok(entries
        .take(most.saturating_add(1))
        .map(|entry| entry.and_then(described).map_err(ErrorCode::from))
        .collect())
}

fn described(entry: DirEntry) -> std::io::Result<DirectoryEntry> {
    let mut type_ = kind(entry.file_type()?);
    if matches!(type_, DescriptorType::Unknown) {
        // Some file systems do not say it in the list.
        type_ = kind(entry.metadata()?.file_type());
    }
    let name = entry
        .file_name()
        .into_string()
        .map_err(|_| std::io::Error::from_raw_os_error(rustix::io::Errno::ILSEQ.raw_os_error()))?;
    Ok(DirectoryEntry { type_, name })
}

fn kind(it: FileType) -> DescriptorType {
    if it.is_file() {
        DescriptorType::RegularFile
    } else if it.is_dir() {
        DescriptorType::Directory
    } else if it.is_symlink() {
        DescriptorType::SymbolicLink
    } else if it.is_fifo() {
        DescriptorType::Fifo
    } else if it.is_socket() {
        DescriptorType::Socket
    } else if it.is_block_device() {
        DescriptorType::BlockDevice
    } else if it.is_char_device() {
        DescriptorType::CharacterDevice
    } else {
        DescriptorType::Unknown
    }
}
