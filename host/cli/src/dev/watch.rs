//! Whether a file of a project was saved.
//!
//! Files are looked at, three times a second. Every system has an interface that
//! would tell, each another one and none over all file systems; a project is
//! some hundred files.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::Duration;

use super::proxy::Event;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(300);

/// Files and folders that are looked at.
const MOST: usize = 20_000;

/// How deep folders may lie.
const DEEPEST: usize = 32;

/// Folders of tools, which change whenever something is built.
const OF_TOOLS: [&str; 4] = ["target", "node_modules", "__pycache__", "dist"];

/// Tells of every change, once nothing has changed for a moment.
pub(crate) fn watch(folder: PathBuf, is_cargos: bool, events: SyncSender<Event>) {
    // Before the first build: what is saved from now on is news.
    let mut told = state(&folder, is_cargos);
    thread::spawn(move || {
        let mut before = told;
        loop {
            #[allow(
                clippy::disallowed_methods,
                reason = "a thread of its own, between two looks"
            )]
            thread::sleep(PAUSE);
            let now = state(&folder, is_cargos);
            if now == before && now != told {
                told = now;
                if events.send(Event::Changed).is_err() {
                    return;
                }
            }
            before = now;
        }
    });
}

/// Names, lengths and times of all files, as one number.
fn state(folder: &Path, is_cargos: bool) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut left = MOST;
    walk(folder, is_cargos, DEEPEST, &mut left, &mut hasher);
    hasher.finish()
}

fn walk(folder: &Path, is_cargos: bool, depth: usize, left: &mut usize, into: &mut DefaultHasher) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let mut entries: Vec<_> = entries.flatten().take(*left).collect();
    *left -= entries.len();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.to_string_lossy();
        // What the build itself writes is no news.
        let made = is_cargos && (name == "Cargo.lock" || name.ends_with(".wasm"));
        if name.starts_with('.') || made || OF_TOOLS.contains(&name.as_ref()) {
            continue;
        }
        // Of a link, what it leads to; folders are not entered by one.
        let Ok(metadata) = std::fs::metadata(&path) else {
            continue;
        };
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        if metadata.is_dir() {
            if depth > 0 && !is_link {
                walk(&path, is_cargos, depth - 1, left, into);
            }
            continue;
        }
        (path, metadata.len(), metadata.modified().ok()).hash(into);
    }
}
