//! Public keys, as people write them.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::Digest as _;
use sigstore_verify::crypto::{KeyAlgorithm, VerificationKey};
use sigstore_verify::types::DerPublicKey;

use crate::error::KeyError;

/// What a public Ed25519 key begins with in DER (RFC 8410).
const ED25519: [u8; 12] = [48, 42, 48, 5, 6, 3, 43, 101, 112, 3, 33, 0];

/// Longest text of a key, in bytes.
const LONGEST: usize = 4096;

/// Largest key, in bytes: one of RSA with 4096 bits.
const LARGEST: usize = 600;

const BEGIN: &str = "-----BEGIN PUBLIC KEY-----";
const END: &str = "-----END PUBLIC KEY-----";

/// A public key: `ed25519:` with base64, for other kinds `spki:` with base64 of the
/// DER, or PEM (which is read and never written).
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Key {
    der: Vec<u8>,
}

impl Key {
    pub(crate) fn ed25519(bytes: &[u8; 32]) -> Self {
        Self {
            der: [&ED25519[..], bytes].concat(),
        }
    }

    /// The bytes of an Ed25519 key; none of another kind.
    pub(crate) fn as_ed25519(&self) -> Option<&[u8]> {
        self.der
            .strip_prefix(&ED25519)
            .filter(|key| key.len() == 32)
    }

    pub(crate) fn der(&self) -> DerPublicKey {
        DerPublicKey::new(self.der.clone())
    }

    /// What bundles of a key that somebody looks after call it.
    pub(crate) fn hint(&self) -> String {
        BASE64_STANDARD.encode(sha2::Sha256::digest(&self.der))
    }

    fn of_der(der: Vec<u8>) -> Result<Self, KeyError> {
        let key = Self { der };
        if key.as_ed25519().is_some() {
            return Ok(key);
        }
        if key.der.len() > LARGEST {
            return Err(KeyError::Kind);
        }
        let known = KeyAlgorithm::from_spki(&key.der()).map_err(|_| KeyError::Kind)?;
        if !matches!(
            known,
            KeyAlgorithm::EcdsaP256 | KeyAlgorithm::EcdsaP384 | KeyAlgorithm::Rsa
        ) {
            return Err(KeyError::Kind);
        }
        VerificationKey::from_spki(&key.der()).map_err(|_| KeyError::Kind)?;
        Ok(key)
    }
}

impl FromStr for Key {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let text = text.trim();
        if text.len() > LONGEST {
            return Err(KeyError::Form);
        }
        if text.contains("PRIVATE KEY") || text.contains("SECRET KEY") {
            return Err(KeyError::Secret);
        }
        let decode = |text: &str| BASE64_STANDARD.decode(text).map_err(|_| KeyError::Form);
        if let Some(text) = text.strip_prefix("ed25519:") {
            let bytes = decode(text)?.try_into().map_err(|_| KeyError::Form)?;
            return Ok(Self::ed25519(&bytes));
        }
        if let Some(text) = text.strip_prefix("spki:") {
            return Self::of_der(decode(text)?);
        }
        let body = text
            .strip_prefix(BEGIN)
            .and_then(|text| text.strip_suffix(END));
        let body = body.ok_or(KeyError::Form)?;
        let body: String = body.split_ascii_whitespace().collect();
        Self::of_der(decode(&body)?)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_ed25519() {
            Some(bytes) => write!(f, "ed25519:{}", BASE64_STANDARD.encode(bytes)),
            None => write!(f, "spki:{}", BASE64_STANDARD.encode(&self.der)),
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// Of RFC 8410, and one of P-256.
    const PEM: &str = "-----BEGIN PUBLIC KEY-----\n\
        MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n\
        -----END PUBLIC KEY-----\n";

    #[test]
    fn all_ways_to_write_one_are_one() {
        let key: Key = PEM.parse().unwrap();
        let line = "ed25519:Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";
        assert_eq!(key.to_string(), line);
        assert_eq!(line.parse::<Key>().unwrap(), key);
        let spki = "spki:MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";
        assert_eq!(spki.parse::<Key>().unwrap(), key);
        let p256 = "spki:MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q==";
        assert_eq!(p256.parse::<Key>().unwrap().to_string(), p256);
    }

    #[test]
    fn what_is_none_says_why() {
        for (text, why) in [
            ("", KeyError::Form),
            ("ed25519:AAAA", KeyError::Form),
            ("-----BEGIN PRIVATE KEY-----", KeyError::Secret),
            (
                "untrusted comment: minisign encrypted SECRET KEY",
                KeyError::Secret,
            ),
            ("spki:AAAA", KeyError::Kind),
            ("ssh-ed25519 AAAA me", KeyError::Form),
        ] {
            assert_eq!(text.parse::<Key>(), Err(why), "{text}");
        }
    }
}
