//! `wasi:filesystem` as guests get it.
//!
//! wasmtime-wasi does the work and keeps every path below its root. This layer
//! stands in front of it and decides what may be opened at all: only regular
//! files and directories. Opening a FIFO would wait for its other end for
//! ever, opening a device can do anything.

use wasmtime::component::{HasData, Linker, Resource};
use wasmtime_wasi::filesystem::{Descriptor, WasiFilesystemCtxView, WasiFilesystemView as _};
use wasmtime_wasi::p2::bindings::filesystem::types::{
    self, ErrorCode, Filesize, Host, HostDescriptor, HostDirectoryEntryStream,
};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, FsError, FsResult};

use crate::state::State;

mod open;
mod preopens;
mod rename;

pub(crate) use preopens::Preopen;

/// The file system of one call.
pub(crate) struct Files<'a> {
    view: WasiFilesystemCtxView<'a>,
    /// Operations may run on the calling thread.
    inline: bool,
}

struct HasFiles;

impl HasData for HasFiles {
    type Data<'a> = Files<'a>;
}

/// Puts this layer in front of wasmtime-wasi's own, which is linked already.
pub(crate) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    types::add_to_linker::<State, HasFiles>(linker, |state| Files {
        inline: state.inline_files,
        view: state.filesystem(),
    })?;
    preopens::add_to_linker(linker)?;
    linker.allow_shadowing(false);
    Ok(())
}

impl Host for Files<'_> {
    fn convert_error_code(&mut self, error: FsError) -> wasmtime::Result<ErrorCode> {
        self.view.convert_error_code(error)
    }

    fn filesystem_error_code(
        &mut self,
        error: Resource<wasmtime::Error>,
    ) -> wasmtime::Result<Option<ErrorCode>> {
        self.view.filesystem_error_code(error)
    }
}

/// Methods that are handed on as they are.
macro_rules! hand_on {
    ($(async fn $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty;)*) => {$(
        async fn $name(&mut self, $($arg: $ty),*) -> $ret {
            self.view.$name($($arg),*).await
        }
    )*};
    ($(fn $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty;)*) => {$(
        fn $name(&mut self, $($arg: $ty),*) -> $ret {
            self.view.$name($($arg),*)
        }
    )*};
}

type Fd = Resource<Descriptor>;

impl HostDescriptor for Files<'_> {
    async fn open_at(
        &mut self,
        fd: Fd,
        path_flags: types::PathFlags,
        path: String,
        open_flags: types::OpenFlags,
        flags: types::DescriptorFlags,
    ) -> FsResult<Fd> {
        let Descriptor::Dir(dir) = self.view.table.get(&fd)? else {
            return Err(ErrorCode::NotDirectory.into());
        };
        let opening = open::Opening::plan(dir.perms, path_flags, open_flags, flags)?;
        let opened = opening.open(dir, path, self.inline).await?;
        Ok(self.view.table.push(opened)?)
    }

    async fn rename_at(
        &mut self,
        fd: Fd,
        old_path: String,
        new_fd: Fd,
        new_path: String,
    ) -> FsResult<()> {
        let (old, new) = (self.view.table.get(&fd)?, self.view.table.get(&new_fd)?);
        if let (Descriptor::Dir(old), Descriptor::Dir(new)) = (old, new) {
            rename::keep_mode((old, &old_path), (new, &new_path), self.inline).await;
        }
        self.view.rename_at(fd, old_path, new_fd, new_path).await
    }

    fn drop(&mut self, fd: Fd) -> wasmtime::Result<()> {
        HostDescriptor::drop(&mut self.view, fd)
    }

    hand_on! {
        async fn advise(fd: Fd, offset: Filesize, len: Filesize, advice: types::Advice) -> FsResult<()>;
        async fn sync_data(fd: Fd) -> FsResult<()>;
        async fn get_flags(fd: Fd) -> FsResult<types::DescriptorFlags>;
        async fn get_type(fd: Fd) -> FsResult<types::DescriptorType>;
        async fn set_size(fd: Fd, size: Filesize) -> FsResult<()>;
        async fn set_times(fd: Fd, accessed: types::NewTimestamp, modified: types::NewTimestamp) -> FsResult<()>;
        async fn read(fd: Fd, len: Filesize, offset: Filesize) -> FsResult<(Vec<u8>, bool)>;
        async fn write(fd: Fd, bytes: Vec<u8>, offset: Filesize) -> FsResult<Filesize>;
        async fn read_directory(fd: Fd) -> FsResult<Resource<types::DirectoryEntryStream>>;
        async fn sync(fd: Fd) -> FsResult<()>;
        async fn create_directory_at(fd: Fd, path: String) -> FsResult<()>;
        async fn stat(fd: Fd) -> FsResult<types::DescriptorStat>;
        async fn stat_at(fd: Fd, path_flags: types::PathFlags, path: String) -> FsResult<types::DescriptorStat>;
        async fn set_times_at(fd: Fd, path_flags: types::PathFlags, path: String, accessed: types::NewTimestamp, modified: types::NewTimestamp) -> FsResult<()>;
        async fn link_at(fd: Fd, old_path_flags: types::PathFlags, old_path: String, new_fd: Fd, new_path: String) -> FsResult<()>;
        async fn readlink_at(fd: Fd, path: String) -> FsResult<String>;
        async fn remove_directory_at(fd: Fd, path: String) -> FsResult<()>;
        async fn symlink_at(fd: Fd, old_path: String, new_path: String) -> FsResult<()>;
        async fn unlink_file_at(fd: Fd, path: String) -> FsResult<()>;
        async fn is_same_object(one: Fd, other: Fd) -> wasmtime::Result<bool>;
        async fn metadata_hash(fd: Fd) -> FsResult<types::MetadataHashValue>;
        async fn metadata_hash_at(fd: Fd, path_flags: types::PathFlags, path: String) -> FsResult<types::MetadataHashValue>;
    }

    hand_on! {
        fn read_via_stream(fd: Fd, offset: Filesize) -> FsResult<Resource<DynInputStream>>;
        fn write_via_stream(fd: Fd, offset: Filesize) -> FsResult<Resource<DynOutputStream>>;
        fn append_via_stream(fd: Fd) -> FsResult<Resource<DynOutputStream>>;
    }
}

impl HostDirectoryEntryStream for Files<'_> {
    async fn read_directory_entry(
        &mut self,
        stream: Resource<types::DirectoryEntryStream>,
    ) -> FsResult<Option<types::DirectoryEntry>> {
        self.view.read_directory_entry(stream).await
    }

    fn drop(&mut self, stream: Resource<types::DirectoryEntryStream>) -> wasmtime::Result<()> {
        HostDirectoryEntryStream::drop(&mut self.view, stream)
    }
}
