//! Operations where something is hidden.
//!
//! Each walks its path first, and then has wasmtime-wasi do its work on a single
//! name in the directory found, which is lent to it for that long.

use std::sync::Arc;

use rustix::fs::FileType;
use tokio::sync::OwnedRwLockReadGuard;
use wasmtime::component::Resource;
use wasmtime_wasi::filesystem::{Descriptor, Dir};
use wasmtime_wasi::p2::bindings::filesystem::types::{
    self, DescriptorFlags, ErrorCode, HostDescriptor as _, OpenFlags, PathFlags,
};
use wasmtime_wasi::p2::{FsError, FsResult};

use super::guard::{Known, Listed, Place};
use super::open::Opening;
use super::way::{self, Found, Stop};
use super::{Fd, Files, list, moves, rename};

/// What a path is walked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// To look at what is there.
    Look,
    /// To change what is known of it, but not its name.
    Touch,
    /// To make something there.
    Make,
    /// To take its name away, or give it another one.
    Take,
}

impl Wanted {
    /// What the guest is told. What is hidden is not there; but where it wants
    /// to make it, that would be a riddle.
    fn refusal(self, stop: Stop) -> ErrorCode {
        match (stop, self) {
            (Stop::Error(code), _) => code,
            (Stop::Hidden, Self::Make) => ErrorCode::NotPermitted,
            (Stop::Hidden, _) => ErrorCode::NoEntry,
        }
    }

    /// What else is refused of what was found.
    fn check(self, found: &Found) -> Result<(), ErrorCode> {
        if found.place.guard.is_one_file() {
            match self {
                Self::Make | Self::Take => return Err(ErrorCode::NotPermitted),
                Self::Touch if found.is_itself() => return Err(ErrorCode::NotPermitted),
                Self::Touch | Self::Look => {}
            }
        }
        match found.kind {
            Some(kind) if found.must_be_dir && kind != FileType::Directory => {
                Err(ErrorCode::NotDirectory)
            }
            _ => Ok(()),
        }
    }
}

/// A name in a directory, to do something with.
pub(super) struct At {
    lent: Fd,
    pub(super) name: String,
    /// Nothing is renamed until it is done.
    _still: OwnedRwLockReadGuard<()>,
}

impl At {
    /// The directory.
    pub(super) fn dir(&self) -> Fd {
        Resource::new_borrow(self.lent.rep())
    }
}

impl Files<'_> {
    /// Walks a path to do something with a single name.
    pub(super) async fn begin(
        &mut self,
        fd: &Fd,
        path: String,
        flags: PathFlags,
        wanted: Wanted,
    ) -> FsResult<At> {
        let still = self.still().await?;
        let found = self.locate(fd, path, flags, wanted).await?;
        Ok(At {
            lent: self.lend(fd, &found)?,
            name: found.name,
            _still: still,
        })
    }

    /// Ends what [`Self::begin`] began.
    pub(super) fn end<T>(&mut self, at: At, done: FsResult<T>) -> FsResult<T> {
        self.view.table.delete(at.lent)?;
        done
    }

    /// Refuses to change what is known of a directory in which one file may be
    /// seen.
    pub(super) fn check_touch(&self, fd: &Fd) -> Result<(), ErrorCode> {
        let place = self.places.open.get(&fd.rep());
        match place.is_some_and(|place| place.guard.is_one_file()) {
            true => Err(ErrorCode::NotPermitted),
            false => Ok(()),
        }
    }

    /// Whether an entry of a directory may be seen.
    pub(super) fn shows(&self, stream: u32, name: &str) -> bool {
        match self.places.listed.get(&stream) {
            Some(listed) => listed.shows(name),
            None => self.places.is_free(),
        }
    }

    /// Waits until nothing is being renamed.
    async fn still(&mut self) -> FsResult<OwnedRwLockReadGuard<()>> {
        let moves = self.places.moves.as_ref();
        let moves = moves.ok_or(ErrorCode::BadDescriptor)?;
        Ok(Arc::clone(moves).read_owned().await)
    }

    async fn locate(
        &mut self,
        fd: &Fd,
        path: String,
        flags: PathFlags,
        wanted: Wanted,
    ) -> FsResult<Found> {
        let looks = matches!(wanted, Wanted::Look | Wanted::Touch);
        let follow =
            flags.contains(PathFlags::SYMLINK_FOLLOW) || looks && way::ends_in_slash(&path);
        let found = self.find(fd, path, follow).await?;
        let found = found.map_err(|stop| wanted.refusal(stop))?;
        wanted.check(&found)?;
        Ok(found)
    }

    async fn find(&mut self, fd: &Fd, path: String, follow: bool) -> FsResult<Result<Found, Stop>> {
        let (place, dir) = (self.place(fd)?.clone(), Arc::clone(&self.dir(fd)?.dir));
        blocking(self.inline, move || way::find(&place, &dir, &path, follow)).await
    }

    fn dir(&self, fd: &Fd) -> FsResult<&Dir> {
        match self.view.table.get(fd)? {
            Descriptor::Dir(dir) => Ok(dir),
            Descriptor::File(_) => Err(ErrorCode::NotDirectory.into()),
        }
    }

    /// Where a directory lies. One of which that is not known is of no use.
    fn place(&self, fd: &Fd) -> FsResult<&Place> {
        self.dir(fd)?;
        let place = self.places.open.get(&fd.rep());
        place.ok_or_else(|| ErrorCode::BadDescriptor.into())
    }

    /// The directory that was found, as if the guest had opened it the way it
    /// has opened `fd`.
    fn lend(&mut self, fd: &Fd, found: &Found) -> FsResult<Fd> {
        let mut dir = self.dir(fd)?.clone();
        dir.dir = Arc::clone(&found.dir);
        Ok(self.view.table.push(Descriptor::Dir(dir))?)
    }

    /// `open-at`.
    pub(super) async fn open_guarded(
        &mut self,
        fd: Fd,
        path_flags: PathFlags,
        path: String,
        open_flags: OpenFlags,
        flags: DescriptorFlags,
    ) -> FsResult<Fd> {
        let perms = self.dir(&fd)?.perms;
        // The last name is never followed any more once it has been found.
        let opening = Opening::plan(perms, PathFlags::empty(), open_flags, flags)?;
        let create = open_flags.contains(OpenFlags::CREATE);
        let anew = create && open_flags.contains(OpenFlags::EXCLUSIVE);
        let follow = path_flags.contains(PathFlags::SYMLINK_FOLLOW) || way::ends_in_slash(&path);
        let _still = self.still().await?;
        let found = self.find(&fd, path, follow && !anew).await?;
        let wanted = if create { Wanted::Make } else { Wanted::Look };
        let found = found.map_err(|stop| wanted.refusal(stop))?;
        // To make a file that may be seen is no more than to fill it.
        Wanted::Look.check(&found)?;
        if create && found.must_be_dir {
            return Err(ErrorCode::IsDirectory.into());
        }
        let opened = opening.open(&found.dir, found.name, self.inline).await?;
        let is_dir = matches!(opened, Descriptor::Dir(_));
        let opened = self.view.table.push(opened)?;
        if is_dir {
            self.places.open.insert(opened.rep(), found.place);
        }
        Ok(opened)
    }

    /// `read-directory`.
    pub(super) async fn list_guarded(
        &mut self,
        fd: Fd,
    ) -> FsResult<Resource<types::DirectoryEntryStream>> {
        let _still = self.still().await?;
        let (found, folds) = self.find_itself(&fd).await?;
        let stream = self.list(&fd).await?;
        // All of it has been read: as long as the directory lay there.
        if let Err(moved) = self.find_itself(&fd).await {
            let list = self.view.table.delete(list::of(&stream))?;
            self.listed.forget(&list);
            return Err(moved);
        }
        let listed = Listed {
            guard: found.place.guard,
            known: found.known,
            folds,
        };
        self.places.listed.insert(stream.rep(), listed);
        Ok(stream)
    }

    /// Where an open directory lies, and whether one on the way takes names for
    /// one that differ.
    async fn find_itself(&mut self, fd: &Fd) -> FsResult<(Found, bool)> {
        let (place, dir) = (self.place(fd)?.clone(), Arc::clone(&self.dir(fd)?.dir));
        let found = blocking(self.inline, move || {
            let found = way::find(&place, &dir, way::ITSELF, false)?;
            let folds = found.folds();
            Ok((found, folds))
        });
        let found = found.await?;
        Ok(found.map_err(|stop| Wanted::Look.refusal(stop))?)
    }

    /// `link-at`.
    pub(super) async fn link_guarded(
        &mut self,
        (fd, old_flags, old_path): (Fd, PathFlags, String),
        (new_fd, new_path): (Fd, String),
    ) -> FsResult<()> {
        if old_flags.contains(PathFlags::SYMLINK_FOLLOW) {
            return Err(ErrorCode::Invalid.into());
        }
        let _still = self.still().await?;
        let none = PathFlags::empty();
        let old = self.locate(&fd, old_path, none, Wanted::Take).await?;
        let new = self.locate(&new_fd, new_path, none, Wanted::Make).await?;
        if new.must_be_dir {
            return Err(ErrorCode::NoEntry.into());
        }
        let (old_dir, new_dir) = (self.lend(&fd, &old)?, self.lend(&new_fd, &new)?);
        let [old_at, new_at] = [&old_dir, &new_dir].map(|lent| Resource::new_borrow(lent.rep()));
        let done = self.view.link_at(old_at, none, old.name, new_at, new.name);
        let done = done.await;
        self.view.table.delete(old_dir)?;
        self.view.table.delete(new_dir)?;
        done
    }

    /// `rename-at`.
    pub(super) async fn rename_guarded(
        &mut self,
        (fd, old_path): (Fd, String),
        (new_fd, new_path): (Fd, String),
    ) -> FsResult<()> {
        let moves = self.places.moves.as_ref();
        let moves = Arc::clone(moves.ok_or(ErrorCode::BadDescriptor)?);
        let _alone = moves.write_owned().await;
        let none = PathFlags::empty();
        let old = self.locate(&fd, old_path, none, Wanted::Take).await?;
        let new = self.locate(&new_fd, new_path, none, Wanted::Make).await?;
        let is_dir = match old.kind {
            None => return Err(ErrorCode::NoEntry.into()),
            Some(kind) => kind == FileType::Directory,
        };
        if new.must_be_dir && !is_dir {
            return Err(ErrorCode::NotDirectory.into());
        }
        if is_dir && !self.may_move(&old, &new).await? {
            return Err(ErrorCode::NotPermitted.into());
        }
        let (old_dir, new_dir) = (self.lend(&fd, &old)?, self.lend(&new_fd, &new)?);
        rename::keep_mode(
            (self.dir(&old_dir)?, &old.name),
            (self.dir(&new_dir)?, &new.name),
            self.inline,
        )
        .await;
        let [old_at, new_at] = [&old_dir, &new_dir].map(|lent| Resource::new_borrow(lent.rep()));
        let done = self.view.rename_at(old_at, old.name, new_at, new.name);
        let done = done.await;
        self.view.table.delete(old_dir)?;
        self.view.table.delete(new_dir)?;
        if done.is_ok() && is_dir {
            self.places.moved(&old.place, &new.place);
        }
        done
    }

    /// Whether a directory may be renamed with all that is in it.
    async fn may_move(&mut self, old: &Found, new: &Found) -> FsResult<bool> {
        let end = |found: &Found| (Arc::clone(&found.place.guard), found.known.clone());
        let (old_end, new_end) = (end(old), end(new));
        let (dir, name) = (Arc::clone(&old.dir), old.name.clone());
        blocking(self.inline, move || {
            let (Some(old_set), Some(new_set)) = (old_end.0.hide_set(), new_end.0.hide_set())
            else {
                return false;
            };
            match (&old_end.1, &new_end.1) {
                (Known::Trail(old), Known::Trail(new)) => {
                    moves::alike(&dir, &name, (old_set, old), (new_set, new))
                }
                _ => false,
            }
        })
        .await
    }
}

/// Runs what asks the system on this thread if it may, else on another.
async fn blocking<T: Send + 'static>(
    inline: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> FsResult<T> {
    if inline {
        return Ok(work());
    }
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| FsError::trap(wasmtime::Error::new(error)))
}
