//! Network destinations: parsed, normalised and compared.

use std::collections::BTreeSet;
use std::fmt;
use std::net::IpAddr;

use crate::error::ParseError;
use crate::keys;
use crate::parse::{Item, Table};
use crate::text::shown;

mod address;
mod authority;
mod decide;
mod flag;
mod meet;
mod path;

pub use address::{Special, special};
pub use authority::{Authority, AuthorityError, Host};
pub use decide::{Allowed, Denied, NetworkRules, Target};
pub use flag::{AllowFlag, Remedy};
pub use meet::EffectiveNetwork;
pub(crate) use meet::{destination as narrower, meet};
use path::PathPattern;

const PLACE: &str = "[[network]]";
const EXAMPLE: &str = "to = \"https://api.example.com\"";

/// Stands for every host.
const ANY_HOST: &str = "*";

/// Stands for every port.
const ANY_PORT: u16 = 0;

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

    /// The port that is meant where none is written.
    pub fn default_port(self) -> Option<u16> {
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
    /// itself. Names beyond ASCII are written in their `xn--` form. `*` alone is
    /// any host of http or https.
    pub host: String,
    /// The port; for http and https their own unless written. 0 for any, which
    /// only the host `*` may have.
    pub port: u16,
}

impl Destination {
    fn parse(item: &Item<'_>) -> Result<Self, ParseError> {
        let text = item.string(EXAMPLE)?;
        Self::read(text).map_err(|problem| {
            item.error(
                &format!("is \"{}\", {problem}", shown(text)),
                "write scheme://host[:port] with https, http, tcp or udp, \
                 for example \"https://api.example.com\"",
            )
        })
    }

    /// Reads one; what is wrong reads on after "…, ".
    fn read(text: &str) -> Result<Self, String> {
        let no = str::to_owned;
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
        if let Some(port) = authority.strip_prefix('*')
            && (port.is_empty() || port.starts_with(':'))
        {
            return Self::any_host(scheme, port).map_err(&no);
        }
        let (below, authority) = match authority.strip_prefix("*.") {
            Some(parent) => (true, parent),
            None => (false, authority),
        };
        if authority.contains('*') {
            return Err(no(
                "where `*` is not the whole first label, as in *.example.com",
            ));
        }
        let parsed: Authority = authority
            .parse()
            .map_err(|error: AuthorityError| no(&error.to_string()))?;
        let port =
            (parsed.port.or(scheme.default_port())).ok_or_else(|| no("which has no port"))?;
        // A request may spell an address as it likes; in a rule, a person has to
        // see what it is.
        let plain = |address: IpAddr| match address {
            IpAddr::V4(address) => authority.split(':').next() == Some(&*address.to_string()),
            IpAddr::V6(_) => true,
        };
        let host = match parsed.host {
            Host::Name(name) if below => format!("*.{name}"),
            Host::Address(_) if below => {
                return Err(no(
                    "where `*` stands before an address, which has nothing below it",
                ));
            }
            Host::Address(address) if !plain(address) => {
                return Err(no("whose IPv4 address is not four plain numbers"));
            }
            host => host.to_string(),
        };
        Ok(Self { scheme, host, port })
    }

    /// `https://*`, with what is written behind it: nothing, `:*`, or a port.
    fn any_host(scheme: Scheme, port: &str) -> Result<Self, &'static str> {
        let Some(usual) = scheme.default_port().filter(|_| scheme.is_http()) else {
            return Err("where `*` stands for any host, as it does with https and http only");
        };
        let port = match port {
            "" => usual,
            ":*" => ANY_PORT,
            written => (format!("host{written}").parse::<Authority>().ok())
                .and_then(|authority| authority.port)
                .ok_or("whose port is not a number from 1 to 65535, or `*`")?,
        };
        Ok(Self {
            scheme,
            host: ANY_HOST.to_owned(),
            port,
        })
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.host)?;
        if self.port == ANY_PORT {
            return f.write_str(":*");
        }
        if self.scheme.default_port() != Some(self.port) {
            write!(f, ":{}", self.port)?;
        }
        Ok(())
    }
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
        table.only(&keys::NETWORK.names(), &[])?;
        let to = table.require("to", EXAMPLE)?;
        let to = Destination::parse(&to)?;
        let private = table.get("private").map(|item| item.boolean());
        let rule = NetworkRequest {
            methods: list(&table, "methods", &to, "methods = [\"GET\"]", not_a_method)?,
            paths: list(&table, "paths", &to, "paths = [\"/v1/**\"]", not_a_pattern)?,
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

/// A destination that can be spoken to in HTTP, for what is given to nobody else.
pub(crate) fn http_destination(item: &Item<'_>) -> Result<Destination, ParseError> {
    let to = Destination::parse(item)?;
    let problem = match (to.scheme.is_http(), &*to.host) {
        (false, _) => "is not http or https",
        (true, ANY_HOST) => "is any host, so that anybody could be given the secret",
        (true, _) => return Ok(to),
    };
    Err(item.error(problem, format!("for example {EXAMPLE}")))
}

fn list(
    table: &Table<'_>,
    key: &str,
    to: &Destination,
    example: &str,
    wrong: fn(&str) -> Option<&'static str>,
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
        .map(|(text, item)| match wrong(text) {
            None => Ok(text.to_owned()),
            Some(why) => Err(item.error(
                &format!("has \"{}\", which {why}", shown(text)),
                format!("for example {example}"),
            )),
        })
        .collect()
}

fn not_a_method(text: &str) -> Option<&'static str> {
    let good =
        (1..=32).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_uppercase() || b == b'-');
    match text {
        // It asks a proxy for a connection, and a guest speaks to none.
        "CONNECT" => Some("is never sent"),
        _ => (!good).then_some("is not a method in upper case"),
    }
}

fn not_a_pattern(text: &str) -> Option<&'static str> {
    PathPattern::parse(text).err()
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
