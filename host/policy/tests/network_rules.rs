//! Rules against requests, held against an oracle that is slow and simple; and
//! what addresses are.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::net::{IpAddr, Ipv4Addr};

use palisade_policy::{
    Authority, Denied, Grant, Host, NetworkRules, Scheme, Special, Target, special,
};
use proptest::prelude::*;

/// One rule and one request, in parts, few enough that they often meet.
#[derive(Debug, Clone)]
struct Case {
    rules: Vec<Rule>,
    scheme: &'static str,
    host: Vec<&'static str>,
    port: Option<u16>,
    method: &'static str,
    path: Vec<&'static str>,
}

#[derive(Debug, Clone)]
struct Rule {
    scheme: &'static str,
    below: bool,
    /// None is any.
    host: Vec<&'static str>,
    port: Option<u16>,
    any_port: bool,
    methods: Vec<&'static str>,
    paths: Vec<Vec<&'static str>>,
}

fn labels() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(vec!["a", "b"]), 1..4)
}

fn scheme() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["https", "http"])
}

fn port() -> impl Strategy<Value = Option<u16>> {
    prop::option::of(prop::sample::select(vec![80, 443, 8080]))
}

fn method() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["GET", "PUT"])
}

fn rule() -> impl Strategy<Value = Rule> {
    let segment = prop::sample::select(vec!["x", "y", "*", "**"]);
    (
        scheme(),
        any::<bool>(),
        prop_oneof![4 => labels(), 1 => Just(Vec::new())],
        (port(), any::<bool>()),
        prop::collection::vec(method(), 0..2),
        prop::collection::vec(prop::collection::vec(segment, 1..4), 0..2),
    )
        .prop_map(|(scheme, below, host, ports, methods, paths)| Rule {
            scheme,
            below: below && !host.is_empty(),
            any_port: ports.1 && host.is_empty(),
            port: ports.0,
            host,
            methods,
            paths,
        })
}

fn case() -> impl Strategy<Value = Case> {
    let segment = prop::sample::select(vec!["x", "y", "z"]);
    (
        prop::collection::vec(rule(), 0..5),
        scheme(),
        labels(),
        port(),
        method(),
        prop::collection::vec(segment, 1..4),
    )
        .prop_map(|(rules, scheme, host, port, method, path)| Case {
            rules,
            scheme,
            host,
            port,
            method,
            path,
        })
}

impl Rule {
    fn text(&self) -> String {
        let list = |items: Vec<String>| format!("{items:?}");
        let port = match self.port {
            _ if self.any_port => ":*".to_owned(),
            Some(port) => format!(":{port}"),
            None => String::new(),
        };
        let host = match &self.host[..] {
            [] => "*".to_owned(),
            labels => labels.join("."),
        };
        let below = if self.below { "*." } else { "" };
        let mut text = format!(
            "[[network]]\nto = \"{}://{below}{host}{port}\"\n",
            self.scheme
        );
        if !self.methods.is_empty() {
            let methods = self.methods.iter().map(|method| (*method).to_owned());
            text.push_str(&format!("methods = {}\n", list(methods.collect())));
        }
        if !self.paths.is_empty() {
            let paths = self.paths.iter().map(|path| format!("/{}", path.join("/")));
            text.push_str(&format!("paths = {}\n", list(paths.collect())));
        }
        text
    }

    /// By the words of the docs, and nothing else.
    fn admits(&self, case: &Case) -> bool {
        let usual = |scheme: &str| if scheme == "https" { 443 } else { 80 };
        let host = if self.host.is_empty() {
            true
        } else if self.below {
            case.host.len() > self.host.len() && case.host.ends_with(&self.host)
        } else {
            case.host == self.host
        };
        self.scheme == case.scheme
            && host
            && (self.any_port
                || self.port.unwrap_or(usual(self.scheme))
                    == case.port.unwrap_or(usual(case.scheme)))
            && (self.methods.is_empty() || self.methods.contains(&case.method))
            && (self.paths.is_empty() || self.paths.iter().any(|path| fits(path, &case.path)))
    }
}

/// Whether segments fit a pattern, one after the other.
fn fits(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern, path) {
        ([], []) => true,
        // At the end it stands for something, before something for nothing too.
        (["**"], rest) => !rest.is_empty(),
        (["**", more @ ..], _) => (0..=path.len()).any(|taken| fits(more, &path[taken..])),
        (["*", more @ ..], [_, rest @ ..]) => fits(more, rest),
        ([one, more @ ..], [other, rest @ ..]) => one == other && fits(more, rest),
        _ => false,
    }
}

fn decide(case: &Case) -> Result<(), Denied> {
    let text: String = case.rules.iter().map(Rule::text).collect();
    // Two rules alike are refused, and mean what one does.
    let mut unique = case.rules.iter().map(Rule::text).collect::<Vec<_>>();
    unique.sort();
    unique.dedup();
    let grant = match Grant::parse(&text) {
        Ok(grant) => grant,
        Err(_) => return decide_unique(&unique, case),
    };
    decided(&grant, case)
}

fn decide_unique(rules: &[String], case: &Case) -> Result<(), Denied> {
    let networks = rules
        .iter()
        .flat_map(|rule| Grant::parse(rule).unwrap().network);
    let networks: Vec<_> = networks.collect();
    let grant = Grant {
        network: networks,
        ..Grant::default()
    };
    decided(&grant, case)
}

fn decided(grant: &Grant, case: &Case) -> Result<(), Denied> {
    let port = case.port.map_or(String::new(), |port| format!(":{port}"));
    let authority: Authority = format!("{}{port}", case.host.join(".")).parse().unwrap();
    let scheme = if case.scheme == "https" {
        Scheme::Https
    } else {
        Scheme::Http
    };
    let path = format!("/{}", case.path.join("/"));
    let target = Target::http(scheme, authority, case.method, &path);
    NetworkRules::new(&grant.network).decide(&target).map(drop)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn what_the_oracle_says(case in case()) {
        let expected = case.rules.iter().any(|rule| rule.admits(&case));
        prop_assert_eq!(decide(&case).is_ok(), expected, "{:?}", case);
    }

    /// More rules never allow less.
    #[test]
    fn a_rule_more_takes_nothing_away(case in case(), more in rule()) {
        let before = decide(&case).is_ok();
        let mut wider = case;
        wider.rules.push(more);
        prop_assert!(!before || decide(&wider).is_ok());
    }

    /// What is read is written so that it is read again as the same.
    #[test]
    fn authorities_have_one_form(text in "[a-zA-Z0-9.:\\[\\]xX-]{0,20}|\\PC{0,12}") {
        if let Ok(authority) = text.parse::<Authority>() {
            let written = authority.to_string();
            prop_assert_eq!(Ok(authority), written.parse(), "{} {}", text, written);
        }
    }

    /// An IPv4 address is what it is in each of its disguises.
    #[test]
    fn disguises_are_seen_through(address: u32) {
        let v4 = Ipv4Addr::from(address);
        let [a, b, c, d] = v4.octets();
        let what = special(IpAddr::V4(v4));
        let (high, low) = (address >> 16, address & 0xffff);
        let mut spellings = vec![
            format!("::ffff:{v4}"),
            format!("::ffff:0:{v4}"),
            format!("64:ff9b::{v4}"),
            format!("2002:{high:x}:{low:x}::1"),
        ];
        if high != 0 {
            spellings.push(format!("::{v4}"));
        }
        for spelling in spellings {
            let v6: IpAddr = spelling.parse().unwrap();
            prop_assert_eq!(special(v6), what, "{}", spelling);
        }
        for spelling in [
            format!("{address}"),
            format!("{address:#x}"),
            format!("{a:#o}.{b:#x}.{}", u32::from(c) << 8 | u32::from(d)).replace("0o", "0"),
        ] {
            let read: Authority = spelling.parse().unwrap();
            prop_assert_eq!(read.host, Host::Address(v4.into()), "{}", spelling);
        }
    }
}

#[test]
fn what_addresses_are() {
    for (address, what) in [
        ("1.1.1.1", None),
        ("2606:4700::1111", None),
        ("127.0.0.1", Some(Special::Loopback)),
        ("127.255.255.254", Some(Special::Loopback)),
        ("::1", Some(Special::Loopback)),
        ("10.1.2.3", Some(Special::Private)),
        ("172.15.0.1", None),
        ("172.31.255.255", Some(Special::Private)),
        ("172.32.0.1", None),
        ("192.168.0.1", Some(Special::Private)),
        ("fd12::1", Some(Special::Private)),
        ("fec0::1", Some(Special::Private)),
        ("169.254.1.1", Some(Special::LinkLocal)),
        ("fe80::1", Some(Special::LinkLocal)),
        ("100.64.0.1", Some(Special::SharedCarrier)),
        ("100.128.0.1", None),
        ("169.254.169.254", Some(Special::Metadata)),
        ("::ffff:169.254.169.254", Some(Special::Metadata)),
        ("64:ff9b::a9fe:a9fe", Some(Special::Metadata)),
        ("fd00:ec2::254", Some(Special::Metadata)),
        ("100.100.100.200", Some(Special::Metadata)),
        ("0.0.0.0", Some(Special::Unspecified)),
        ("::", Some(Special::Unspecified)),
        ("0.1.2.3", Some(Special::Reserved)),
        ("224.0.0.1", Some(Special::Multicast)),
        ("255.255.255.255", Some(Special::Multicast)),
        ("ff02::1", Some(Special::Multicast)),
        ("240.0.0.1", Some(Special::Reserved)),
        ("192.0.2.1", Some(Special::Reserved)),
        ("2001:db8::1", Some(Special::Reserved)),
        ("2001::1", Some(Special::Reserved)),
        ("64:ff9b:1::1", Some(Special::Reserved)),
        ("fe80::5efe:10.0.0.1", Some(Special::LinkLocal)),
        ("2606:4700::5efe:10.0.0.1", Some(Special::Reserved)),
        ("4000::1", Some(Special::Reserved)),
    ] {
        assert_eq!(special(address.parse().unwrap()), what, "{address}");
    }
}

#[test]
fn names_are_looked_up_only_where_a_rule_has_them() {
    let text = "[[network]]\nto = \"https://api.example.com:8443\"\n\
                [[network]]\nto = \"tcp://*.db.example:5432\"";
    let rules = NetworkRules::new(&Grant::parse(text).unwrap().network);
    let host = |name: &str| name.parse::<Authority>().unwrap().host;
    assert!(rules.names(&host("API.example.com.")));
    assert!(rules.names(&host("a.b.db.example")));
    for other in [
        "example.com",
        "db.example",
        "x.api.example.com",
        "127.0.0.1",
    ] {
        assert!(!rules.names(&host(other)), "{other}");
    }
    assert!(NetworkRules::default().is_empty());

    let any = NetworkRules::new(&Grant::parse(ANY).unwrap().network);
    assert!(any.names(&host("whatever.test")) && !any.is_empty());
}

const ANY: &str = "[[network]]\nto = \"https://*\"";

/// A rule for any host means public ones: what it allows opens no address that
/// is special, whether a name leads there or the request says so itself.
#[test]
fn any_host_is_not_any_address() {
    let rules = NetworkRules::new(&Grant::parse(ANY).unwrap().network);
    for host in ["example.com", "localhost", "127.0.0.1", "[::1]", "1.1.1.1"] {
        let authority: Authority = host.parse().unwrap();
        let target = Target::http(Scheme::Https, authority, "GET", "/");
        let allowed = rules.decide(&target).unwrap();
        assert!(!allowed.private && !allowed.by_address, "{host}");
    }
}

#[test]
fn any_host_and_any_port_are_written_as_they_are_read() {
    for to in ["https://*", "https://*:8443", "https://*:*", "http://*:*"] {
        let grant = Grant::parse(&format!("[[network]]\nto = \"{to}\"")).unwrap();
        assert_eq!(grant.network[0].to.to_string(), to);
    }
}

/// A plugin brings its own patterns, and a request its path: together they take
/// only so long.
#[test]
fn patterns_and_paths_have_their_measure() {
    let grant = |pattern: &str| {
        Grant::parse(&format!(
            "[[network]]\nto = \"https://a.test\"\npaths = [{pattern:?}]"
        ))
    };
    assert!(grant(&format!("/{}x", "**/a*/".repeat(4))).is_ok());
    let many = grant(&format!("/{}x", "**/a*/".repeat(5))).unwrap_err();
    assert!(many.to_string().contains("wildcards"), "{many}");
    let long = grant(&format!("/{}", "x".repeat(512))).unwrap_err();
    assert!(long.to_string().contains("512"), "{long}");
    let rules = NetworkRules::new(&grant("/**").unwrap().network);
    let allowed = |path: &str| {
        let authority: Authority = "a.test".parse().unwrap();
        let target = Target::http(Scheme::Https, authority, "GET", path);
        rules.decide(&target).is_ok()
    };
    assert!(allowed(&format!("/{}", "x".repeat(8_000))));
    assert!(!allowed(&format!("/{}", "x".repeat(9_000))));
}
