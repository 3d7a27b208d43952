//! Somebody who has signed something.

use std::fmt;
use std::str::FromStr;

use crate::error::BadSignature;
use crate::key::Key;

/// Longest part of an identity, in bytes.
const LONGEST: usize = 400;

const KEY: &str = "key ";
const UNKNOWN: &str = "an unknown key";

/// Who has signed something, and how that is known. As text it is what
/// `palisade.lock` keeps, and is read again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Signer {
    /// Whoever has the secret half of a key.
    Key(Key),
    /// A person or a machine that a service knows, by a certificate of Sigstore.
    Identity {
        /// Who: an address, or that of a workflow.
        identity: String,
        /// The service that says so.
        issuer: String,
    },
    /// A key that is neither named nor known: nothing is proven.
    Unknown(String),
}

impl Signer {
    pub(crate) fn identity(identity: &str, issuer: &str) -> Result<Self, BadSignature> {
        let plain = |text: &str| {
            (1..=LONGEST).contains(&text.len())
                && text
                    .chars()
                    .all(|c| !c.is_whitespace() && !"()".contains(c))
                && palisade_policy::Shown::OneLine.of(text) == text
        };
        match plain(identity) && plain(issuer) {
            true => Ok(Self::Identity {
                identity: identity.to_owned(),
                issuer: issuer.to_owned(),
            }),
            false => Err(BadSignature::Nobody(
                "its certificate has no plain name in it",
            )),
        }
    }

    pub(crate) fn unknown(id: &[u8]) -> Self {
        Self::Unknown(id.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// As a person is told.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Identity { identity, issuer } => match service(issuer) {
                Some(service) => format!("{identity} ({service})"),
                None => format!("{identity} (by {issuer})"),
            },
            other => other.to_string(),
        }
    }
}

/// Services that many people know.
fn service(issuer: &str) -> Option<&'static str> {
    Some(match issuer {
        "https://github.com/login/oauth" => "GitHub identity",
        "https://accounts.google.com" => "Google identity",
        "https://login.microsoftonline.com" => "Microsoft identity",
        "https://token.actions.githubusercontent.com" => "GitHub Actions",
        "https://gitlab.com" => "GitLab",
        _ => return None,
    })
}

impl fmt::Display for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => write!(f, "{KEY}{key}"),
            Self::Identity { identity, issuer } => write!(f, "{identity} ({issuer})"),
            Self::Unknown(id) if id.is_empty() => f.write_str(UNKNOWN),
            Self::Unknown(id) => write!(f, "{UNKNOWN} {id}"),
        }
    }
}

impl FromStr for Signer {
    type Err = BadSignature;

    fn from_str(text: &str) -> Result<Self, BadSignature> {
        let no = BadSignature::Nobody("the lock has no such signer");
        if let Some(key) = text.strip_prefix(KEY) {
            return key.parse().map(Self::Key).map_err(|_| no);
        }
        if let Some(id) = text.strip_prefix(UNKNOWN) {
            return Ok(Self::Unknown(id.trim_start().to_owned()));
        }
        let parts = text
            .strip_suffix(')')
            .and_then(|text| text.split_once(" ("));
        let (identity, issuer) = parts.ok_or(no)?;
        Self::identity(identity, issuer)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn what_is_kept_is_read_again() {
        let identity = Signer::identity("a@b.example", "https://accounts.google.com").unwrap();
        assert_eq!(identity.words(), "a@b.example (Google identity)");
        let all = [
            Signer::Key(Key::ed25519(&[7; 32])),
            identity,
            Signer::unknown(b""),
            Signer::unknown(b"\x01\xff"),
        ];
        for signer in all {
            assert_eq!(signer.to_string().parse(), Ok(signer));
        }
    }

    #[test]
    fn nobody_can_pass_for_another() {
        for name in ["", "a b", "a (c", "a\nb", "a\u{202e}b", "key ed25519:AA"] {
            Signer::identity(name, "https://x.example").unwrap_err();
            Signer::identity("x", name).unwrap_err();
        }
        "key x".parse::<Signer>().unwrap_err();
        "somebody".parse::<Signer>().unwrap_err();
    }
}
