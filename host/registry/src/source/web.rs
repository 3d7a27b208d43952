//! A file on the web.

use std::fmt;

use hyper::Uri;
use palisade_policy::{Authority, Host, Scheme, Special, special};

use super::BadSource;

/// An address of the web: `https://HOST[:PORT]/PATH[?QUERY]`, or `http://` at one
/// of this machine's own addresses. Without user and fragment, its host in the
/// one normal form.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WebAddress {
    scheme: Scheme,
    host: Host,
    port: u16,
    path: String,
}

impl WebAddress {
    /// Reads one.
    pub(crate) fn parse(text: &str) -> Result<Self, BadSource> {
        let (scheme, rest) = text.split_once("://").ok_or(BadSource::Uri)?;
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "https" => Scheme::Https,
            "http" => Scheme::Http,
            other => return Err(BadSource::Scheme(other.to_owned())),
        };
        let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let Authority { host, port } = authority.parse()?;
        if scheme == Scheme::Http && !is_loopback(&host) {
            return Err(BadSource::Plain);
        }
        if path.contains('#') {
            return Err(BadSource::Fragment);
        }
        // What some would mend, and others take for something else.
        let odd = |b: u8| !b.is_ascii_graphic() || b"\"<>\\^`{|}".contains(&b);
        if path.bytes().any(odd) {
            return Err(BadSource::Uri);
        }
        let path = match path.starts_with('/') {
            true => path.to_owned(),
            false => format!("/{path}"),
        };
        let this = Self {
            port: port.or(scheme.default_port()).ok_or(BadSource::Uri)?,
            scheme,
            host,
            path,
        };
        match this.uri() {
            Some(_) => Ok(this),
            None => Err(BadSource::Uri),
        }
    }

    /// How it is spoken to.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The host.
    #[must_use]
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Whether both are asked of one and the same other end.
    pub(crate) fn same_origin(&self, other: &Self) -> bool {
        (self.scheme, &self.host, self.port) == (other.scheme, &other.host, other.port)
    }

    /// The same with something after the end of its path.
    pub(crate) fn with_ending(&self, ending: &str) -> Option<Self> {
        let (path, query) = match self.path.split_once('?') {
            Some((path, query)) => (path, format!("?{query}")),
            None => (self.path.as_str(), String::new()),
        };
        let this = Self {
            path: format!("{path}{ending}{query}"),
            ..self.clone()
        };
        this.uri().is_some().then_some(this)
    }

    /// As a request has it.
    pub(crate) fn uri(&self) -> Option<Uri> {
        self.to_string().parse().ok()
    }
}

impl fmt::Display for WebAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.host)?;
        if self.scheme.default_port() != Some(self.port) {
            write!(f, ":{}", self.port)?;
        }
        f.write_str(&self.path)
    }
}

/// Whether a host is this machine, whoever is asked.
pub(crate) fn is_loopback(host: &Host) -> bool {
    match host {
        Host::Address(address) => special(*address) == Some(Special::Loopback),
        Host::Name(name) => name == "localhost" || name.ends_with(".localhost"),
    }
}
