//! A granted directory, or a single file, made ready for guests.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use palisade_policy::{Access, EffectiveRoot, HideSet, RootKind};
use rustix::fs::{CWD, Mode, OFlags, openat};
use wasmtime_wasi::{FsPerms, WasiCtxBuilder};

use crate::bindings::contract;
use crate::error::LoadError;
use crate::files::{Guard, Mount, Place, Rule};

/// Whether paths below it have to be walked name by name.
pub(super) fn hides_something(root: &EffectiveRoot) -> bool {
    root.kind == RootKind::File || !root.hide.is_empty()
}

/// Where it is mounted for the guest.
fn mount_point(root: &EffectiveRoot) -> String {
    format!("/{}", root.name)
}

/// The directory that is opened: of a single file, the one it lies in.
fn directory(root: &EffectiveRoot) -> &Path {
    match root.kind {
        RootKind::Directory => &root.path,
        RootKind::File => root.path.parent().unwrap_or(&root.path),
    }
}

fn failed(root: &EffectiveRoot, source: std::io::Error) -> LoadError {
    LoadError::Root {
        path: root.path.clone(),
        source,
    }
}

/// Opens it for the guest.
pub(super) fn open(builder: &mut WasiCtxBuilder, root: &EffectiveRoot) -> Result<(), LoadError> {
    let metadata = std::fs::metadata(&root.path).map_err(|error| failed(root, error))?;
    match root.kind {
        RootKind::Directory if !metadata.is_dir() => {
            return Err(LoadError::RootIsNoDirectory(root.path.clone()));
        }
        RootKind::File if !metadata.is_file() => {
            return Err(LoadError::RootIsNoFile(root.path.clone()));
        }
        _ => {}
    }
    let perms = match root.access {
        Access::ReadOnly => FsPerms::ReadOnly,
        Access::ReadWrite => FsPerms::ReadWrite,
    };
    builder
        .preopened_dir(directory(root), mount_point(root), perms)
        .map_err(|error| failed(root, std::io::Error::other(format!("{error:#}"))))?;
    Ok(())
}

/// What may be seen of it.
pub(super) fn mount(root: &EffectiveRoot) -> Result<Mount, LoadError> {
    let rule = match root.kind {
        RootKind::Directory => {
            Rule::Hide(HideSet::new(&root.hide).map_err(|source| LoadError::Hide {
                root: root.name.clone(),
                source,
            })?)
        }
        RootKind::File => Rule::Only(file_name(root)?),
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let dir = openat(CWD, directory(root), flags, Mode::empty())
        .map_err(|error| failed(root, error.into()))?;
    let dir = Arc::new(File::from(dir));
    let guard = Guard::new(Arc::clone(&dir), rule);
    Ok(Mount {
        point: mount_point(root),
        place: Place::new(guard, Vec::new()),
        dir,
    })
}

fn file_name(root: &EffectiveRoot) -> Result<String, LoadError> {
    let name = root.path.file_name().and_then(|name| name.to_str());
    name.map(str::to_owned).ok_or_else(|| {
        let why = "its name is not UTF-8, and a plugin knows no others";
        failed(root, std::io::Error::other(why))
    })
}

/// As a guest is told of it.
pub(super) fn described(root: &EffectiveRoot) -> contract::Root {
    let point = PathBuf::from(mount_point(root));
    let mount = match (root.kind, root.path.file_name()) {
        (RootKind::File, Some(name)) => point.join(name),
        _ => point,
    };
    contract::Root {
        name: root.name.clone(),
        mount: mount.to_string_lossy().into_owned(),
        uri: file_uri(&root.path),
        writable: root.access == Access::ReadWrite,
    }
}

/// The `file:` URI of an absolute path; empty for one that has none.
fn file_uri(path: &Path) -> String {
    url::Url::from_file_path(path)
        .map(String::from)
        .unwrap_or_default()
}
