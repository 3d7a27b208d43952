//! Opening a file below a directory.

use std::fs::File as StdFile;
use std::path::Path;
use std::sync::Arc;

use cap_fs_ext::{
    FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsMaybeDirExt as _, OpenOptionsSyncExt as _,
};
use cap_primitives::fs::{OpenOptions, open};
use wasmtime_wasi::filesystem::{Descriptor, Dir, File};
use wasmtime_wasi::p2::FsResult;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorFlags, ErrorCode, OpenFlags, PathFlags,
};
use wasmtime_wasi::{FsPerms, OpenMode};

/// How something is to be opened, once that is known to be allowed.
pub(super) struct Opening {
    options: OpenOptions,
    mode: OpenMode,
    perms: FsPerms,
    must_be_dir: bool,
}

impl Opening {
    /// Follows `open-at` of `wasi:filesystem/types`.
    pub(super) fn plan(
        perms: FsPerms,
        path_flags: PathFlags,
        open_flags: OpenFlags,
        flags: DescriptorFlags,
    ) -> Result<Self, ErrorCode> {
        let sync = DescriptorFlags::FILE_INTEGRITY_SYNC
            | DescriptorFlags::DATA_INTEGRITY_SYNC
            | DescriptorFlags::REQUESTED_WRITE_SYNC;
        if flags.intersects(sync) {
            return Err(ErrorCode::Unsupported);
        }
        let must_be_dir = open_flags.contains(OpenFlags::DIRECTORY);
        let makes = OpenFlags::CREATE | OpenFlags::EXCLUSIVE | OpenFlags::TRUNCATE;
        if must_be_dir && open_flags.intersects(makes) {
            return Err(ErrorCode::Invalid);
        }
        let create = open_flags.contains(OpenFlags::CREATE);
        let truncate = open_flags.contains(OpenFlags::TRUNCATE);
        let write = create || truncate || flags.contains(DescriptorFlags::WRITE);
        // Not even asked of the system: it might allow more than the grant.
        if write && perms.write_not_permitted() {
            return Err(ErrorCode::NotPermitted);
        }
        // The system wants one of the two; what was asked for decides what the
        // descriptor can be used for.
        let read = flags.contains(DescriptorFlags::READ) || !flags.contains(DescriptorFlags::WRITE);

        let mut options = OpenOptions::new();
        options
            .read(read)
            .write(write)
            .truncate(truncate)
            .maybe_dir(true)
            // A FIFO answers at once, to be refused, instead of waiting.
            .nonblock(true)
            .follow(if path_flags.contains(PathFlags::SYMLINK_FOLLOW) {
                FollowSymlinks::Yes
            } else {
                FollowSymlinks::No
            });
        if create && open_flags.contains(OpenFlags::EXCLUSIVE) {
            options.create_new(true);
        } else if create {
            options.create(true);
        }
        let mut mode = OpenMode::empty();
        mode.set(OpenMode::READ, read);
        mode.set(OpenMode::WRITE, write);
        Ok(Self {
            options,
            mode,
            perms,
            must_be_dir,
        })
    }

    /// Opens `path` below `dir`, on this thread if `inline`.
    pub(super) async fn open(
        self,
        dir: &Arc<StdFile>,
        path: String,
        inline: bool,
    ) -> FsResult<Descriptor> {
        if inline {
            return Ok(self.open_now(dir, &path, inline)?);
        }
        let dir = Arc::clone(dir);
        tokio::task::spawn_blocking(move || self.open_now(&dir, &path, inline))
            .await
            .map_err(|error| wasmtime_wasi::p2::FsError::trap(wasmtime::Error::new(error)))?
            .map_err(Into::into)
    }

    fn open_now(&self, dir: &StdFile, path: &str, inline: bool) -> Result<Descriptor, ErrorCode> {
        let opened = open(dir, Path::new(path), &self.options).map_err(ErrorCode::from)?;
        // Asked of what is open, not of the path: nothing can come between.
        let file_type = opened.metadata().map_err(ErrorCode::from)?.file_type();
        if file_type.is_dir() {
            return Ok(Descriptor::Dir(Dir::new(
                opened, self.perms, self.mode, inline,
            )));
        }
        if self.must_be_dir {
            return Err(ErrorCode::NotDirectory);
        }
        if !file_type.is_file() {
            return Err(ErrorCode::Unsupported);
        }
        Ok(Descriptor::File(File::new(
            opened, self.perms, self.mode, inline,
        )))
    }
}
