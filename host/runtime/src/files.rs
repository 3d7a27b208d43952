//! `wasi:filesystem` as guests get it.
//!
//! wasmtime-wasi does the work and keeps every path below its root. This layer
//! stands in front of it and decides what may be opened at all: only regular
//! files and directories. Opening a FIFO would wait for its other end for
//! ever, opening a device can do anything. And where something is hidden, it
//! walks every path itself (`way`), so that nothing hidden is ever looked up.

use std::sync::Arc;

use wasmtime::component::{HasData, Linker, Resource};
use wasmtime_wasi::filesystem::{Descriptor, WasiFilesystemCtxView};
use wasmtime_wasi::p2::bindings::filesystem::preopens::add_to_linker as add_preopens;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    self, ErrorCode, Filesize, Host, HostDescriptor, HostDirectoryEntryStream, PathFlags,
};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, FsError, FsResult};

use crate::state::State;

mod case;
mod guard;
mod guarded;
mod list;
mod moves;
mod open;
mod preopens;
mod rename;
mod way;

pub(crate) use guard::{Guard, Moves, Place, Places, Rule};
pub(crate) use preopens::Preopen;

use guarded::Wanted;

pub(crate) use list::Listed;

/// The file system of one call.
pub(crate) struct Files<'a> {
    view: WasiFilesystemCtxView<'a>,
    /// Operations may run on the calling thread.
    inline: bool,
    /// Entries of directories that the guest has been told of and still holds.
    listed: &'a mut Listed,
    places: &'a mut Places,
    preopens: &'a Arc<[Preopen]>,
}

struct HasFiles;

impl HasData for HasFiles {
    type Data<'a> = Files<'a>;
}

/// Puts this layer in front of wasmtime-wasi's own, which is linked already.
pub(crate) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    types::add_to_linker::<State, HasFiles>(linker, files)?;
    add_preopens::<State, HasFiles>(linker, files)?;
    linker.allow_shadowing(false);
    Ok(())
}

fn files(state: &mut State) -> Files<'_> {
    Files {
        view: WasiFilesystemCtxView {
            ctx: state.wasi.filesystem(),
            table: &mut state.table,
        },
        inline: state.inline_files,
        listed: &mut state.listed,
        places: &mut state.places,
        preopens: &state.preopens,
    }
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

/// Methods on what a path leads to, be it by a link if the flags say so.
macro_rules! look_at {
    ($(async fn $name:ident(flags, path $(, $arg:ident: $ty:ty)*) -> $ret:ty = $wanted:expr;)*) => {$(
        async fn $name(&mut self, fd: Fd, flags: PathFlags, path: String $(, $arg: $ty)*) -> $ret {
            if self.places.is_free() {
                return self.view.$name(fd, flags, path $(, $arg)*).await;
            }
            let at = self.begin(&fd, path, flags, $wanted).await?;
            let name = at.name.clone();
            let done = self.view.$name(at.dir(), PathFlags::empty(), name $(, $arg)*).await;
            self.end(at, done)
        }
    )*};
}

/// Methods on a name, whatever it stands for.
macro_rules! name_at {
    ($(async fn $name:ident(path) -> $ret:ty = $wanted:expr;)*) => {$(
        async fn $name(&mut self, fd: Fd, path: String) -> $ret {
            if self.places.is_free() {
                return self.view.$name(fd, path).await;
            }
            let at = self.begin(&fd, path, PathFlags::empty(), $wanted).await?;
            let done = self.view.$name(at.dir(), at.name.clone()).await;
            self.end(at, done)
        }
    )*};
}

type Fd = Resource<Descriptor>;

impl Files<'_> {
    /// Lists a directory, whatever may be seen of it.
    async fn list(&mut self, fd: &Fd) -> FsResult<Resource<types::DirectoryEntryStream>> {
        let Descriptor::Dir(dir) = self.view.table.get(fd)? else {
            return Err(ErrorCode::NotDirectory.into());
        };
        let list = self.listed.list(dir, self.inline).await?;
        Ok(list::handle(self.view.table.push(list)?))
    }
}

impl HostDescriptor for Files<'_> {
    async fn open_at(
        &mut self,
        fd: Fd,
        path_flags: PathFlags,
        path: String,
        open_flags: types::OpenFlags,
        flags: types::DescriptorFlags,
    ) -> FsResult<Fd> {
        if !self.places.is_free() {
            return self
                .open_guarded(fd, path_flags, path, open_flags, flags)
                .await;
        }
        let Descriptor::Dir(dir) = self.view.table.get(&fd)? else {
            return Err(ErrorCode::NotDirectory.into());
        };
        let opening = open::Opening::plan(dir.perms, path_flags, open_flags, flags)?;
        let opened = opening.open(&dir.dir, path, self.inline).await?;
        Ok(self.view.table.push(opened)?)
    }

    async fn rename_at(
        &mut self,
        fd: Fd,
        old_path: String,
        new_fd: Fd,
        new_path: String,
    ) -> FsResult<()> {
        if !self.places.is_free() {
            return self
                .rename_guarded((fd, old_path), (new_fd, new_path))
                .await;
        }
        let (old, new) = (self.view.table.get(&fd)?, self.view.table.get(&new_fd)?);
        if let (Descriptor::Dir(old), Descriptor::Dir(new)) = (old, new) {
            rename::keep_mode((old, &old_path), (new, &new_path), self.inline).await;
        }
        self.view.rename_at(fd, old_path, new_fd, new_path).await
    }

    async fn link_at(
        &mut self,
        fd: Fd,
        old_flags: PathFlags,
        old_path: String,
        new_fd: Fd,
        new_path: String,
    ) -> FsResult<()> {
        if !self.places.is_free() {
            let old = (fd, old_flags, old_path);
            return self.link_guarded(old, (new_fd, new_path)).await;
        }
        let view = &mut self.view;
        view.link_at(fd, old_flags, old_path, new_fd, new_path)
            .await
    }

    async fn symlink_at(&mut self, fd: Fd, target: String, path: String) -> FsResult<()> {
        if self.places.is_free() {
            return self.view.symlink_at(fd, target, path).await;
        }
        // Where it leads is asked when it is followed.
        let none = PathFlags::empty();
        let at = self.begin(&fd, path, none, Wanted::Make).await?;
        let made = self.view.symlink_at(at.dir(), target, at.name.clone());
        let made = made.await;
        self.end(at, made)
    }

    async fn read_directory(&mut self, fd: Fd) -> FsResult<Resource<types::DirectoryEntryStream>> {
        match self.places.is_free() {
            true => self.list(&fd).await,
            false => self.list_guarded(fd).await,
        }
    }

    async fn set_times(
        &mut self,
        fd: Fd,
        accessed: types::NewTimestamp,
        modified: types::NewTimestamp,
    ) -> FsResult<()> {
        self.check_touch(&fd)?;
        self.view.set_times(fd, accessed, modified).await
    }

    fn drop(&mut self, fd: Fd) -> wasmtime::Result<()> {
        self.places.open.remove(&fd.rep());
        HostDescriptor::drop(&mut self.view, fd)
    }

    look_at! {
        async fn stat_at(flags, path) -> FsResult<types::DescriptorStat> = Wanted::Look;
        async fn metadata_hash_at(flags, path) -> FsResult<types::MetadataHashValue> = Wanted::Look;
        async fn set_times_at(flags, path, accessed: types::NewTimestamp, modified: types::NewTimestamp) -> FsResult<()> = Wanted::Touch;
    }

    name_at! {
        async fn readlink_at(path) -> FsResult<String> = Wanted::Look;
        async fn create_directory_at(path) -> FsResult<()> = Wanted::Make;
        async fn remove_directory_at(path) -> FsResult<()> = Wanted::Take;
        async fn unlink_file_at(path) -> FsResult<()> = Wanted::Take;
    }

    hand_on! {
        async fn advise(fd: Fd, offset: Filesize, len: Filesize, advice: types::Advice) -> FsResult<()>;
        async fn sync_data(fd: Fd) -> FsResult<()>;
        async fn get_flags(fd: Fd) -> FsResult<types::DescriptorFlags>;
        async fn get_type(fd: Fd) -> FsResult<types::DescriptorType>;
        async fn set_size(fd: Fd, size: Filesize) -> FsResult<()>;
        async fn read(fd: Fd, len: Filesize, offset: Filesize) -> FsResult<(Vec<u8>, bool)>;
        async fn write(fd: Fd, bytes: Vec<u8>, offset: Filesize) -> FsResult<Filesize>;
        async fn sync(fd: Fd) -> FsResult<()>;
        async fn stat(fd: Fd) -> FsResult<types::DescriptorStat>;
        async fn is_same_object(one: Fd, other: Fd) -> wasmtime::Result<bool>;
        async fn metadata_hash(fd: Fd) -> FsResult<types::MetadataHashValue>;
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
        loop {
            let entry = self.view.table.get_mut(&list::of(&stream))?.next()?;
            if entry
                .as_ref()
                .is_none_or(|entry| self.shows(stream.rep(), &entry.name))
            {
                return Ok(entry);
            }
        }
    }

    fn drop(&mut self, stream: Resource<types::DirectoryEntryStream>) -> wasmtime::Result<()> {
        self.places.listed.remove(&stream.rep());
        let list = self.view.table.delete(list::of(&stream))?;
        self.listed.forget(&list);
        Ok(())
    }
}
