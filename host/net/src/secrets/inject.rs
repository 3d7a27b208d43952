//! Secrets added to requests.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::Request;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::http::uri::PathAndQuery;
use palisade_policy::{Authority, Carrier, Injection, Scheme, Spot};
use palisade_secrets::SecretValue;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::mask::Mask;
use crate::error::NetError;

/// All but what means itself in every part of a URL.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Adds the secrets of one plugin to its requests.
#[derive(Default)]
pub struct Injector {
    /// The most exact destination first.
    rules: Vec<Rule>,
    /// For what comes back; none where there are no secrets.
    mask: Option<Mask>,
}

struct Rule {
    injection: Injection,
    added: Added,
}

/// What is added, ready made.
enum Added {
    Header(HeaderName, HeaderValue),
    /// The key, and the value as it stands in a query.
    Query(String, String),
}

/// A secret that can't be added to a request as its grant says.
#[derive(Debug, thiserror::Error)]
#[error("it can't be added to a request as {0}")]
pub struct InjectorError(String);

impl fmt::Debug for Injector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Injector({} secrets, hidden)", self.rules.len())
    }
}

impl Injector {
    /// Adds each value where it is to be added.
    ///
    /// # Errors
    /// [`InjectorError`] if a value does not fit there.
    pub fn new(
        secrets: impl IntoIterator<Item = (Injection, SecretValue)>,
    ) -> Result<Self, InjectorError> {
        let secrets: Vec<_> = secrets.into_iter().collect();
        if secrets.is_empty() {
            return Ok(Self::default());
        }
        let mask = Mask::of(secrets.iter().map(|(_, value)| value))
            .map_err(|error| InjectorError(format!("there are too many ({error})")))?;
        let mut rules = Vec::new();
        for (injection, value) in secrets {
            let added = added(&injection.carrier, &value)
                .ok_or_else(|| InjectorError(injection.carrier.to_string()))?;
            rules.push(Rule { injection, added });
        }
        // `*.b.example.com` before `*.example.com`, and a name before both.
        rules.sort_by_key(|rule| {
            let host = &rule.injection.to.host;
            (host.starts_with('*'), std::cmp::Reverse(host.len()))
        });
        Ok(Self {
            rules,
            mask: Some(mask),
        })
    }

    /// Hides all of them; none if there are none.
    #[must_use]
    pub fn mask(&self) -> Option<&Mask> {
        self.mask.as_ref()
    }

    /// Adds what is for a request's destination, in place of whatever the guest
    /// put there. Returns how to mask the answer, if anything is for it. To be
    /// called after the rules have let it through.
    ///
    /// # Errors
    /// [`NetError::Uri`] and [`NetError::Secret`] if it can't be added.
    pub fn apply<B>(&self, request: &mut Request<B>) -> Result<Option<Mask>, NetError> {
        let Some(mask) = &self.mask else {
            return Ok(None);
        };
        let bad = || NetError::Uri(request.uri().to_string());
        let scheme = match request.uri().scheme_str() {
            Some("https") => Scheme::Https,
            Some("http") => Scheme::Http,
            _ => return Err(bad()),
        };
        let authority = request.uri().authority().ok_or_else(bad)?;
        let authority: Authority = authority.as_str().parse().map_err(|_| bad())?;
        let port = authority.port.or(scheme.default_port()).ok_or_else(bad)?;
        let host = authority.host;
        let mut taken: Vec<Spot<'_>> = Vec::new();
        for rule in &self.rules {
            let spot = rule.injection.carrier.spot();
            if taken.contains(&spot) || !rule.injection.is_for(scheme, &host, port) {
                continue;
            }
            taken.push(spot);
            match &rule.added {
                Added::Header(name, value) => {
                    // All the guest's of that name are gone.
                    request.headers_mut().insert(name, value.clone());
                }
                Added::Query(key, value) => {
                    let set = with_query(request, key, value);
                    set.ok_or_else(|| NetError::Secret {
                        name: host.to_string(),
                        why: "with it, the address would be too long",
                    })?;
                }
            }
        }
        if taken.is_empty() {
            return Ok(None);
        }
        // So that an answer can be masked.
        let headers = request.headers_mut();
        headers.insert(
            header::ACCEPT_ENCODING,
            HeaderValue::from_static("identity"),
        );
        headers.remove(header::RANGE);
        headers.remove("request-range");
        headers.remove(header::IF_RANGE);
        Ok(Some(mask.clone()))
    }
}

fn added(carrier: &Carrier, value: &SecretValue) -> Option<Added> {
    let header = |name: &str, text: &str| {
        let name: HeaderName = name.parse().ok()?;
        let mut value = HeaderValue::from_bytes(text.as_bytes()).ok()?;
        // Never in what is logged, nor in HTTP/2's tables of headers.
        value.set_sensitive(true);
        Some(Added::Header(name, value))
    };
    let secret = value.reveal();
    match carrier {
        Carrier::Header { name, format } => header(name, &format.replacen("{}", secret, 1)),
        Carrier::Basic { user } => {
            let both = STANDARD.encode(format!("{user}:{secret}"));
            header(header::AUTHORIZATION.as_str(), &format!("Basic {both}"))
        }
        Carrier::Query { key } => {
            let value = utf8_percent_encode(secret, ENCODED).to_string();
            Some(Added::Query(key.clone(), value))
        }
    }
}

/// Sets one parameter of the query, in place of all of that name.
fn with_query<B>(request: &mut Request<B>, key: &str, value: &str) -> Option<()> {
    let uri = request.uri();
    let others = (uri.query().unwrap_or_default().split('&'))
        .filter(|pair| !pair.is_empty() && !is_named(pair, key));
    let pairs: Vec<_> = others.map(str::to_owned).collect();
    let mut text = format!("{}?", uri.path());
    for pair in pairs {
        text.push_str(&pair);
        text.push('&');
    }
    text.push_str(key);
    text.push('=');
    text.push_str(value);
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(text).ok()?);
    *request.uri_mut() = hyper::Uri::from_parts(parts).ok()?;
    Some(())
}

/// Whether a pair of a query has this name, however it is spelt.
fn is_named(pair: &str, key: &str) -> bool {
    let name = pair.split('=').next().unwrap_or_default();
    percent_decode_str(name).collect::<Vec<_>>() == key.as_bytes()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use palisade_policy::{Grant, SecretUse};

    use super::*;

    fn injector(rules: &[(&str, &str)]) -> Injector {
        let secrets = rules.iter().map(|(inject, value)| {
            let text = format!("[[secrets]]\nname = \"A\"\ninject = {{ {inject} }}");
            let grant = Grant::parse(&text).unwrap();
            let Some(SecretUse::Inject(injection)) = &grant.secrets[0].use_as else {
                panic!("{grant:?}")
            };
            let value = SecretValue::new((*value).to_owned()).unwrap();
            (injection.clone(), value)
        });
        Injector::new(secrets).unwrap()
    }

    fn request(uri: &str) -> Request<()> {
        Request::get(uri).body(()).unwrap()
    }

    #[test]
    fn only_towards_its_destination() {
        let injector = injector(&[(
            "to = \"https://api.test\", header = \"Authorization\", format = \"Bearer {}\"",
            "hunter2",
        )]);
        let mut to = request("https://api.test/x");
        assert!(injector.apply(&mut to).unwrap().is_some());
        assert_eq!(to.headers()["authorization"], "Bearer hunter2");
        assert!(!format!("{to:?}").contains("hunter2"), "{to:?}");
        for other in [
            "http://api.test/",
            "https://api.test:444/",
            "https://evil.test/",
            "https://api.test.evil.test/",
            "https://xapi.test/",
        ] {
            let mut to = request(other);
            assert!(injector.apply(&mut to).unwrap().is_none(), "{other}");
            assert!(to.headers().is_empty(), "{other}: {to:?}");
        }
        // However it is spelt.
        let mut to = request("https://API.test.:443/");
        assert!(injector.apply(&mut to).unwrap().is_some());
    }

    #[test]
    fn the_hosts_own_wins() {
        let injector = injector(&[
            ("to = \"https://api.test\", header = \"x-key\"", "hunter2"),
            ("to = \"https://api.test\", query = \"key\"", "a b&c=d"),
        ]);
        let mut to = request("https://api.test/p?a=1&key=mine&k%65y=mine&&KEY=2#x");
        for value in ["mine", "and mine"] {
            to.headers_mut().append("x-key", value.parse().unwrap());
        }
        to.headers_mut()
            .insert("accept-encoding", "gzip".parse().unwrap());
        to.headers_mut()
            .insert("range", "bytes=0-1".parse().unwrap());
        injector.apply(&mut to).unwrap().unwrap();
        let keys: Vec<_> = to.headers().get_all("x-key").iter().collect();
        assert_eq!(keys, ["hunter2"]);
        assert_eq!(to.uri(), "https://api.test/p?a=1&KEY=2&key=a%20b%26c%3Dd");
        assert_eq!(to.headers()["accept-encoding"], "identity");
        assert!(!to.headers().contains_key("range"));
    }

    #[test]
    fn the_most_exact_destination_holds() {
        let injector = injector(&[
            ("to = \"https://*.test\", header = \"x-key\"", "all"),
            ("to = \"https://api.test\", header = \"x-key\"", "one"),
            ("to = \"https://*.b.test\", basic = \"me\"", "some"),
        ]);
        let sent = |uri: &str, header: &str| {
            let mut to = request(uri);
            injector.apply(&mut to).unwrap();
            let value = to.headers().get(header)?;
            Some(value.to_str().unwrap().to_owned())
        };
        assert_eq!(sent("https://api.test", "x-key").unwrap(), "one");
        assert_eq!(sent("https://a.b.test", "x-key").unwrap(), "all");
        assert_eq!(
            sent("https://a.b.test", "authorization").unwrap(),
            format!("Basic {}", STANDARD.encode("me:some"))
        );
        assert_eq!(sent("https://api.test", "authorization"), None);
    }

    #[test]
    fn too_long_an_address_does_not_tell_it() {
        let secret = "x".repeat(60_000);
        let injector = injector(&[("to = \"https://api.test\", query = \"key\"", &secret)]);
        let mut to = request(&format!("https://api.test/{}", "y".repeat(10_000)));
        let error = injector.apply(&mut to).unwrap_err();
        assert!(matches!(error, NetError::Secret { .. }), "{error}");
        assert!(!format!("{error:?}").contains("xxx"));
    }

    #[test]
    fn without_secrets_nothing_is_touched() {
        let mut to = request("https://api.test/");
        assert!(Injector::default().apply(&mut to).unwrap().is_none());
        assert!(to.headers().is_empty());
    }
}
