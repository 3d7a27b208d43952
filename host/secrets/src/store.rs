//! Values by name, each in the system's keyring or in a file of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use zeroize::Zeroizing;

use crate::keyring::{Keyring, KeyringError};
use crate::private::{PrivateDir, Refused};
use crate::value::{BadValue, MAX_BYTES, SecretValue};

/// Longest name, in bytes.
const MAX_NAME: usize = 64;

/// What stands in place of a value that is in the keyring. No value has a tab.
const IN_KEYRING: &[u8] = b"\tkeyring";

/// A directory (0700) of files (0600), one a secret. A file holds the secret's
/// name, a line break and the value, or a mark that the value is in the keyring:
/// where a file system takes `token` for `TOKEN`, one is still not the other.
///
/// The file alone says where a value is. It is replaced as a whole, so that
/// whoever is killed meanwhile leaves the value from before or the new one.
#[derive(Debug, Clone)]
pub struct Store {
    path: PathBuf,
    keyring: Option<Arc<Keyring>>,
}

/// Where a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the system's keyring.
    Keyring,
    /// In a file that only its owner can read.
    File,
}

/// What became of a value: where it is, or was, and why there may still be
/// another copy in the keyring.
#[derive(Debug)]
pub struct Kept {
    /// Where.
    pub place: Place,
    /// Why the keyring did not forget the value from before.
    pub left: Option<KeyringError>,
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
    /// Somebody else could put another one in its place.
    #[error(
        "secrets are not used: others may write to {}, and could put their own in place of them",
        path.display()
    )]
    Swappable {
        /// The directory that the store lies in.
        path: PathBuf,
    },
    /// It is no directory or file of a store.
    #[error("{} is not used: {why}", path.display())]
    NotOurs {
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
    /// The keyring, where the value is or is to be.
    #[error(transparent)]
    Keyring(#[from] KeyringError),
    /// The value is said to be in the keyring, which does not have it.
    #[error("its value was put in the keyring, which no longer has it")]
    Lost,
}

/// What a file says.
enum Said {
    Value(SecretValue),
    InKeyring,
}

impl Store {
    /// The store in a directory, which need not be there yet; and without a
    /// keyring.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            keyring: None,
        }
    }

    /// The same beside a keyring.
    #[must_use]
    pub fn with_keyring(self, keyring: Option<Keyring>) -> Self {
        let keyring = keyring.map(Arc::new);
        Self { keyring, ..self }
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
        match self.said(name)? {
            None => Ok(None),
            Some(Said::Value(value)) => Ok(Some(value)),
            Some(Said::InKeyring) => {
                let value = self.keyring()?.get(name)?;
                value.map(Some).ok_or(StoreError::Lost)
            }
        }
    }

    /// Where a secret's value is, if it has one. The keyring is not asked.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn place(&self, name: &str) -> Result<Option<Place>, StoreError> {
        Ok(self.said(name)?.map(|said| match said {
            Said::Value(_) => Place::File,
            Said::InKeyring => Place::Keyring,
        }))
    }

    /// Keeps a value, in place of the one there may be: in `place`, or where
    /// nobody says so in the keyring if there is one, and else in a file.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn set(
        &self,
        name: &str,
        value: &SecretValue,
        place: Option<Place>,
    ) -> Result<Kept, StoreError> {
        check(name)?;
        let dir = PrivateDir::make(&self.path).map_err(|why| self.refused(why, ""))?;
        // What can't be read is replaced.
        let was_there = matches!(self.said(name), Ok(Some(Said::InKeyring)));
        let place = match (place, self.keyring()) {
            (Some(Place::File), _) | (None, Err(_)) => Place::File,
            (wanted, keyring) => match (keyring?.set(name, value), wanted) {
                (Ok(()), _) => Place::Keyring,
                // A bus of which nobody keeps secrets.
                (Err(KeyringError::Absent), None) => Place::File,
                (Err(error), _) => return Err(error.into()),
            },
        };
        let text = match place {
            Place::Keyring => IN_KEYRING,
            Place::File => value.reveal().as_bytes(),
        };
        let mut bytes = Zeroizing::new(Vec::with_capacity(name.len() + 1 + text.len()));
        bytes.extend_from_slice(name.as_bytes());
        bytes.push(b'\n');
        bytes.extend_from_slice(text);
        dir.write(name, &bytes)
            .map_err(|why| self.refused(why, name))?;
        let left = match (place, was_there) {
            (Place::File, true) => self
                .keyring()
                .and_then(|keyring| keyring.remove(name))
                .err(),
            _ => None,
        };
        Ok(Kept { place, left })
    }

    /// Forgets a value, and where it was; none if there was none.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn remove(&self, name: &str) -> Result<Option<Kept>, StoreError> {
        check(name)?;
        let Some(dir) = self.dir()? else {
            return Ok(None);
        };
        let in_keyring = matches!(self.said(name), Ok(Some(Said::InKeyring)));
        let mut left = None;
        match (in_keyring, self.keyring()) {
            // First there: that the file is gone means that the value is.
            (true, keyring) => drop(keyring?.remove(name)?),
            // One may be left there by somebody who was killed.
            (false, Ok(keyring)) => match keyring.remove(name) {
                Ok(_) | Err(KeyringError::Absent) => {}
                Err(error) => left = Some(error),
            },
            (false, Err(_)) => {}
        }
        let place = match in_keyring {
            true => Place::Keyring,
            false => Place::File,
        };
        let removed = dir.remove(name).map_err(|why| self.refused(why, name))?;
        Ok(removed.then_some(Kept { place, left }))
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

    /// What the file of a secret says.
    fn said(&self, name: &str) -> Result<Option<Said>, StoreError> {
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
        let value = &value[1..];
        if value == IN_KEYRING {
            return Ok(Some(Said::InKeyring));
        }
        let value = String::from_utf8(value.to_vec()).map_err(|_| damaged())?;
        let value = SecretValue::new(value).map_err(|_| damaged())?;
        Ok(Some(Said::Value(value)))
    }

    fn keyring(&self) -> Result<&Keyring, KeyringError> {
        self.keyring.as_deref().ok_or(KeyringError::Absent)
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
            Refused::Wrong(why) => StoreError::NotOurs { path, why },
            Refused::OpenParent => StoreError::Swappable {
                path: self.path.parent().unwrap_or(&self.path).to_owned(),
            },
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
mod tests;
