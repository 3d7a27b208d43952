//! Where Palisade keeps its own files.

use std::path::{Path, PathBuf};
use std::time::Duration;

use etcetera::BaseStrategy as _;
use palisade_secrets::Store;

use crate::keyring;

/// Palisade's own directories. No grant may reach into one of them: whoever
/// can write compiled code or grants needs no sandbox to break out of, and who can
/// read secrets has them.
pub(crate) struct Places {
    cache: PathBuf,
    config: PathBuf,
    data: PathBuf,
    state: PathBuf,
    /// Every directory that is Palisade's own, in this run or in another.
    own: Vec<PathBuf>,
    /// Files of this run that no plugin may read: tokens, keys.
    secret: Vec<PathBuf>,
}

impl Places {
    /// By the conventions of the platform (XDG on Linux); none without a home,
    /// or with one that is no absolute path.
    pub(crate) fn find() -> Option<Self> {
        let strategy = etcetera::choose_base_strategy().ok()?;
        let cache = strategy.cache_dir().join("palisade");
        let config = strategy.config_dir().join("palisade");
        let data = strategy.data_dir().join("palisade");
        // Where a platform has no place for it, it lies beside the rest.
        let state = strategy
            .state_dir()
            .map_or_else(|| data.join("state"), |dir| dir.join("palisade"));
        let home = strategy.home_dir();
        let own = vec![
            cache.clone(),
            config.clone(),
            data.clone(),
            state.clone(),
            // Where they are when the variables of XDG are not set: what is
            // started elsewhere, by a desktop for example, uses these.
            home.join(".cache/palisade"),
            home.join(".config/palisade"),
            home.join(".local/share/palisade"),
            home.join(".local/state/palisade"),
        ];
        let absolute = own.iter().all(|path| path.is_absolute());
        absolute.then_some(Self {
            cache,
            config,
            data,
            state,
            own,
            secret: Vec::new(),
        })
    }

    /// The same, with files that no plugin of this run may read.
    pub(crate) fn with_secret(mut self, files: &[PathBuf]) -> Self {
        self.secret.extend_from_slice(files);
        self
    }

    /// The files that no plugin of this run may read.
    pub(crate) fn secret(&self) -> &[PathBuf] {
        &self.secret
    }

    /// Where compiled code is kept.
    pub(crate) fn compiled(&self) -> PathBuf {
        self.cache.join("compiled")
    }

    /// Where what a person has decided is kept.
    pub(crate) fn config(&self) -> &Path {
        &self.config
    }

    /// What a person says of those who sign plugins.
    pub(crate) fn trust(&self) -> PathBuf {
        self.config.join("trust.toml")
    }

    /// The secret key that plugins are signed with, unless another is named.
    pub(crate) fn signing_key(&self) -> PathBuf {
        self.config.join("signing.key")
    }

    /// Where installed plugins are kept.
    pub(crate) fn store(&self) -> PathBuf {
        self.data.join("store")
    }

    /// Where what was decided is recorded.
    pub(crate) fn audit(&self) -> PathBuf {
        self.state.join("audit")
    }

    /// Where it is kept what plugins that are served have said and nobody has
    /// agreed to.
    pub(crate) fn withheld(&self) -> PathBuf {
        self.state.join("withheld")
    }

    /// Where the values of secrets are kept. The system's keyring may take so long
    /// for an answer.
    pub(crate) fn secrets(&self, keyring: Duration) -> Store {
        Store::new(self.data.join("secrets")).with_keyring(keyring::of_the_system(keyring))
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

/// Who could write to a directory.
pub(crate) enum State {
    /// It is not there.
    Missing,
    /// Its owner alone, who is this user.
    Private,
    /// Somebody else; who, in words.
    Open(String),
}

impl State {
    /// That of a directory, links followed.
    pub(crate) fn of(path: &Path) -> Self {
        let stat = match rustix::fs::stat(path) {
            Ok(stat) => stat,
            Err(rustix::io::Errno::NOENT) => return Self::Missing,
            Err(error) => return Self::Open(std::io::Error::from(error).to_string()),
        };
        if stat.st_uid != rustix::process::geteuid().as_raw() {
            return Self::Open("it belongs to another user".to_owned());
        }
        match stat.st_mode & 0o022 {
            0 => Self::Private,
            _ => Self::Open("others may write to it".to_owned()),
        }
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
