//! Whom a person trusts, with what.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::error::TrustError;
use crate::key::Key;
use crate::pattern::{Of, Pattern};
use crate::signer::Signer;

/// Largest file, in bytes.
const LARGEST: usize = 64 << 10;

/// Longest name of somebody, in bytes.
const LONGEST_NAME: usize = 100;

/// What `trust.toml` says: who may sign what, and what has to be signed.
///
/// ```
/// use palisade_signing::Trust;
///
/// let trust = Trust::parse(r#"
///     require-signature = ["oci://registry.example/*"]
///     [[signer]]
///     name = "team"
///     identity = "release@team.example"
///     issuer = "https://accounts.google.com"
///     sources = ["oci://registry.example/team/*"]
/// "#)?;
/// assert!(trust.requires("oci://registry.example/team/notes:1"));
/// assert!(!trust.requires("/srv/notes.wasm"));
/// # Ok::<(), palisade_signing::TrustError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trust {
    signers: Vec<Known>,
    required: Vec<Pattern>,
    root: Option<PathBuf>,
}

/// What a person has said about somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing<'a> {
    /// They may sign what comes from there; they are called so.
    Trusted(&'a str),
    /// They may sign what comes from elsewhere; they are called so.
    Elsewhere(&'a str),
    /// Nothing.
    Stranger,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Known {
    name: String,
    who: Who,
    sources: Vec<Pattern>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Who {
    Key(Key),
    Identity { identity: Pattern, issuer: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Written {
    trusted_root: Option<PathBuf>,
    require_signature: Option<toml::Spanned<Required>>,
    #[serde(default)]
    signer: Vec<toml::Spanned<WrittenSigner>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Required {
    All(bool),
    Some(Vec<String>),
    Other(IgnoredAny),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenSigner {
    name: String,
    key: Option<String>,
    identity: Option<String>,
    issuer: Option<String>,
    sources: Vec<String>,
}

impl Trust {
    /// Reads it.
    ///
    /// # Errors
    /// [`TrustError`] for everything that is not understood, unknown keys too.
    pub fn parse(text: &str) -> Result<Self, TrustError> {
        if text.len() > LARGEST {
            return Err(TrustError {
                line: None,
                why: format!("it is larger than {LARGEST} bytes"),
            });
        }
        let at = |span: Option<std::ops::Range<usize>>, why: String| TrustError {
            line: span.map(|span| {
                let before = text.get(..span.start).unwrap_or_default();
                before.matches('\n').count() + 1
            }),
            why,
        };
        let written: Written = toml::from_str(text)
            .map_err(|error| at(error.span(), error.message().replace('\n', " ")))?;
        let mut this = Self {
            root: written.trusted_root,
            ..Self::default()
        };
        if let Some(root) = this.root.as_ref().filter(|root| !root.is_absolute()) {
            let why = format!("trusted-root `{}` is no absolute path", root.display());
            return Err(at(None, why));
        }
        if let Some(required) = written.require_signature {
            let span = required.span();
            let patterns = match required.into_inner() {
                Required::All(true) => vec!["*".to_owned()],
                Required::All(false) => Vec::new(),
                Required::Some(patterns) => patterns,
                Required::Other(_) => {
                    let why = "require-signature is true, or a list of sources".to_owned();
                    return Err(at(Some(span), why));
                }
            };
            this.required = sources(&patterns).map_err(|why| at(Some(span), why))?;
        }
        for signer in written.signer {
            let span = signer.span();
            let known = Known::read(signer.into_inner()).map_err(|why| at(Some(span), why))?;
            this.signers.push(known);
        }
        Ok(this)
    }

    /// The file with the authorities that Sigstore's certificates come from, if it
    /// is another than the public one.
    #[must_use]
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// Every key that is named.
    #[must_use]
    pub fn keys(&self) -> Vec<Key> {
        let key = |known: &Known| match &known.who {
            Who::Key(key) => Some(key.clone()),
            Who::Identity { .. } => None,
        };
        self.signers.iter().filter_map(key).collect()
    }

    /// Whether what comes from a source has to be signed by somebody who may.
    #[must_use]
    pub fn requires(&self, source: &str) -> bool {
        self.required.iter().any(|one| one.matches_source(source))
    }

    /// What is said about somebody who signed what comes from a source.
    #[must_use]
    pub fn standing(&self, signer: &Signer, source: &str) -> Standing<'_> {
        let mut standing = Standing::Stranger;
        for known in self.signers.iter().filter(|known| known.is(signer)) {
            if known.sources.iter().any(|one| one.matches_source(source)) {
                return Standing::Trusted(&known.name);
            }
            standing = Standing::Elsewhere(&known.name);
        }
        standing
    }

    /// Of all who have signed something, the one that counts the most.
    #[must_use]
    pub fn best<'a>(&self, signers: &'a [Signer], source: &str) -> Option<&'a Signer> {
        signers.iter().min_by_key(|signer| {
            let standing = match self.standing(signer, source) {
                Standing::Trusted(_) => 0,
                Standing::Elsewhere(_) => 1,
                Standing::Stranger => 2,
            };
            (standing, matches!(signer, Signer::Unknown(_)))
        })
    }
}

impl Known {
    fn read(written: WrittenSigner) -> Result<Self, String> {
        let name = written.name;
        let plain = palisade_policy::Shown::OneLine.of(&name) == name;
        if name.trim().is_empty() || name.len() > LONGEST_NAME || !plain {
            return Err("a signer's name is one short line".to_owned());
        }
        let who = match (written.key, written.identity, written.issuer) {
            (Some(key), None, None) => {
                let key = key
                    .parse()
                    .map_err(|why| format!("{name}: the key {why}"))?;
                Who::Key(key)
            }
            (None, Some(identity), Some(issuer)) => Who::Identity {
                identity: Pattern::parse(&identity, Of::Identity)
                    .map_err(|why| format!("{name}: {why}"))?,
                issuer: match issuer.starts_with("https://") && !issuer.contains('*') {
                    true => issuer,
                    false => {
                        return Err(format!("{name}: the issuer is an address, https://…"));
                    }
                },
            },
            _ => {
                return Err(format!(
                    "{name}: write either a key, or an identity and its issuer"
                ));
            }
        };
        if written.sources.is_empty() {
            return Err(format!(
                "{name}: sources says where they may sign; [\"*\"] is everywhere"
            ));
        }
        let sources = sources(&written.sources).map_err(|why| format!("{name}: {why}"))?;
        Ok(Self { name, who, sources })
    }

    fn is(&self, signer: &Signer) -> bool {
        match (&self.who, signer) {
            (Who::Key(one), Signer::Key(other)) => one == other,
            (
                Who::Identity { identity, issuer },
                Signer::Identity {
                    identity: other,
                    issuer: by,
                },
            ) => issuer == by && identity.matches_identity(other),
            _ => false,
        }
    }
}

fn sources(texts: &[String]) -> Result<Vec<Pattern>, String> {
    (texts.iter())
        .map(|text| Pattern::parse(text, Of::Source))
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    const KEY: &str = "ed25519:Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";

    #[test]
    fn who_may_sign_what() {
        let trust = Trust::parse(&format!(
            "require-signature = true\n\
             [[signer]]\nname = \"me\"\nkey = \"{KEY}\"\nsources = [\"/srv/*\"]\n\
             [[signer]]\nname = \"ci\"\nidentity = \"https://a.example/r@refs/tags/*\"\n\
             issuer = \"https://i.example\"\nsources = [\"oci://reg.example/a*\"]\n"
        ))
        .unwrap();
        let me = Signer::Key(KEY.parse().unwrap());
        assert_eq!(trust.standing(&me, "/srv/a"), Standing::Trusted("me"));
        let elsewhere = trust.standing(&me, "oci://reg.example/a:1");
        assert_eq!(elsewhere, Standing::Elsewhere("me"));
        let ci = |tag: &str, issuer: &str| {
            let identity = format!("https://a.example/r@refs/tags/{tag}");
            Signer::identity(&identity, issuer).unwrap()
        };
        let good = ci("v1", "https://i.example");
        let source = "oci://reg.example/a:1";
        assert_eq!(trust.standing(&good, source), Standing::Trusted("ci"));
        let other = ci("v1", "https://other.example");
        assert_eq!(trust.standing(&other, source), Standing::Stranger);
        let all = [
            Signer::unknown(b"x"),
            other.clone(),
            me.clone(),
            good.clone(),
        ];
        assert_eq!(trust.best(&all, source), Some(&good));
        assert_eq!(trust.best(&all, "/srv/a"), Some(&me));
        assert_eq!(trust.best(&all[..2], "/srv/a"), Some(&other));
        assert!(trust.requires("/anything"));
        assert!(!Trust::default().requires("/anything"));
    }

    #[test]
    fn what_is_not_understood_says_where_and_why() {
        let signer = |more: &str| format!("\n[[signer]]\nname = \"a\"\n{more}");
        let key = |more: &str| signer(&format!("key = \"{KEY}\"\n{more}"));
        for (text, line, why) in [
            (
                "require-signatures = true".to_owned(),
                Some(1),
                "unknown field",
            ),
            ("x".to_owned(), Some(1), ""),
            (
                "\nrequire-signature = 3".to_owned(),
                Some(2),
                "list of sources",
            ),
            (
                "require-signature = [\"oci://a*\"]".to_owned(),
                Some(1),
                "host",
            ),
            ("trusted-root = \"a.json\"".to_owned(), None, "absolute"),
            (signer("sources = [\"*\"]"), Some(2), "either a key"),
            (key("sources = []"), Some(2), "sources says"),
            (key(""), Some(2), "missing field `sources`"),
            (
                key("issuer = \"https://x\"\nsources = [\"*\"]"),
                Some(2),
                "either",
            ),
            (key("sources = [\"*\"]\nkind = 1"), Some(6), "unknown field"),
            (
                signer("key = \"ssh-ed25519 AAAA\"\nsources = [\"*\"]"),
                Some(2),
                "palisade keygen",
            ),
            (
                signer("identity = \"*\"\nissuer = \"https://x\"\nsources = [\"*\"]"),
                Some(2),
                "nearly anybody",
            ),
        ] {
            let error = Trust::parse(&text).unwrap_err();
            assert!(error.why.contains(why), "{text}: {error}");
            assert_eq!(error.line, line, "{text}: {error}");
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }
}
