//! Network destinations: parsed, normalised and compared.

use std::collections::BTreeSet;
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use crate::error::ParseError;
use crate::parse::{Item, Table};
use crate::text::shown;

const PLACE: &str = "[[network]]";
const EXAMPLE: &str = "to = \"https://api.example.com\"";

/// How a destination is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    /// HTTP over TLS.
    Https,
    /// Plain HTTP.
    Http,
    /// A TCP connection.
    Tcp,
    /// UDP datagrams.
    Udp,
}

impl Scheme {
    /// Whether requests have methods, paths and headers.
    pub fn is_http(self) -> bool {
        matches!(self, Self::Https | Self::Http)
    }

    fn default_port(self) -> Option<u16> {
        match self {
            Self::Https => Some(443),
            Self::Http => Some(80),
            Self::Tcp | Self::Udp => None,
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Https => "https",
            Self::Http => "http",
            Self::Tcp => "tcp",
            Self::Udp => "udp",
        })
    }
}

/// `scheme://host[:port]`, normalised so that equal destinations are equal:
/// lower case, the port always there, addresses in their usual form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Destination {
    /// How it is spoken to.
    pub scheme: Scheme,
    /// A host name, an IPv4 address, an IPv6 address in brackets, or
    /// `*.example.com` for one or more labels below a name, never the name
    /// itself. Names beyond ASCII are written in their `xn--` form.
    pub host: String,
    /// The port; for http and https their own unless written.
    pub port: u16,
}

impl Destination {
    fn parse(item: &Item<'_>) -> Result<Self, ParseError> {
        let text = item.string(EXAMPLE)?;
        let no = |problem: &str| {
            item.error(
                &format!("is \"{}\", {problem}", shown(text)),
                "write scheme://host[:port] with https, http, tcp or udp, \
                 for example \"https://api.example.com\"",
            )
        };
        let Some((scheme, authority)) = text.split_once("://") else {
            return Err(no("which has no scheme"));
        };
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "https" => Scheme::Https,
            "http" => Scheme::Http,
            "tcp" => Scheme::Tcp,
            "udp" => Scheme::Udp,
            _ => return Err(no("whose scheme is not known")),
        };
        if authority.contains(['/', '?', '#', '\\']) {
            return Err(no("which goes on after the host; `paths` says which paths"));
        }
        if authority.contains('@') {
            return Err(no("which has a user in it"));
        }
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
            _ => (authority, None),
        };
        let port = match port {
            None => (scheme.default_port()).ok_or_else(|| no("which has no port"))?,
            Some(port) => (Some(port).filter(|port| port.bytes().all(|b| b.is_ascii_digit())))
                .and_then(|port| port.parse().ok())
                .filter(|port| *port != 0)
                .ok_or_else(|| no("whose port is not a number from 1 to 65535"))?,
        };
        let host = host_name(host).map_err(no)?;
        Ok(Self { scheme, host, port })
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.host)?;
        if self.scheme.default_port() != Some(self.port) {
            write!(f, ":{}", self.port)?;
        }
        Ok(())
    }
}

/// A host in its normal form, or what is wrong with it.
fn host_name(text: &str) -> Result<String, &'static str> {
    if let Some(inner) = text.strip_prefix('[') {
        return (inner.strip_suffix(']'))
            .and_then(|address| address.parse::<Ipv6Addr>().ok())
            .map(|address| format!("[{address}]"))
            .ok_or("whose IPv6 address is not one");
    }
    if !text.is_ascii() {
        return Err("whose host has letters beyond ASCII; write its xn-- form");
    }
    let lower = text.to_ascii_lowercase();
    let name = lower.strip_prefix("*.").unwrap_or(&lower);
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && (label.bytes()).all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    if name.is_empty() {
        return Err("which has no host");
    }
    if name.contains('*') {
        return Err("where `*` is not the whole first label, as in *.example.com");
    }
    if name.len() > 253 || !name.split('.').all(label) {
        return Err("whose host is not a host name");
    }
    // What ends in a number is an address, or one in disguise (127.1, 0x7f.1).
    let last = name.rsplit('.').next().unwrap_or_default();
    let number = last.bytes().all(|b| b.is_ascii_digit()) || last.starts_with("0x");
    if number && (name.parse::<Ipv4Addr>().is_err() || name.len() != lower.len()) {
        return Err("whose IPv4 address is not four plain numbers");
    }
    Ok(lower)
}

/// A `[[network]]` rule of a manifest or a grant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NetworkRequest {
    /// Where to.
    pub to: Destination,
    /// HTTP methods in upper case; empty for any.
    pub methods: BTreeSet<String>,
    /// Patterns of paths, each starting with `/`; empty for any.
    pub paths: BTreeSet<String>,
    /// Whether the name may resolve to a private, loopback or link-local
    /// address.
    pub private: bool,
}

/// `[[network]]` of a manifest or a grant.
pub(crate) fn rules(item: &Item<'_>) -> Result<Vec<NetworkRequest>, ParseError> {
    let mut rules = Vec::new();
    for table in item.tables(PLACE)? {
        table.only(&["to", "methods", "paths", "private"], &[])?;
        let to = table.require("to", EXAMPLE)?;
        let to = Destination::parse(&to)?;
        let private = table.get("private").map(|item| item.boolean());
        let rule = NetworkRequest {
            methods: list(&table, "methods", &to, "methods = [\"GET\"]", is_method)?,
            paths: list(&table, "paths", &to, "paths = [\"/v1/**\"]", is_path)?,
            private: private.transpose()?.unwrap_or(false),
            to,
        };
        if rules.contains(&rule) {
            return Err(table.error(
                format!("{PLACE} has a rule a second time: {rule}"),
                "remove one of the two",
            ));
        }
        rules.push(rule);
    }
    Ok(rules)
}

/// A destination that can be spoken to in HTTP, for other rules.
pub(crate) fn http_destination(item: &Item<'_>) -> Result<Destination, ParseError> {
    let to = Destination::parse(item)?;
    match to.scheme.is_http() {
        true => Ok(to),
        false => Err(item.error("is not http or https", format!("for example {EXAMPLE}"))),
    }
}

fn list(
    table: &Table<'_>,
    key: &str,
    to: &Destination,
    example: &str,
    good: fn(&str) -> bool,
) -> Result<BTreeSet<String>, ParseError> {
    let Some(item) = table.get(key) else {
        return Ok(BTreeSet::new());
    };
    if !to.scheme.is_http() {
        return Err(item.error("means nothing to tcp and udp", "remove it"));
    }
    let list = item.strings(example)?;
    if list.is_empty() {
        return Err(item.error("is empty", format!("leave it out to allow any {key}")));
    }
    (list.into_iter())
        .map(|(text, item)| match good(text) {
            true => Ok(text.to_owned()),
            false => Err(item.error(
                &format!("has \"{}\", which is not one", shown(text)),
                format!("for example {example}"),
            )),
        })
        .collect()
}

fn is_method(text: &str) -> bool {
    (1..=32).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_uppercase() || b == b'-')
}

fn is_path(text: &str) -> bool {
    text.starts_with('/')
        && text
            .bytes()
            .all(|b| b.is_ascii_graphic() && !matches!(b, b'?' | b'#' | b'\\'))
        && !text.split('/').any(|part| matches!(part, "." | ".."))
}

impl fmt::Display for NetworkRequest {
    /// `GET https://api.example.com, paths /v1/**`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(", ");
        if !self.methods.is_empty() {
            write!(f, "{} ", join(&self.methods))?;
        }
        write!(f, "{}", self.to)?;
        if !self.paths.is_empty() {
            write!(f, ", paths {}", join(&self.paths))?;
        }
        if self.private {
            f.write_str(", private addresses too")?;
        }
        Ok(())
    }
}
