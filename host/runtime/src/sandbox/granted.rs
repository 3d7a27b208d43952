//! A granted directory, or a single file, opened.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_primitives::ambient_authority;
use cap_primitives::fs::open_ambient_dir;
use palisade_policy::{Access, EffectiveRoot, HideSet, RootKind};
use wasmtime_wasi::filesystem::Dir;
use wasmtime_wasi::{FsPerms, OpenMode};

use crate::bindings::contract;
use crate::error::LoadError;
use crate::files::{Guard, Place, Preopen, Rule};

/// A directory as it was when the session began, by its handle; of a single
/// file, the one it lies in.
pub(super) struct Granted {
    pub(super) name: String,
    /// As a person wrote it.
    pub(super) written: PathBuf,
    /// The directory without links.
    pub(super) path: PathBuf,
    access: Access,
    /// The name of the single file, if it is one.
    file: Option<String>,
    pub(super) dir: Dir,
    /// What may be seen of it, if paths have to be walked name by name.
    guard: Option<Arc<Guard>>,
}

/// Whether paths below it have to be walked name by name.
pub(super) fn hides_something(root: &EffectiveRoot) -> bool {
    root.kind == RootKind::File || !root.hide.is_empty()
}

impl Granted {
    /// Opens it. `local` is whether its operations may run on the calling
    /// thread, `guarded` whether paths have to be walked name by name.
    pub(super) fn open(
        root: &EffectiveRoot,
        local: bool,
        guarded: bool,
    ) -> Result<Self, LoadError> {
        let failed = |source| LoadError::Root {
            path: root.path.clone(),
            source,
        };
        let mut path = std::fs::canonicalize(&root.path).map_err(failed)?;
        let metadata = std::fs::metadata(&path).map_err(failed)?;
        let file = match root.kind {
            RootKind::Directory if !metadata.is_dir() => {
                return Err(LoadError::RootIsNoDirectory(root.path.clone()));
            }
            RootKind::File if !metadata.is_file() => {
                return Err(LoadError::RootIsNoFile(root.path.clone()));
            }
            RootKind::Directory => None,
            RootKind::File => {
                let name = file_name(&path).map_err(failed)?;
                path.pop();
                Some(name)
            }
        };
        let opened = open_ambient_dir(&path, ambient_authority()).map_err(failed)?;
        let dir = dir(opened, root.access, local);
        let rule = match &file {
            Some(name) => Rule::Only(name.clone()),
            None => Rule::Hide(HideSet::new(&root.hide).map_err(|source| LoadError::Hide {
                root: root.name.clone(),
                source,
            })?),
        };
        Ok(Self {
            name: root.name.clone(),
            written: root.path.clone(),
            path,
            access: root.access,
            file,
            guard: guarded.then(|| Guard::new(Arc::clone(&dir.dir), rule)),
            dir,
        })
    }

    /// Whether what lies in it under this path is hidden.
    pub(super) fn hides(&self, names: &str) -> bool {
        let guard = self.guard.as_ref();
        guard.is_some_and(|guard| guard.hides(names.split('/')))
    }

    /// Whether it is a single file.
    pub(super) fn is_file(&self) -> bool {
        self.file.is_some()
    }

    /// All of it, as guests see it.
    pub(super) fn whole(&self) -> (Preopen, contract::Root) {
        let (preopen, mut root) = self.part(self.dir.clone(), &[], &self.written);
        if let Some(file) = &self.file {
            // What its URI leads to.
            root.mount = format!("{}/{file}", self.mount());
        }
        (preopen, root)
    }

    /// A directory in it, as guests see it.
    pub(super) fn below(&self, file: File, names: &str, local: bool) -> (Preopen, contract::Root) {
        let path = self.written.join(names);
        let names: Vec<_> = names.split('/').map(str::to_owned).collect();
        self.part(dir(file, self.access, local), &names, &path)
    }

    fn part(&self, dir: Dir, names: &[String], path: &Path) -> (Preopen, contract::Root) {
        let mount = match names {
            [] => self.mount(),
            names => format!("{}/{}", self.mount(), names.join("/")),
        };
        let root = contract::Root {
            name: self.name.clone(),
            mount: mount.clone(),
            uri: file_uri(path),
            writable: self.access == Access::ReadWrite,
        };
        let guard = self.guard.as_ref();
        let preopen = Preopen {
            mount,
            dir,
            place: guard.map(|guard| Place::new(Arc::clone(guard), names.to_vec())),
            room: None,
        };
        (preopen, root)
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

fn file_name(path: &Path) -> std::io::Result<String> {
    let name = path.file_name().and_then(|name| name.to_str());
    name.map(str::to_owned).ok_or_else(|| {
        let why = "its name is not UTF-8, and a plugin knows no others";
        std::io::Error::other(why)
    })
}

/// The `file:` URI of an absolute path; empty for one that has none.
fn file_uri(path: &Path) -> String {
    url::Url::from_file_path(path)
        .map(String::from)
        .unwrap_or_default()
}
