//! Replacing a file by renaming another over it.
//!
//! WASI has no permission bits, so a guest that writes a new version beside a
//! file and renames it over (as a careful one does) can't keep the file's
//! mode: a private file would become readable for everybody. The host keeps it.

use std::fs::{File as StdFile, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_primitives::fs::{OpenOptions, PermissionsExt as _, open, stat};
use wasmtime_wasi::filesystem::Dir;

/// Gives the file at `old` the mode of the regular file at `new` that it is
/// about to replace, if there is one.
pub(super) async fn keep_mode(old: (&Dir, &str), new: (&Dir, &str), inline: bool) {
    let writable = |dir: &Dir| !dir.perms.write_not_permitted();
    if !writable(old.0) || !writable(new.0) {
        return;
    }
    if inline {
        keep_mode_now((&old.0.dir, old.1), (&new.0.dir, new.1));
        return;
    }
    let old = (Arc::clone(&old.0.dir), old.1.to_owned());
    let new = (Arc::clone(&new.0.dir), new.1.to_owned());
    // If it panicked, the rename goes on as it would without this.
    let _ = tokio::task::spawn_blocking(move || keep_mode_now((&old.0, &old.1), (&new.0, &new.1)))
        .await;
}

/// As far as it goes: where the mode can't be read or set, the rename itself
/// will say what is wrong.
fn keep_mode_now(old: (&StdFile, &str), new: (&StdFile, &str)) {
    let regular = |(dir, path): (&StdFile, &str)| {
        stat(dir, Path::new(path), FollowSymlinks::No)
            .ok()
            .filter(|metadata| metadata.is_file())
    };
    let (Some(replaced), Some(replacing)) = (regular(new), regular(old)) else {
        return;
    };
    // Never more than who may read, write and run it: what runs as its owner
    // must not do so with a guest's content.
    let mode = replaced.permissions().mode() & 0o777;
    if replacing.permissions().mode() & 0o777 != mode
        && let Err(error) = set_mode(old, mode)
    {
        tracing::debug!("the mode of {} could not be kept: {error}", new.1);
    }
}

/// Sets the mode of what is opened, and not of what the path leads to by then.
fn set_mode((dir, path): (&StdFile, &str), mode: u32) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.read(true).nonblock(true).follow(FollowSymlinks::No);
    let file = open(dir, Path::new(path), &options)?;
    match file.metadata()?.is_file() {
        true => file.set_permissions(Permissions::from_mode(mode)),
        false => Ok(()),
    }
}
