//! A granted directory, opened.

use std::fs::File;
use std::path::{Path, PathBuf};

use cap_primitives::ambient_authority;
use cap_primitives::fs::open_ambient_dir;
use palisade_policy::{Access, EffectiveRoot};
use wasmtime_wasi::filesystem::Dir;
use wasmtime_wasi::{FsPerms, OpenMode};

use crate::bindings::contract;
use crate::error::LoadError;
use crate::files::Preopen;

/// A directory as it was when the session began, by its handle.
pub(super) struct Granted {
    pub(super) name: String,
    /// As a person wrote it.
    pub(super) written: PathBuf,
    /// The same without links.
    pub(super) path: PathBuf,
    access: Access,
    pub(super) dir: Dir,
}

impl Granted {
    /// Opens it. `local` is whether its operations may run on the calling
    /// thread.
    pub(super) fn open(root: &EffectiveRoot, local: bool) -> Result<Self, LoadError> {
        let failed = |source| LoadError::Root {
            path: root.path.clone(),
            source,
        };
        let path = std::fs::canonicalize(&root.path).map_err(failed)?;
        if !std::fs::metadata(&path).map_err(failed)?.is_dir() {
            return Err(LoadError::RootIsNoDirectory(root.path.clone()));
        }
        let file = open_ambient_dir(&path, ambient_authority()).map_err(failed)?;
        Ok(Self {
            name: root.name.clone(),
            written: root.path.clone(),
            path,
            access: root.access,
            dir: dir(file, root.access, local),
        })
    }

    /// All of it, as guests see it.
    pub(super) fn whole(&self) -> (Preopen, contract::Root) {
        self.part(self.dir.clone(), self.mount(), &self.written)
    }

    /// A directory in it, as guests see it.
    pub(super) fn below(&self, file: File, names: &str, local: bool) -> (Preopen, contract::Root) {
        let mount = format!("{}/{names}", self.mount());
        let path = self.written.join(names);
        self.part(dir(file, self.access, local), mount, &path)
    }

    fn part(&self, dir: Dir, mount: String, path: &Path) -> (Preopen, contract::Root) {
        let root = contract::Root {
            name: self.name.clone(),
            mount: mount.clone(),
            uri: file_uri(path),
            writable: self.access == Access::ReadWrite,
        };
        let room = None;
        (Preopen { mount, dir, room }, root)
    }

    fn mount(&self) -> String {
        format!("/{}", self.name)
    }
}

fn dir(file: File, access: Access, local: bool) -> Dir {
    let (perms, mode) = match access {
        Access::ReadOnly => (FsPerms::ReadOnly, OpenMode::READ),
        Access::ReadWrite => (FsPerms::ReadWrite, OpenMode::READ | OpenMode::WRITE),
    };
    Dir::new(file, perms, mode, local)
}

/// The `file:` URI of an absolute path; empty for one that has none.
fn file_uri(path: &Path) -> String {
    url::Url::from_file_path(path)
        .map(String::from)
        .unwrap_or_default()
}
