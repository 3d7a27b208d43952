//! Who may call: bearer tokens.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hyper::HeaderMap;
use hyper::header::AUTHORIZATION;
use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConstantTimeEq as _};

/// Shortest token that is taken, in characters. 16 random characters can't be
/// guessed over a network.
const SHORTEST: usize = 16;

/// Longest token that is looked at, in bytes.
const LONGEST: usize = 4096;

/// Whom this server answers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Access {
    /// Whoever can reach it. Only for a server that listens on loopback.
    Anyone,
    /// Whoever has one of these tokens.
    Tokens(Tokens),
}

/// Bearer tokens. Only their digests are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokens(Vec<[u8; 32]>);

/// A list of tokens that can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// Nothing in it.
    #[error("it holds no token")]
    None,
    /// One that could be guessed.
    #[error("the token in line {0} is shorter than {SHORTEST} characters")]
    Short(usize),
    /// One that no client could send.
    #[error("the token in line {0} has characters that no bearer token has")]
    Characters(usize),
}

impl Tokens {
    /// Reads one token a line; blank lines do not count.
    ///
    /// # Errors
    ///
    /// If there is none, or one that could be guessed or not be sent.
    pub fn parse(text: &str) -> Result<Self, TokenError> {
        let mut digests = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let token = line.trim();
            if token.is_empty() {
                continue;
            }
            if !token.bytes().all(is_token_byte) || token.len() > LONGEST {
                return Err(TokenError::Characters(number));
            }
            if token.len() < SHORTEST {
                return Err(TokenError::Short(number));
            }
            digests.push(digest(token));
        }
        if digests.is_empty() {
            return Err(TokenError::None);
        }
        Ok(Self(digests))
    }

    /// Compares with every token, in the same time whatever is the matter.
    fn hold(&self, digest: &[u8; 32]) -> bool {
        self.0
            .iter()
            .fold(Choice::from(0), |found, token| found | token.ct_eq(digest))
            .into()
    }
}

/// `b64token` of RFC 6750.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte)
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}

/// Who a caller is: the digest of its token, where tokens are asked for.
/// Sessions belong to one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Principal(Option<[u8; 32]>);

impl Principal {
    /// The same as text, for what is bound to a caller.
    pub(super) fn name(&self) -> Arc<str> {
        match &self.0 {
            Some(digest) => BASE64_STANDARD.encode(digest).into(),
            None => "".into(),
        }
    }
}

/// Why a caller is sent away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unknown {
    /// It shows no token.
    NoToken,
    /// It shows one that is not known.
    WrongToken,
}

impl Access {
    /// Whether there are callers who have nothing to do with one another.
    pub(super) fn is_for_several(&self) -> bool {
        matches!(self, Self::Tokens(tokens) if tokens.0.len() > 1)
    }

    pub(super) fn check(&self, headers: &HeaderMap) -> Result<Principal, Unknown> {
        let Self::Tokens(tokens) = self else {
            return Ok(Principal(None));
        };
        let mut shown = headers.get_all(AUTHORIZATION).iter();
        let token = shown
            .next()
            .and_then(|value| bearer(value.as_bytes()))
            .ok_or(Unknown::NoToken)?;
        if shown.next().is_some() {
            return Err(Unknown::WrongToken);
        }
        let digest = digest(token);
        if tokens.hold(&digest) {
            Ok(Principal(Some(digest)))
        } else {
            Err(Unknown::WrongToken)
        }
    }
}

/// The token in the value of an `Authorization` header.
fn bearer(value: &[u8]) -> Option<&str> {
    let value = std::str::from_utf8(value).ok()?;
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim_matches(' ');
    let fits = scheme.eq_ignore_ascii_case("bearer")
        && !token.is_empty()
        && token.len() <= LONGEST
        && token.bytes().all(is_token_byte);
    fits.then_some(token)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use hyper::header::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    const TOKEN: &str = "abcdefghijklmnop0123456789";

    fn with(values: &[&[u8]]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_bytes(value).unwrap());
        }
        headers
    }

    #[test]
    fn a_list_of_tokens_is_read_or_refused() {
        assert_eq!(Tokens::parse(" \n\n"), Err(TokenError::None));
        assert_eq!(Tokens::parse("\nshort"), Err(TokenError::Short(2)));
        let odd = format!("{TOKEN} {TOKEN}");
        assert_eq!(Tokens::parse(&odd), Err(TokenError::Characters(1)));
        let two = Tokens::parse(&format!("{TOKEN}\n\n  {TOKEN}x\r\n")).unwrap();
        assert!(two.hold(&digest(&format!("{TOKEN}x"))));
        assert!(!two.hold(&digest("x")));
    }

    #[test]
    fn only_the_token_opens() {
        let access = Access::Tokens(Tokens::parse(TOKEN).unwrap());
        let bearer = format!("Bearer {TOKEN}");
        let check = |values: &[&[u8]]| access.check(&with(values)).map(drop);
        assert_eq!(check(&[bearer.as_bytes()]), Ok(()));
        assert_eq!(check(&[format!("bEaReR  {TOKEN}").as_bytes()]), Ok(()));
        assert_eq!(check(&[]), Err(Unknown::NoToken));
        assert_eq!(check(&[TOKEN.as_bytes()]), Err(Unknown::NoToken));
        assert_eq!(
            check(&[format!("Basic {TOKEN}").as_bytes()]),
            Err(Unknown::NoToken)
        );
        assert_eq!(
            check(&[format!("{bearer}x").as_bytes()]),
            Err(Unknown::WrongToken)
        );
        assert_eq!(
            check(&[bearer.as_bytes(), bearer.as_bytes()]),
            Err(Unknown::WrongToken)
        );
    }

    proptest! {
        /// Whatever the header is, nobody comes in without the token.
        #[test]
        fn nothing_else_opens(value in prop::collection::vec(0x20u8..=0xff, 0..80)) {
            prop_assume!(!value.contains(&0x7f));
            let access = Access::Tokens(Tokens::parse(TOKEN).unwrap());
            prop_assert!(access.check(&with(&[&value])).is_err());
        }
    }
}
