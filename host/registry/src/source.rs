//! Where a plugin comes from, as a person writes it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use palisade_policy::{AuthorityError, Shown};
use serde::{Deserialize, Serialize};

mod oci;
mod web;

pub use oci::OciReference;
pub use web::WebAddress;
pub(crate) use web::is_loopback;

/// Longest source, in bytes.
const LONGEST: usize = 4096;

/// Longest piece of a source that a message repeats, in characters.
const REPEATED: usize = 120;

/// Where a plugin comes from: a path, `https://…` or
/// `oci://REGISTRY[:PORT]/NAME[:TAG][@sha256:…]`. `http://` is for this machine
/// alone. What is written out means the same when it is read again.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Source {
    /// A file on this machine.
    Path(PathBuf),
    /// A file on the web.
    Web(WebAddress),
    /// An artifact in a registry of the Open Container Initiative.
    Oci(OciReference),
}

/// A text that is no source: one sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the source `{text}` {why}")]
pub struct SourceError {
    text: String,
    why: BadSource,
}

/// Why. Each reads on after "the source `…`".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadSource {
    #[error("is empty; write a path, https://… or oci://…")]
    Empty,
    #[error("is longer than {LONGEST} bytes")]
    TooLong,
    #[error("has a control or an invisible character in it")]
    Characters,
    #[error("begins with {0}://, which plugins do not come by; write a path, https://… or oci://…")]
    Scheme(String),
    #[error("is an address of a file; write its path alone")]
    File,
    #[error(
        "is http://, which anybody on the way could answer with another program; write https:// (http:// is for this machine's own addresses)"
    )]
    Plain,
    #[error("names a host {0}")]
    Authority(AuthorityError),
    #[error("has a user in it; a registry's login is taken from Docker's configuration")]
    User,
    #[error("has a fragment (#), which is not part of what is fetched; leave it out")]
    Fragment,
    #[error("is no address of the web; write what is not a plain character as %XX")]
    Uri,
    #[error("names no repository; write oci://REGISTRY/NAME:TAG")]
    NoRepository,
    #[error(
        "names no repository that there can be: parts of a-z and 0-9, joined by one `.`, `_`, `__` or `-`, with `/` between them"
    )]
    Repository,
    #[error("names no tag that there can be: up to 128 of A-Z, a-z, 0-9, `_`, `.` and `-`")]
    Tag,
    #[error("names no digest after `@`; write sha256: and 64 of the characters 0-9 and a-f")]
    Digest,
}

impl From<AuthorityError> for BadSource {
    fn from(error: AuthorityError) -> Self {
        match error {
            AuthorityError::User => Self::User,
            error => Self::Authority(error),
        }
    }
}

impl Source {
    /// The same, with a path that is taken from `folder` if it is a relative
    /// one: good wherever it is read again.
    #[must_use]
    pub fn absolute(self, folder: &Path) -> Self {
        match self {
            Self::Path(path) => Self::Path(folder.join(path)),
            other => other,
        }
    }
}

impl FromStr for Source {
    type Err = SourceError;

    fn from_str(text: &str) -> Result<Self, SourceError> {
        parse(text).map_err(|why| SourceError {
            text: repeated(text),
            why,
        })
    }
}

fn parse(text: &str) -> Result<Source, BadSource> {
    if text.is_empty() {
        return Err(BadSource::Empty);
    }
    if text.len() > LONGEST {
        return Err(BadSource::TooLong);
    }
    if text.contains(|c| c == '\t' || !Shown::OneLine.allows(c)) {
        return Err(BadSource::Characters);
    }
    let Some((scheme, rest)) = scheme(text) else {
        return Ok(Source::Path(text.into()));
    };
    match scheme.to_ascii_lowercase().as_str() {
        "https" | "http" => WebAddress::parse(text).map(Source::Web),
        "oci" => OciReference::parse(rest).map(Source::Oci),
        "file" => Err(BadSource::File),
        other => Err(BadSource::Scheme(other.to_owned())),
    }
}

/// The scheme of an address, and what follows `://`. A path begins otherwise.
fn scheme(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once("://")?;
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"+.-".contains(&b);
    let good = scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.bytes().all(plain);
    good.then_some((scheme, rest))
}

/// A text as it may stand in a message.
pub(crate) fn repeated(text: &str) -> String {
    let cut: String = text.chars().take(REPEATED).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    Shown::OneLine.of(&cut).into_owned() + more
}

impl TryFrom<String> for Source {
    type Error = SourceError;

    fn try_from(text: String) -> Result<Self, SourceError> {
        text.parse()
    }
}

impl From<Source> for String {
    fn from(source: Source) -> Self {
        source.to_string()
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => write!(f, "{}", path.display()),
            Self::Web(address) => write!(f, "{address}"),
            Self::Oci(reference) => write!(f, "{reference}"),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    const HEX: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    #[test]
    fn what_is_understood_and_how_it_is_written_out() {
        let full = format!("oci://reg.example:5000/a/b_c--d:v1.0@sha256:{HEX}");
        for (text, normal) in [
            ("notes.wasm", "notes.wasm"),
            ("./https://x", "./https://x"),
            ("c:/x.wasm", "c:/x.wasm"),
            ("HTTPS://Example.COM:443", "https://example.com/"),
            ("https://example.com?x=1", "https://example.com/?x=1"),
            ("http://127.0.0.1:80/a", "http://127.0.0.1/a"),
            ("http://localhost:8000/a", "http://localhost:8000/a"),
            ("http://[::1]:8000/a", "http://[::1]:8000/a"),
            ("oci://ghcr.io/a/b", "oci://ghcr.io/a/b"),
            ("oci://GHCR.io/a/b:T", "oci://ghcr.io/a/b:T"),
            (&full, &full),
        ] {
            let source: Source = text.parse().unwrap();
            assert_eq!(source.to_string(), normal);
            assert_eq!(normal.parse::<Source>().unwrap(), source);
        }
    }

    #[test]
    fn what_is_not_says_why() {
        for (text, why) in [
            ("", "is empty"),
            ("a\nb", "control"),
            ("a\u{202e}b", "invisible"),
            ("ftp://x/y", "begins with ftp://"),
            ("docker://x/y", "begins with docker://"),
            ("file:///x", "path alone"),
            ("http://example.com/x", "anybody on the way"),
            ("http://10.0.0.1/x", "anybody on the way"),
            ("http://127.0.0.1.evil.example/x", "anybody on the way"),
            ("https://user:pw@example.com/x", "has a user"),
            ("https:///x", "has no host"),
            ("https://example.com:0/x", "port"),
            ("https://example.com/x#y", "fragment"),
            ("https://example.com/a b", "%XX"),
            ("https://example.com/ä", "%XX"),
            ("https://example.com/a\\b", "%XX"),
            ("oci://ghcr.io", "no repository;"),
            ("oci://ghcr.io/", "no repository that"),
            ("oci://ghcr.io/A", "no repository that"),
            ("oci://ghcr.io/a//b", "no repository that"),
            ("oci://ghcr.io/../b", "no repository that"),
            ("oci://ghcr.io/a___b", "no repository that"),
            ("oci://ghcr.io/a-", "no repository that"),
            ("oci://ghcr.io/a?x", "no repository that"),
            ("oci://ghcr.io/a:", "no tag"),
            ("oci://ghcr.io/a:.x", "no tag"),
            ("oci://ghcr.io/a:x/y", "no tag"),
            ("oci://me@ghcr.io/a", "has a user"),
            ("oci://ghcr.io/a@sha512:00", "no digest"),
            ("oci://ghcr.io/a@", "no digest"),
        ] {
            let error = text.parse::<Source>().unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
            assert!(!error.contains('\n'), "{error:?}");
        }
        let long = format!("https://example.com/{}", "a".repeat(5000));
        let error = long.parse::<Source>().unwrap_err().to_string();
        assert!(error.len() < 300 && error.contains("longer"), "{error}");
    }
}
