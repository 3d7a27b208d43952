//! What the tools do to real files, and what they refuse.
#![allow(
    clippy::unwrap_used,
    reason = "a test says where it failed by panicking"
)]

mod editing;
mod globs;
mod listing;
mod moving;
mod paths;
mod reading;
mod searching;
mod tools;
mod writing;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::roots::{Root, Roots};

/// A directory that stands for a granted one. In these tests the guest sees it
/// where the host has it.
pub(crate) struct Granted {
    temporary: TempDir,
    pub(crate) roots: Roots,
}

impl Granted {
    /// Empty and writable.
    pub(crate) fn new() -> Self {
        Self::with_access(true)
    }

    /// Empty. Only this function can write if `writable` is false.
    pub(crate) fn with_access(writable: bool) -> Self {
        let temporary = TempDir::new().unwrap();
        let path = temporary.path().to_str().unwrap();
        let roots = Roots::new([Root::new(path, &format!("file://{path}"), writable)]);
        Self { temporary, roots }
    }

    /// With files in it.
    pub(crate) fn holding(files: &[(&str, &str)]) -> Self {
        let granted = Self::new();
        for (path, content) in files {
            granted.put(path, content);
        }
        granted
    }

    pub(crate) fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn get(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.temporary.path().join(path)
    }

    /// The whole path as a client would write it.
    pub(crate) fn path(&self, path: &str) -> String {
        self.at(path).to_str().unwrap().to_owned()
    }

    /// The names in it, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        names(self.temporary.path())
    }
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
