//! The secret half of a key pair.

use std::fmt;

use wasmsign2::reexports::getrandom;
use zeroize::Zeroizing;

use crate::error::KeyError;
use crate::key::Key;

/// What a secret Ed25519 key begins with in DER (RFC 8410).
const PKCS8: [u8; 16] = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32];

/// A secret Ed25519 key. It is written as PEM (PKCS #8), which OpenSSL reads too.
pub struct SecretKey(wasmsign2::SecretKey);

impl SecretKey {
    /// A new one.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn generate() -> Result<Self, KeyError> {
        let mut der = Zeroizing::new([0; PKCS8.len() + 32]);
        let (head, seed) = der.split_at_mut(PKCS8.len());
        head.copy_from_slice(&PKCS8);
        getrandom::fill(seed).map_err(|_| KeyError::NoRandom)?;
        let key = wasmsign2::SecretKey::from_der(&*der).map_err(|_| KeyError::NoRandom)?;
        Ok(Self(key))
    }

    /// Reads one.
    ///
    /// # Errors
    /// [`KeyError::NoSecret`].
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        let key = wasmsign2::SecretKey::from_pem(text).map_err(|_| KeyError::NoSecret)?;
        Ok(Self(key))
    }

    /// As it is kept.
    #[must_use]
    pub fn to_pem(&self) -> Zeroizing<String> {
        Zeroizing::new(self.0.to_pem())
    }

    /// The public half.
    #[must_use]
    pub fn public(&self) -> Key {
        Key::ed25519(&self.0.sk.public_key())
    }

    pub(crate) fn sign(&self, message: &[u8]) -> [u8; 64] {
        *self.0.sk.sign(message, None)
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey")
    }
}
