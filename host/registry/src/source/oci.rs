//! An artifact in a registry.

use std::fmt;

use palisade_policy::{Authority, Host};

use super::{BadSource, is_loopback};
use crate::digest::Digest;

/// Longest name of a repository, and longest tag, in bytes.
const LONGEST_NAME: usize = 255;
const LONGEST_TAG: usize = 128;

/// The tag that is meant where neither a tag nor a digest is written.
const LATEST: &str = "latest";

/// `REGISTRY[:PORT]/NAME[:TAG][@sha256:…]`, by the grammar of the OCI
/// distribution specification 1.1. Where there is a digest (that of a manifest),
/// the tag is a word for people alone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OciReference {
    registry: Authority,
    repository: String,
    tag: Option<String>,
    digest: Option<Digest>,
}

impl OciReference {
    /// Reads what follows `oci://`.
    pub(crate) fn parse(text: &str) -> Result<Self, BadSource> {
        let (registry, rest) = text.split_once('/').ok_or(BadSource::NoRepository)?;
        let (rest, digest) = match rest.split_once('@') {
            None => (rest, None),
            Some((rest, digest)) => {
                let digest = digest.parse().map_err(|_| BadSource::Digest)?;
                (rest, Some(digest))
            }
        };
        let (repository, tag) = match rest.split_once(':') {
            None => (rest, None),
            Some((name, tag)) => (name, Some(tag)),
        };
        if repository.len() > LONGEST_NAME || !repository.split('/').all(is_component) {
            return Err(BadSource::Repository);
        }
        if tag.is_some_and(|tag| !is_tag(tag)) {
            return Err(BadSource::Tag);
        }
        Ok(Self {
            registry: registry.parse()?,
            repository: repository.to_owned(),
            tag: tag.map(str::to_owned),
            digest,
        })
    }

    /// The registry.
    #[must_use]
    pub fn registry(&self) -> &Authority {
        &self.registry
    }

    /// The repository in it.
    #[must_use]
    pub fn repository(&self) -> &str {
        &self.repository
    }

    /// The tag, if one is written.
    #[must_use]
    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// The digest of the manifest, if one is written.
    #[must_use]
    pub fn digest(&self) -> Option<Digest> {
        self.digest
    }

    /// The same artifact, by the digest of its manifest.
    #[must_use]
    pub fn at(&self, digest: Digest) -> Self {
        Self {
            digest: Some(digest),
            ..self.clone()
        }
    }

    /// What a registry is asked for: the digest, or the tag.
    pub(crate) fn wanted(&self) -> String {
        match (self.digest, &self.tag) {
            (Some(digest), _) => digest.to_string(),
            (None, Some(tag)) => tag.clone(),
            (None, None) => LATEST.to_owned(),
        }
    }

    /// Where the registry's API is: `https://` unless it is this machine's.
    pub(crate) fn api(&self) -> String {
        let scheme = match is_loopback(&self.registry.host) {
            true => "http",
            false => "https",
        };
        // Docker's own registry is not at the name that it goes by.
        let hub = Host::Name("docker.io".to_owned());
        match self.registry.host == hub && self.registry.port.is_none() {
            true => "https://registry-1.docker.io".to_owned(),
            false => format!("{scheme}://{}", self.registry),
        }
    }
}

impl fmt::Display for OciReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "oci://{}/{}", self.registry, self.repository)?;
        if let Some(tag) = &self.tag {
            write!(f, ":{tag}")?;
        }
        match &self.digest {
            Some(digest) => write!(f, "@{digest}"),
            None => Ok(()),
        }
    }
}

/// `[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*`
fn is_component(text: &str) -> bool {
    let word = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let ends = text.bytes().next().is_some_and(word) && text.bytes().next_back().is_some_and(word);
    let joint = |joint: &str| {
        matches!(joint, "" | "." | "_" | "__") || joint.bytes().all(|byte| byte == b'-')
    };
    ends && text
        .split(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        .all(joint)
}

/// `[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}`
fn is_tag(text: &str) -> bool {
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    (1..=LONGEST_TAG).contains(&text.len())
        && text.bytes().next().is_some_and(word)
        && text.bytes().all(|b| word(b) || b == b'.' || b == b'-')
}
