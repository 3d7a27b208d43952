//! Secrets: which a plugin asks to have used, which are granted, and where their
//! values come from. No value is ever in here.

use std::fmt;
use std::path::PathBuf;

use crate::network::{Destination, Host, Scheme, narrower};

mod flag;
mod parse;

pub use flag::SecretFlag;
pub(crate) use parse::{grants, requests};

/// A `[[secrets]]` of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretRequest {
    /// The secret's name, `[A-Za-z0-9_-]{1,64}`.
    pub name: String,
    /// What is to be done with it.
    pub use_as: SecretUse,
    /// Whether the plugin cannot start without it. Default: yes.
    pub required: bool,
}

/// A `[[secrets]]` of a grant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretGrant {
    /// The secret's name, `[A-Za-z0-9_-]{1,64}`.
    pub name: String,
    /// What may be done with it; `None` where that is whatever the plugin asks
    /// for, short of being shown it.
    pub use_as: Option<SecretUse>,
    /// Where its value comes from.
    pub source: SecretSource,
}

/// A secret a plugin really has the use of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EffectiveSecret {
    /// The secret's name.
    pub name: String,
    /// What is done with it.
    pub use_as: SecretUse,
    /// Where its value comes from.
    pub source: SecretSource,
    /// Whether the plugin must not start while it has no value.
    pub required: bool,
}

/// What is done with a secret.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecretUse {
    /// The host adds it to requests; the plugin never holds it.
    Inject(Injection),
    /// The plugin is shown it, as an environment variable of that name.
    Expose,
}

/// Where a secret's value comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecretSource {
    /// What `palisade secret set` keeps.
    #[default]
    Store,
    /// A file of the host, as written.
    File(PathBuf),
    /// A variable of the host's own environment.
    Env(String),
}

/// Where and how a secret is added to a request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Injection {
    /// Only requests to this destination get it.
    pub to: Destination,
    /// How they carry it.
    pub carrier: Carrier,
}

/// What of a request carries a secret.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Carrier {
    /// A header.
    Header {
        /// Its name, in lower case.
        name: String,
        /// Its value, with exactly one `{}` for the secret. Default: `{}`.
        format: String,
    },
    /// `Authorization: Basic`, the secret as the password.
    Basic {
        /// The user's name; may be empty.
        user: String,
    },
    /// A parameter of the query.
    Query {
        /// Its name.
        key: String,
    },
}

/// A place in a request that only one secret can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Spot<'a> {
    /// The header of this name.
    Header(&'a str),
    /// The parameter of this name.
    Query(&'a str),
}

impl Carrier {
    /// The place it takes.
    #[must_use]
    pub fn spot(&self) -> Spot<'_> {
        match self {
            Self::Header { name, .. } => Spot::Header(name),
            Self::Basic { .. } => Spot::Header("authorization"),
            Self::Query { key } => Spot::Query(key),
        }
    }
}

impl Injection {
    /// Whether requests to this host get it.
    #[must_use]
    pub fn is_for(&self, scheme: Scheme, host: &Host, port: u16) -> bool {
        if (scheme, port) != (self.to.scheme, self.to.port) {
            return false;
        }
        match (self.to.host.strip_prefix('*'), host) {
            // `.example.com`, and something before it.
            (Some(below), Host::Name(name)) => name.len() > below.len() && name.ends_with(below),
            (Some(_), Host::Address(_)) => false,
            (None, host) => host.to_string() == self.to.host,
        }
    }

    /// What is both asked for and granted, if that is anything: the narrower of
    /// two destinations, where both carry it in the same way.
    pub(crate) fn meet(&self, granted: &Self) -> Option<Self> {
        let to = narrower(&self.to, &granted.to)?;
        let carrier = self.carrier.clone();
        (self.carrier == granted.carrier).then_some(Self { to, carrier })
    }
}

impl fmt::Display for SecretUse {
    /// "for https://api.example.com (authorization: Bearer {})".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inject(injection) => write!(f, "for {injection}"),
            Self::Expose => f.write_str("shown to the plugin"),
        }
    }
}

impl fmt::Display for Injection {
    /// "https://api.example.com (authorization: Bearer {})".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.to, self.carrier)
    }
}

impl fmt::Display for Carrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header { name, format } => write!(f, "{name}: {format}"),
            Self::Basic { user } => write!(f, "basic authentication, {user}:{{}}"),
            Self::Query { key } => write!(f, "?{key}={{}}"),
        }
    }
}

impl fmt::Display for SecretSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store => f.write_str("the store"),
            Self::File(path) => write!(f, "the file {}", path.display()),
            Self::Env(name) => write!(f, "the variable {name}"),
        }
    }
}
