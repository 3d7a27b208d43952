//! Where Palisade keeps its own files.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;

/// Palisade's own directories. No grant may reach into one of them: whoever
/// can write compiled code or grants needs no sandbox to break out of.
pub(crate) struct Places {
    cache: PathBuf,
    /// Every directory that is Palisade's own, in this run or in another.
    own: Vec<PathBuf>,
}

impl Places {
    /// By the conventions of the platform (XDG on Linux); none without a home.
    pub(crate) fn find() -> Option<Self> {
        let strategy = etcetera::choose_base_strategy().ok()?;
        let cache = strategy.cache_dir().join("palisade");
        let home = strategy.home_dir();
        let own = vec![
            cache.clone(),
            strategy.config_dir().join("palisade"),
            // Where they are when the variables of XDG are not set: what is
            // started elsewhere, by a desktop for example, uses these.
            home.join(".cache/palisade"),
            home.join(".config/palisade"),
        ];
        Some(Self { cache, own })
    }

    /// Where compiled code is kept.
    pub(crate) fn compiled(&self) -> PathBuf {
        self.cache.join("compiled")
    }

    /// The own directory that `granted` holds or lies in, if there is one.
    /// `granted` is resolved.
    pub(crate) fn touched_by(&self, granted: &Path) -> Option<&Path> {
        self.own.iter().map(PathBuf::as_path).find(|own| {
            // One that does not exist yet may come to be below the grant.
            let resolved = resolve_existing(own);
            resolved.starts_with(granted) || granted.starts_with(&resolved)
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
