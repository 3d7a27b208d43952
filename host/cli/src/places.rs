//! Where Palisade keeps its own files.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;

/// Palisade's own directories. No grant may reach into one of them: whoever
/// can write compiled code or grants needs no sandbox to break out of.
pub(crate) struct Places {
    /// Compiled code.
    pub(crate) cache: PathBuf,
    /// Configuration and grants.
    pub(crate) config: PathBuf,
}

impl Places {
    /// By the conventions of the platform (XDG on Linux); none without a home.
    pub(crate) fn find() -> Option<Self> {
        let strategy = etcetera::choose_base_strategy().ok()?;
        Some(Self {
            cache: strategy.cache_dir().join("palisade"),
            config: strategy.config_dir().join("palisade"),
        })
    }

    /// Where compiled code is kept.
    pub(crate) fn compiled(&self) -> PathBuf {
        self.cache.join("compiled")
    }

    /// The own directory that `granted` holds or lies in, if there is one.
    /// `granted` is resolved.
    pub(crate) fn touched_by(&self, granted: &Path) -> Option<&Path> {
        [&self.cache, &self.config].into_iter().find_map(|own| {
            // One that does not exist yet may come to be below the grant.
            let resolved = resolve_existing(own);
            let touched = resolved.starts_with(granted) || granted.starts_with(&resolved);
            touched.then_some(own.as_path())
        })
    }
}

/// The path with its longest existing part resolved.
fn resolve_existing(path: &Path) -> PathBuf {
    let mut missing = Vec::new();
    let mut existing = path;
    loop {
        if let Ok(resolved) = existing.canonicalize() {
            return missing
                .iter()
                .rev()
                .fold(resolved, |path, part| path.join(part));
        }
        match (existing.parent(), existing.file_name()) {
            (Some(parent), Some(name)) => {
                missing.push(name);
                existing = parent;
            }
            _ => return path.to_owned(),
        }
    }
}
