//! The folders of the demo: one that is granted, and beside it one that is not.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

/// The text that must never come out of the sandbox.
pub(crate) const SECRET: &str = "I still talk to my sourdough every morning.";

/// A temporary folder, removed at the end.
pub(crate) struct Folders {
    above: TempDir,
    notes: PathBuf,
    private: PathBuf,
    /// Everything outside the granted folder, as it was.
    outside_before: BTreeMap<PathBuf, Vec<u8>>,
}

impl Folders {
    /// Makes `notes`, which will be granted, and `private`, which will not,
    /// with a link from the one into the other.
    ///
    /// # Errors
    /// Where the temporary folder can't be written.
    pub(crate) fn lay_out() -> Result<Self> {
        let above = tempfile::Builder::new()
            .prefix("palisade-demo-")
            .tempdir()
            .context("no temporary folder")?;
        // The host knows folders by their real paths.
        let real = above.path().canonicalize().context("no temporary folder")?;
        let (notes, private) = (real.join("notes"), real.join("private"));
        let lay_out = || -> std::io::Result<()> {
            fs::create_dir_all(notes.join("recipes"))?;
            fs::write(
                notes.join("shopping.md"),
                "# Shopping\n- flour\n- eggs\n- milk\n",
            )?;
            fs::write(
                notes.join("recipes/pancakes.md"),
                "# Pancakes\nFlour, eggs, milk. Stir, wait, fry.\n",
            )?;
            fs::create_dir(&private)?;
            fs::write(private.join("diary.txt"), format!("{SECRET}\n"))?;
            symlink(private.join("diary.txt"), notes.join("shortcut.txt"))
        };
        lay_out().with_context(|| format!("{} can't be written", real.display()))?;
        let outside_before = contents(&private)?;
        Ok(Self {
            above,
            notes,
            private,
            outside_before,
        })
    }

    /// The granted folder.
    pub(crate) fn notes(&self) -> &Path {
        &self.notes
    }

    /// A note as it is on disk, read past all sandboxes.
    ///
    /// # Errors
    /// Where it is not there.
    pub(crate) fn on_disk(&self, note: &str) -> Result<String> {
        fs::read_to_string(self.notes.join(note))
            .with_context(|| format!("{note} is not on disk as it should be"))
    }

    /// Makes sure that nothing outside the granted folder has changed.
    ///
    /// # Errors
    /// Where something has.
    pub(crate) fn outside_is_untouched(&self) -> Result<()> {
        ensure!(
            contents(&self.private)? == self.outside_before,
            "something changed in {}, which was not granted",
            self.private.display()
        );
        Ok(())
    }

    /// Removes everything.
    ///
    /// # Errors
    /// Where something could not be removed.
    pub(crate) fn remove(self) -> Result<()> {
        let path = self.above.path().to_owned();
        self.above
            .close()
            .with_context(|| format!("{} can't be removed", path.display()))
    }
}

fn contents(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).context("the private folder is gone")? {
        let path = entry?.path();
        let bytes = fs::read(&path).with_context(|| format!("{} changed", path.display()))?;
        files.insert(path, bytes);
    }
    Ok(files)
}
