//! What the tests of installed plugins share: a home with a plugin's file in it.

use std::fs;
use std::path::{Path, PathBuf};

use palisade_tests::{Finished, Palisade, guest};
use tempfile::TempDir;

/// What a plugin without a manifest of its own asks for here.
pub(crate) const NOTES: &str = "[plugin]\nname = \"notes\"\nversion = \"1.0.0\"\n\
    description = \"A folder of notes\"\n\
    [[roots]]\nname = \"notes\"\naccess = \"read-write\"\n";

/// A home, and outside of it a folder with sources.
pub(crate) struct Desk {
    home: TempDir,
    sources: TempDir,
}

impl Desk {
    pub(crate) fn new() -> Self {
        let folder = || tempfile::tempdir().unwrap();
        Self {
            home: folder(),
            sources: folder(),
        }
    }

    /// Puts a plugin's file there, with a manifest beside it.
    pub(crate) fn source(&self, component: &Path, manifest: &str) -> PathBuf {
        let file = self.sources.path().join("plugin.wasm");
        fs::copy(component, &file).unwrap();
        fs::write(self.sources.path().join("palisade.toml"), manifest).unwrap();
        file
    }

    /// A guest that tries to get out, under the name notes.
    pub(crate) fn notes(&self) -> PathBuf {
        self.source(&guest("escapes"), NOTES)
    }

    /// A folder to be granted.
    pub(crate) fn folder(&self) -> PathBuf {
        let folder = self.sources.path().join("folder");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("a.txt"), "the folder's a").unwrap();
        folder.canonicalize().unwrap()
    }

    /// A command in this home.
    pub(crate) fn palisade<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Palisade {
        Palisade::new(arguments).env("HOME", self.home.path())
    }

    /// `palisade install` of a file.
    pub(crate) fn install(&self, file: &Path, flags: &[&str]) -> Finished {
        let flags = flags.iter().copied();
        self.palisade(["install"]).arg(file).args(flags).output()
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.home().join(".local/share/palisade/store")
    }

    pub(crate) fn grant_file(&self) -> PathBuf {
        self.home().join(".config/palisade/grants/notes.toml")
    }
}
