//! Under which names this server may be called, and by pages of which sites.
//!
//! A browser sends to whatever a name resolves to. A page whose own name is
//! made to resolve to this machine (DNS rebinding) reaches a server that asks
//! for nothing but its address; the name it calls gives it away.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use hyper::header::{HOST, ORIGIN};
use hyper::http::uri::Authority;
use hyper::{HeaderMap, Uri};
use url::Url;

/// Names that never lead anywhere but to the machine itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// A name by which clients may call this server: `NAME` or `NAME:PORT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedHost {
    name: String,
    /// None allows any.
    port: Option<u16>,
}

/// A site whose pages may call this server: `https://NAME[:PORT]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedOrigin(String);

/// A name that can't be one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// Not the name of a host.
    #[error("{0:?} is no host name: give NAME or NAME:PORT, such as mcp.example.com")]
    Host(String),
    /// Not a site.
    #[error("{0:?} is no origin: give SCHEME://NAME or SCHEME://NAME:PORT, without a path")]
    Origin(String),
}

impl FromStr for AllowedHost {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        authority(text).ok_or_else(|| NameError::Host(text.to_owned()))
    }
}

impl FromStr for AllowedOrigin {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        if text == "null" {
            return Ok(Self(text.to_owned()));
        }
        let wrong = || NameError::Origin(text.to_owned());
        let (scheme, rest) = text.split_once("://").ok_or_else(wrong)?;
        if matches!(scheme, "http" | "https") {
            return origin(text).map(Self).ok_or_else(wrong);
        }
        // Such as those of an editor's own pages, which have no canonical form.
        let plain = |text: &str| {
            !text.is_empty()
                && text
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-._+:".contains(&byte))
        };
        if plain(scheme) && plain(rest) {
            Ok(Self(text.to_owned()))
        } else {
            Err(wrong())
        }
    }
}

impl fmt::Display for AllowedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

/// `NAME[:PORT]` in lower case; none if it is anything else.
fn authority(text: &str) -> Option<AllowedHost> {
    if text.contains('@') {
        return None;
    }
    let authority = Authority::from_str(text).ok()?;
    let name = authority.host().to_ascii_lowercase();
    let rest = text.get(authority.host().len()..)?;
    let port = match rest.strip_prefix(':') {
        Some(port) => Some(number(port)?),
        None if rest.is_empty() => None,
        None => return None,
    };
    let spoken = |b: u8| b.is_ascii_alphanumeric() || b"-._:[]".contains(&b);
    (!name.is_empty() && name.bytes().all(spoken)).then_some(AllowedHost { name, port })
}

/// A port as it is written in a URI: no sign, which Rust's own parser takes.
fn number(port: &str) -> Option<u16> {
    let digits = port.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| port.parse().ok()).flatten()
}

/// The canonical form of a web origin; none if the text is anything else.
fn origin(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let bare = url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    let canonical = url.origin().ascii_serialization();
    (bare && canonical != "null" && !text.ends_with('/')).then_some(canonical)
}

/// What is allowed, decided once.
#[derive(Debug)]
pub(super) struct Names {
    hosts: Vec<AllowedHost>,
    origins: Vec<AllowedOrigin>,
    /// Where this server listens.
    bound: AllowedHost,
    /// The port that a name without one means.
    default_port: u16,
}

/// Why a request is refused before anything else of it is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stranger {
    Host,
    Origin,
}

impl Names {
    pub(super) fn new(
        bound: SocketAddr,
        tls: bool,
        hosts: Vec<AllowedHost>,
        origins: Vec<AllowedOrigin>,
    ) -> Self {
        let name = match bound.ip() {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        Self {
            hosts,
            origins,
            bound: AllowedHost {
                name,
                port: Some(bound.port()),
            },
            default_port: if tls { 443 } else { 80 },
        }
    }

    /// Checks what a request says whom it is for, and which page sent it.
    pub(super) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Stranger> {
        let mut hosts = headers.get_all(HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok());
        let host_is_known = host.is_some_and(|host| self.knows_host(host))
            && hosts.next().is_none()
            && uri
                .authority()
                .is_none_or(|authority| self.knows_host(authority.as_str()));
        if !host_is_known {
            return Err(Stranger::Host);
        }
        let mut origins = headers.get_all(ORIGIN).iter();
        let Some(origin) = origins.next() else {
            return Ok(());
        };
        let is_known = origin
            .to_str()
            .is_ok_and(|origin| self.knows_origin(origin));
        if is_known && origins.next().is_none() {
            Ok(())
        } else {
            Err(Stranger::Origin)
        }
    }

    /// The origin of a page, if it was allowed by name: it may read answers.
    pub(super) fn page<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let origin = headers.get(ORIGIN)?.to_str().ok()?;
        self.was_allowed(origin).then_some(origin)
    }

    fn knows_host(&self, host: &str) -> bool {
        let Some(called) = authority(host) else {
            return false;
        };
        if LOOPBACK.contains(&called.name.as_str()) {
            return true;
        }
        let port = called.port.unwrap_or(self.default_port);
        std::iter::once(&self.bound)
            .chain(&self.hosts)
            .any(|known| known.name == called.name && known.port.is_none_or(|it| it == port))
    }

    fn knows_origin(&self, text: &str) -> bool {
        if self.was_allowed(text) {
            return true;
        }
        let Some(canonical) = origin(text) else {
            return false;
        };
        // Browsers send nothing else.
        if canonical != text {
            return false;
        }
        let Some((_, host)) = canonical.split_once("://") else {
            return false;
        };
        let Some(host) = authority(host) else {
            return false;
        };
        if LOOPBACK.contains(&host.name.as_str()) {
            return true;
        }
        let default = if canonical.starts_with("https:") {
            443
        } else {
            80
        };
        host.name == self.bound.name && Some(host.port.unwrap_or(default)) == self.bound.port
    }

    fn was_allowed(&self, origin: &str) -> bool {
        self.origins.iter().any(|allowed| allowed.0 == origin)
    }
}

#[cfg(test)]
#[path = "names/tests.rs"]
mod tests;
