//! Which addresses lead to the public internet, and what the others are.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What an address is that is not simply somewhere on the internet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Special {
    /// This machine (RFC 1122, RFC 4291).
    Loopback,
    /// The networks of homes and companies (RFC 1918, RFC 4193, and the
    /// site-local addresses of RFC 3879).
    Private,
    /// The same link (RFC 3927, RFC 4291).
    LinkLocal,
    /// Behind a provider's translation (RFC 6598).
    SharedCarrier,
    /// Where clouds hand out credentials to whoever asks.
    Metadata,
    /// No address at all; systems take it for their own (RFC 1122).
    Unspecified,
    /// Many at once (RFC 5771, RFC 4291), or all of a link.
    Multicast,
    /// Set aside: documentation, benchmarks, the future (RFC 6890 and the
    /// registries it began).
    Reserved,
}

impl Special {
    /// Whether a rule that says `private` opens it. Metadata it never does: who
    /// means that very address names it.
    pub fn is_private(self) -> bool {
        matches!(
            self,
            Self::Loopback | Self::Private | Self::LinkLocal | Self::SharedCarrier
        )
    }
}

impl fmt::Display for Special {
    /// "a private address".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Loopback => "this machine's own address",
            Self::Private => "a private address",
            Self::LinkLocal => "a link-local address",
            Self::SharedCarrier => "a provider's internal address",
            Self::Metadata => "a cloud's metadata address",
            Self::Unspecified => "no address at all",
            Self::Multicast => "a multicast or broadcast address",
            Self::Reserved => "a reserved address",
        })
    }
}

/// What an address is; none for one on the public internet. IPv6 addresses that
/// stand for an IPv4 address are what that one is.
pub fn special(address: IpAddr) -> Option<Special> {
    match address {
        IpAddr::V4(address) => special_v4(address),
        IpAddr::V6(address) => special_v6(address),
    }
}

/// Where the large clouds answer. 169.254.169.254 and its neighbours for
/// containers (AWS, Azure, GCP, Oracle, …), Azure's wire server, Alibaba,
/// Oracle's second one.
const METADATA_V4: [Ipv4Addr; 5] = [
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(169, 254, 170, 2),
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(192, 0, 0, 192),
];

/// AWS.
const METADATA_V6: [Ipv6Addr; 2] = [
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),
];

fn special_v4(address: Ipv4Addr) -> Option<Special> {
    if METADATA_V4.contains(&address) {
        return Some(Special::Metadata);
    }
    Some(match address.octets() {
        [0, 0, 0, 0] => Special::Unspecified,
        [127, ..] => Special::Loopback,
        [10, ..] | [192, 168, ..] | [172, 16..=31, ..] => Special::Private,
        [169, 254, ..] => Special::LinkLocal,
        [100, 64..=127, ..] => Special::SharedCarrier,
        [224..=239, ..] | [255, 255, 255, 255] => Special::Multicast,
        // "This network"; protocol assignments; documentation; the relays of
        // 6to4; benchmarks; the future.
        [0, ..]
        | [192, 0, 0 | 2, _]
        | [198, 51, 100, _]
        | [203, 0, 113, _]
        | [192, 88, 99, _]
        | [198, 18 | 19, ..]
        | [240..=255, ..] => Special::Reserved,
        _ => return None,
    })
}

fn special_v6(address: Ipv6Addr) -> Option<Special> {
    if METADATA_V6.contains(&address) {
        return Some(Special::Metadata);
    }
    if let Some(inner) = disguised(address) {
        return special_v4(inner);
    }
    Some(match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => Special::Unspecified,
        [0, 0, 0, 0, 0, 0, 0, 1] => Special::Loopback,
        [0xff00..=0xffff, ..] => Special::Multicast,
        [0xfe80..=0xfebf, ..] => Special::LinkLocal,
        // Unique local, and site-local of old.
        [0xfc00..=0xfdff, ..] | [0xfec0..=0xfeff, ..] => Special::Private,
        // Teredo and other protocol assignments; documentation, twice.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => {
            Special::Reserved
        }
        // Interface ids of ISATAP, which hold an IPv4 address.
        [_, _, _, _, 0 | 0x200, 0x5efe, ..] => Special::Reserved,
        // All there is of public addresses.
        [0x2000..=0x3fff, ..] => return None,
        _ => Special::Reserved,
    })
}

/// The IPv4 address that an IPv6 address stands for: mapped (RFC 4291),
/// translated (RFC 2765), NAT64 (RFC 6052), 6to4 (RFC 3056).
fn disguised(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let join = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Ipv4Addr::new(a, b, c, d)
    };
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => Some(join(high, low)),
        // IPv4-compatible, of old; `::` and `::1` are what they are.
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 => Some(join(high, low)),
        _ => None,
    }
}
