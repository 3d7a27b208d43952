//! What `cargo xtask build` made, and where it put it.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::fs::{self, DirEntry};
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

/// The host binary: `PALISADE_BIN`, else the debug build of this workspace.
///
/// # Panics
///
/// If it is not there.
#[must_use]
pub fn palisade() -> PathBuf {
    present(from_env("PALISADE_BIN", "debug/palisade"))
}

/// The plugin of this name: `NAME.wasm` in `PALISADE_PLUGINS`, else in
/// `target/plugins`.
///
/// # Panics
///
/// If it is not there.
#[must_use]
pub fn plugin(name: &str) -> PathBuf {
    present(from_env("PALISADE_PLUGINS", "plugins").join(format!("{name}.wasm")))
}

/// The misbehaving guest of this name: `NAME.wasm` in `PALISADE_GUESTS`, else
/// in `target/guests`.
///
/// # Panics
///
/// If it is not there.
#[must_use]
pub fn guest(name: &str) -> PathBuf {
    present(from_env("PALISADE_GUESTS", "guests").join(format!("{name}.wasm")))
}

/// Something that `cargo xtask clients` has installed: a path in
/// `PALISADE_CLIENTS`, else in `target/clients`.
///
/// # Panics
///
/// If it is not there.
#[must_use]
#[track_caller]
pub fn client(path: &str) -> PathBuf {
    let path = from_env("PALISADE_CLIENTS", "clients").join(path);
    assert!(
        path.exists(),
        "{} is missing: run cargo xtask clients first",
        path.display()
    );
    path
}

/// A file of the tests' own, such as a program in another language.
#[must_use]
pub fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The cache directory (as in `XDG_CACHE_HOME`) that tests share, since
/// compiling takes a debug build seconds. One a build of the host: compiled
/// code and what is recorded with it must come from the host under test.
pub(crate) fn shared_cache() -> &'static Path {
    static CACHE: OnceLock<PathBuf> = OnceLock::new();
    CACHE.get_or_init(|| {
        let all = target().join("tmp/palisade-cache");
        let own = all.join(fingerprint(&palisade()));
        forget_old(&all);
        fs::create_dir_all(&own).expect("the target folder can be written");
        own
    })
}

fn fingerprint(file: &Path) -> String {
    let metadata = fs::metadata(file).expect("the host binary can be looked at");
    let modified = metadata.modified().expect("files have a time");
    let mut hasher = DefaultHasher::new();
    (file, metadata.len(), modified).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Removes caches of builds that are most likely gone. Another process may do
/// the same just now, so what fails here does not matter.
fn forget_old(all: &Path) {
    let is_old = |entry: &DirEntry| {
        let modified = entry.metadata().ok()?.modified().ok()?;
        Some(modified.elapsed().ok()? > Duration::from_hours(24))
    };
    for entry in fs::read_dir(all).into_iter().flatten().flatten() {
        if is_old(&entry) == Some(true) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

pub(crate) fn target() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let workspace = workspace.expect("the tests are a folder of the workspace");
    workspace.join("target")
}

fn from_env(variable: &str, default: &str) -> PathBuf {
    env::var_os(variable).map_or_else(|| target().join(default), PathBuf::from)
}

#[track_caller]
fn present(path: PathBuf) -> PathBuf {
    assert!(
        path.exists(),
        "{} is missing: run cargo xtask build first",
        path.display()
    );
    path
}
