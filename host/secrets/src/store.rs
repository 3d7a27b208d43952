//! Values by name, each in a file of its own.

use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::private::{PrivateDir, Refused};
use crate::value::{BadValue, MAX_BYTES, SecretValue};

/// Longest name, in bytes.
const MAX_NAME: usize = 64;

/// A directory (0700) of files (0600), one a secret. A file holds the secret's
/// name, a line break and the value: where a file system takes `token` for
/// `TOKEN`, one is still not the other.
#[derive(Debug, Clone)]
pub struct Store {
    path: PathBuf,
}

/// Why a secret can't be kept or had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// No name that a secret can have.
    #[error("a secret's name is 1 to 64 of the characters A-Z, a-z, 0-9, _ and -")]
    Name,
    /// Somebody else could read it.
    #[error("{} is not used: {why}", path.display())]
    NotPrivate {
        /// What is not used.
        path: PathBuf,
        /// Why.
        why: &'static str,
    },
    /// The system refuses it.
    #[error("{} can't be read or written", path.display())]
    Failed {
        /// What.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Not written by a store.
    #[error("{} is damaged", path.display())]
    Damaged {
        /// What is.
        path: PathBuf,
    },
    /// No value that can be kept.
    #[error("the value {0}")]
    Value(#[from] BadValue),
}

impl Store {
    /// The store in a directory, which need not be there yet.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A secret's value, if it has one.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn get(&self, name: &str) -> Result<Option<SecretValue>, StoreError> {
        check(name)?;
        let Some(dir) = self.dir()? else {
            return Ok(None);
        };
        let longest = MAX_NAME + 1 + MAX_BYTES;
        let bytes = dir
            .read(name, longest)
            .map_err(|why| self.refused(why, name))?;
        let Some(bytes) = bytes else {
            return Ok(None);
        };
        let damaged = || StoreError::Damaged {
            path: self.path.join(name),
        };
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let (own, value) = bytes.split_at(end.ok_or_else(damaged)?);
        if own != name.as_bytes() {
            return match own.eq_ignore_ascii_case(name.as_bytes()) {
                true => Ok(None),
                false => Err(damaged()),
            };
        }
        let value = String::from_utf8(value[1..].to_vec()).map_err(|_| damaged())?;
        SecretValue::new(value).map(Some).map_err(|_| damaged())
    }

    /// Keeps a value, in place of the one there may be.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn set(&self, name: &str, value: &SecretValue) -> Result<(), StoreError> {
        check(name)?;
        let text = value.reveal();
        let mut bytes = Zeroizing::new(Vec::with_capacity(name.len() + 1 + text.len()));
        bytes.extend_from_slice(name.as_bytes());
        bytes.push(b'\n');
        bytes.extend_from_slice(text.as_bytes());
        let dir = PrivateDir::make(&self.path).map_err(|why| self.refused(why, ""))?;
        dir.write(name, &bytes)
            .map_err(|why| self.refused(why, name))
    }

    /// Forgets a value; whether there was one.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn remove(&self, name: &str) -> Result<bool, StoreError> {
        check(name)?;
        match self.dir()? {
            None => Ok(false),
            Some(dir) => dir.remove(name).map_err(|why| self.refused(why, name)),
        }
    }

    /// The names of all that have one, sorted.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn names(&self) -> Result<Vec<String>, StoreError> {
        let Some(dir) = self.dir()? else {
            return Ok(Vec::new());
        };
        let mut names = dir.names().map_err(|why| self.refused(why, ""))?;
        names.retain(|name| check(name).is_ok());
        Ok(names)
    }

    fn dir(&self) -> Result<Option<PrivateDir>, StoreError> {
        PrivateDir::open(&self.path).map_err(|why| self.refused(why, ""))
    }

    fn refused(&self, why: Refused, name: &str) -> StoreError {
        let path = match name {
            "" => self.path.clone(),
            name => self.path.join(name),
        };
        match why {
            Refused::Open(why) => StoreError::NotPrivate { path, why },
            Refused::Failed(source) => StoreError::Failed { path, source },
        }
    }
}

fn check(name: &str) -> Result<(), StoreError> {
    let good = (1..=MAX_NAME).contains(&name.len())
        && (name.bytes()).all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    good.then_some(()).ok_or(StoreError::Name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn allow(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn value(text: &str) -> SecretValue {
        SecretValue::new(text.to_owned()).unwrap()
    }

    #[test]
    fn what_is_kept_is_had_until_it_is_removed() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::new(home.path().join("a/secrets"));
        assert!(store.get("TOKEN").unwrap().is_none());
        assert!(!store.remove("TOKEN").unwrap());
        assert!(store.names().unwrap().is_empty());

        store.set("TOKEN", &value("first")).unwrap();
        store.set("TOKEN", &value("second")).unwrap();
        store.set("a-b", &value("other")).unwrap();
        assert_eq!(store.get("TOKEN").unwrap().unwrap().reveal(), "second");
        assert_eq!(store.names().unwrap(), ["TOKEN", "a-b"]);
        assert_eq!(mode(store.path()), 0o700);
        assert_eq!(mode(&store.path().join("TOKEN")), 0o600);

        assert!(store.remove("TOKEN").unwrap());
        assert!(store.get("TOKEN").unwrap().is_none());
        assert_eq!(store.names().unwrap(), ["a-b"]);
    }

    #[test]
    fn what_others_can_read_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::new(home.path().join("secrets"));
        store.set("TOKEN", &value("hunter2")).unwrap();
        let file = store.path().join("TOKEN");
        for (path, open, private) in [(file.as_path(), 0o640, 0o600), (store.path(), 0o711, 0o700)]
        {
            allow(path, open);
            let error = store.get("TOKEN").unwrap_err();
            assert!(matches!(error, StoreError::NotPrivate { .. }), "{error}");
            assert!(!error.to_string().contains("hunter2"));
            allow(path, private);
        }
        // Setting it again makes it its owner's alone.
        allow(&file, 0o666);
        store.set("TOKEN", &value("x")).unwrap();
        assert_eq!(mode(&file), 0o600);
    }

    #[test]
    fn links_and_other_peoples_files_are_refused() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::new(home.path().join("secrets"));
        store.set("TOKEN", &value("x")).unwrap();
        symlink(store.path().join("TOKEN"), store.path().join("LINK")).unwrap();
        assert!(store.get("LINK").is_err());
        let link = Store::new(home.path().join("link"));
        symlink(store.path(), link.path()).unwrap();
        assert!(link.get("TOKEN").is_err());
        assert!(link.set("TOKEN", &value("y")).is_err());
        // Copied to another name, it is not that one's value.
        fs::copy(store.path().join("TOKEN"), store.path().join("OTHER")).unwrap();
        let error = store.get("OTHER").unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    }

    #[test]
    fn no_name_leads_elsewhere() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::new(home.path().join("secrets"));
        for name in ["", ".", "..", "../x", "a/b", "a.b", "ä", &"x".repeat(65)] {
            assert!(matches!(store.get(name), Err(StoreError::Name)), "{name}");
            assert!(store.set(name, &value("x")).is_err(), "{name}");
            assert!(store.remove(name).is_err(), "{name}");
        }
    }
}
