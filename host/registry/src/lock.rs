//! `palisade.lock`: what is installed, from where, and what a person saw of it.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::error::StoreError;
use crate::offer::OfferDigests;
use crate::source::Source;

/// The version of the format that is written, and the only one that is read.
const VERSION: u64 = 1;

/// Plugins that are kept.
const MOST_PLUGINS: usize = 1024;

/// Largest lock, in bytes.
pub(crate) const MOST_BYTES: u64 = 16 << 20;

/// Longest version and longest signer, in bytes.
const LONGEST_TEXT: usize = 1024;

const HEAD: &str =
    "# Written by palisade: what is installed, and what was agreed to. Do not edit.\n\n";

/// One plugin that is installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Where it came from, as it was written.
    pub source: Source,
    /// The component itself.
    pub digest: Digest,
    /// In a registry, the manifest by which it was found there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Digest>,
    /// The version that it says it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Whose signature was checked, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
    /// The [`Offer`](crate::Offer) that was agreed to, which is kept beside.
    pub offer: Digest,
    /// The digests of what is in it.
    pub agreed: OfferDigests,
}

/// The whole file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lock {
    pub(crate) version: u64,
    /// One more with every change, so that two readings can be told apart.
    pub(crate) revision: u64,
    #[serde(default)]
    pub(crate) plugin: BTreeMap<String, Entry>,
}

/// What is looked at first.
#[derive(Deserialize)]
struct Probe {
    version: u64,
}

impl Lock {
    /// Reads one; without a file, nothing is installed.
    pub(crate) fn parse(path: &Path, bytes: Option<&[u8]>) -> Result<Self, StoreError> {
        let Some(bytes) = bytes else {
            return Ok(Self {
                version: VERSION,
                ..Self::default()
            });
        };
        let text = str::from_utf8(bytes).map_err(|_| StoreError::damaged(path, "it is no text"))?;
        let damaged = |error: toml::de::Error| StoreError::damaged(path, error.message());
        let Probe { version } = toml::from_str(text).map_err(damaged)?;
        if version > VERSION {
            return Err(StoreError::Newer {
                path: path.to_owned(),
                found: version,
            });
        }
        let lock: Self = toml::from_str(text).map_err(damaged)?;
        lock.check()
            .map_err(|error| StoreError::damaged(path, error))?;
        Ok(lock)
    }

    /// Whether all of it may be kept.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        if self.plugin.len() > MOST_PLUGINS {
            return Err(StoreError::TooMuch {
                what: "more plugins",
                limit: MOST_PLUGINS as u64,
            });
        }
        for (name, entry) in &self.plugin {
            if !palisade_policy::is_name(name) {
                return Err(StoreError::Name);
            }
            let texts = [&entry.version, &entry.signer];
            if texts
                .into_iter()
                .flatten()
                .any(|text| text.len() > LONGEST_TEXT)
            {
                return Err(StoreError::TooMuch {
                    what: "a longer version or signer",
                    limit: LONGEST_TEXT as u64,
                });
            }
        }
        Ok(())
    }

    /// As it is written.
    pub(crate) fn to_text(&self, path: &Path) -> Result<String, StoreError> {
        let text = toml::to_string(self).map_err(|error| StoreError::damaged(path, error))?;
        let text = format!("{HEAD}{text}");
        match text.len() as u64 > MOST_BYTES {
            true => Err(StoreError::TooMuch {
                what: "more definitions",
                limit: MOST_BYTES,
            }),
            false => Ok(text),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn read(text: &str) -> Result<Lock, String> {
        Lock::parse(Path::new("/l"), Some(text.as_bytes())).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_written_is_read_again() {
        let digest = Digest::of(b"x");
        let entry = Entry {
            source: "oci://reg.example/a:1".parse().unwrap(),
            digest,
            manifest: Some(digest),
            version: Some("1.0 \"β\"\n".to_owned()),
            signer: None,
            offer: digest,
            agreed: OfferDigests {
                request: Some(digest),
                tools: [("a.b \"c\"".to_owned(), digest)].into(),
                ..OfferDigests::default()
            },
        };
        let lock = Lock {
            version: VERSION,
            revision: 7,
            plugin: [("b".to_owned(), entry.clone()), ("a".to_owned(), entry)].into(),
        };
        let text = lock.to_text(Path::new("/l")).unwrap();
        assert_eq!(read(&text).unwrap(), lock);
        assert!(text.find("[plugin.a]") < text.find("[plugin.b]"), "{text}");
    }

    #[test]
    fn what_is_not_a_lock_is_refused() {
        for (text, why) in [
            ("", "missing field"),
            ("version = 2\nother = 1", "newer Palisade"),
            ("version = 1\nrevision = 1\nother = 1", "unknown field"),
            (
                "version = 1\nrevision = 1\n[plugin.a]\nx = 1",
                "unknown field",
            ),
            ("version = 1\nrevision = 1\n[plugin.A]\n", "missing field"),
            ("\u{0}", ""),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
