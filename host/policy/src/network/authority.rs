//! `host[:port]`, read the same way wherever it comes from: a rule, a guest's
//! request, a redirect.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// Longest authority that is looked at, in bytes: a name of 253, a dot, a port.
const LONGEST: usize = 260;

/// A host in its one normal form, so that equal hosts are equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    /// A name: lower case, in its `xn--` form where it goes beyond ASCII,
    /// without the dot at its end.
    Name(String),
    /// An address. An IPv4 address written as an IPv6 one is an IPv4 address.
    Address(IpAddr),
}

/// A host, and a port where one is written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Authority {
    /// The host.
    pub host: Host,
    /// The port, 1 to 65535; none where the scheme's own is meant.
    pub port: Option<u16>,
}

/// Why a text is no authority. Each reads on after "…, ".
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuthorityError {
    /// Empty.
    #[error("which has no host")]
    NoHost,
    /// `user@host`: it looks like one host and means another.
    #[error("which has a user in it")]
    User,
    /// Longer than a name can be.
    #[error("which is too long for a host")]
    TooLong,
    /// Not a number that a port can have.
    #[error("whose port is not a number from 1 to 65535")]
    Port,
    /// In brackets, and no address.
    #[error("whose IPv6 address is not one")]
    Ipv6,
    /// Not a name by the rules of DNS and IDNA, and no address either.
    #[error("whose host is not a host name")]
    Name,
}

impl FromStr for Authority {
    type Err = AuthorityError;

    /// Follows the WHATWG URL standard for hosts (IDNA, and every spelling of
    /// an IPv4 address: `127.1`, `0x7f.0.0.1`, `2130706433`), but takes nothing
    /// that could be read in another way elsewhere: no user, no escapes, no
    /// empty port.
    fn from_str(text: &str) -> Result<Self, AuthorityError> {
        if text.len() > LONGEST {
            return Err(AuthorityError::TooLong);
        }
        if text.contains('@') {
            return Err(AuthorityError::User);
        }
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (address, rest) = rest.split_once(']').ok_or(AuthorityError::Ipv6)?;
                let address: Ipv6Addr = address.parse().map_err(|_| AuthorityError::Ipv6)?;
                let port = match rest {
                    "" => None,
                    rest => Some(rest.strip_prefix(':').ok_or(AuthorityError::Port)?),
                };
                (Host::from(IpAddr::V6(address)), port)
            }
            None => match text.split_once(':') {
                Some((host, port)) => (name(host)?, Some(port)),
                None => (name(text)?, None),
            },
        };
        let port = port.map(number).transpose()?;
        Ok(Self { host, port })
    }
}

fn number(port: &str) -> Result<u16, AuthorityError> {
    let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    (digits.then(|| port.parse().ok()).flatten())
        .filter(|port| *port != 0)
        .ok_or(AuthorityError::Port)
}

fn name(text: &str) -> Result<Host, AuthorityError> {
    if text.is_empty() {
        return Err(AuthorityError::NoHost);
    }
    // Escapes, and what the standard would take out or treat specially.
    let odd = |c: char| {
        c.is_ascii_control()
            || c.is_ascii_whitespace()
            || "%[]/\\?#<>^|`{}\"*,;!$&'()+=~".contains(c)
    };
    if text.contains(odd) || text.chars().any(crate::text::steers) {
        return Err(AuthorityError::Name);
    }
    match url::Host::parse(text).map_err(|_| AuthorityError::Name)? {
        url::Host::Ipv4(address) => Ok(Host::Address(address.into())),
        url::Host::Ipv6(address) => Ok(Host::from(IpAddr::V6(address))),
        url::Host::Domain(name) => {
            // The dot at the end of a name says that nothing is to be added to
            // it. Nothing ever is here.
            let name = name.strip_suffix('.').unwrap_or(&name);
            let label = |label: &str| {
                (1..=63).contains(&label.len())
                    && !label.starts_with('-')
                    && !label.ends_with('-')
                    && (label.bytes()).all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
            };
            if name.is_empty() || name.len() > 253 || !name.split('.').all(label) {
                return Err(AuthorityError::Name);
            }
            Ok(Host::Name(name.to_owned()))
        }
    }
}

impl From<IpAddr> for Host {
    fn from(address: IpAddr) -> Self {
        Self::Address(address.to_canonical())
    }
}

impl From<Ipv4Addr> for Host {
    fn from(address: Ipv4Addr) -> Self {
        Self::Address(address.into())
    }
}

impl fmt::Display for Host {
    /// As in a URL: an IPv6 address in brackets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(address)) => write!(f, "{address}"),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

impl fmt::Display for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.host)?;
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}
