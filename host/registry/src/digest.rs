//! SHA-256, by which everything here is named.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The SHA-256 of something, written `sha256:` and 64 digits in lower case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Digest([u8; 32]);

/// A text that is no digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a digest is sha256: and 64 of the characters 0-9 and a-f")]
pub struct BadDigest;

const PREFIX: &str = "sha256:";

impl Digest {
    /// That of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> [u8; 32] {
        self.0
    }

    /// Its 64 digits, which is a name that is safe for a file.
    #[must_use]
    pub fn hex(&self) -> String {
        self.0.iter().fold(String::with_capacity(64), |text, byte| {
            text + &format!("{byte:02x}")
        })
    }

    /// From 64 digits.
    ///
    /// # Errors
    /// [`BadDigest`] for anything else, upper case too: one digest has one
    /// spelling.
    pub fn from_hex(hex: &str) -> Result<Self, BadDigest> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            _ => Err(BadDigest),
        };
        let hex: &[u8; 64] = hex.as_bytes().try_into().map_err(|_| BadDigest)?;
        let mut bytes = [0; 32];
        for (byte, [high, low]) in bytes.iter_mut().zip(hex.as_chunks::<2>().0) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Ok(Self(bytes))
    }
}

impl FromStr for Digest {
    type Err = BadDigest;

    fn from_str(text: &str) -> Result<Self, BadDigest> {
        Self::from_hex(text.strip_prefix(PREFIX).ok_or(BadDigest)?)
    }
}

impl TryFrom<String> for Digest {
    type Error = BadDigest;

    fn try_from(text: String) -> Result<Self, BadDigest> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Bytes that come piece by piece.
#[derive(Default)]
pub(crate) struct Hasher(Sha256);

impl Hasher {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn one_spelling() {
        let digest = Digest::of(b"abc");
        let text = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest.to_string(), text);
        assert_eq!(text.parse::<Digest>().unwrap(), digest);
        let mut pieces = Hasher::default();
        pieces.update(b"a");
        pieces.update(b"bc");
        assert_eq!(pieces.finish(), digest);
        for bad in [
            "",
            "sha256:",
            &text[..70],
            &text.to_uppercase(),
            &text.replace("sha256", "sha512"),
            &format!("{text}0"),
            &text.replace("ba78", "../."),
        ] {
            assert!(bad.parse::<Digest>().is_err(), "{bad}");
        }
    }
}
