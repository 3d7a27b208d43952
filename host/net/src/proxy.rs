//! Proxies between here and the network, as the environment names them.
//!
//! Rules are held against a request before a proxy hears of it. What a name leads
//! to is the proxy's to find out: the network it stands in is often the only one
//! that knows. So names are handed to it as they are; addresses only where they
//! could be connected to without it. `localhost` is never asked of a proxy.

use std::sync::Arc;

use hyper::Uri;
use hyper::header::HeaderValue;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use palisade_policy::{Authority, Host, Scheme};

use crate::error::ProxyError;

/// Which proxies there are. Cheap to clone; none by default.
#[derive(Clone, Default)]
pub struct Proxies(Option<Arc<Matcher>>);

/// The one that a request goes through.
#[derive(Clone)]
pub(crate) struct Proxy {
    pub(crate) uri: Uri,
    pub(crate) host: Host,
    pub(crate) port: u16,
    pub(crate) auth: Option<HeaderValue>,
}

/// The variables, in the order in which they are looked at.
const HTTPS: [&str; 2] = ["HTTPS_PROXY", "https_proxy"];
const HTTP: [&str; 2] = ["HTTP_PROXY", "http_proxy"];
const NO: [&str; 2] = ["NO_PROXY", "no_proxy"];

impl Proxies {
    /// Those of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, or the same in lower
    /// case.
    ///
    /// # Errors
    /// [`ProxyError`] if a variable is not understood: who is behind a proxy does
    /// not mean to go past it.
    pub fn system() -> Result<Self, ProxyError> {
        let first = |names: [&'static str; 2]| {
            names.into_iter().find_map(|name| {
                let value = std::env::var(name).ok()?;
                Some((name, value)).filter(|(_, value)| !value.is_empty())
            })
        };
        let no = first(NO).map_or_else(String::new, |(_, value)| value);
        let (https, http) = (first(HTTPS), first(HTTP));
        Self::of(
            https.as_ref().map(|(name, value)| (*name, value.as_str())),
            http.as_ref().map(|(name, value)| (*name, value.as_str())),
            &no,
        )
    }

    /// Proxies for https and for http, each by its address and a name for it in
    /// messages, and the hosts that are reached without.
    ///
    /// # Errors
    /// [`ProxyError`].
    pub fn of(
        https: Option<(&str, &str)>,
        http: Option<(&str, &str)>,
        no: &str,
    ) -> Result<Self, ProxyError> {
        if https.is_none() && http.is_none() {
            return Ok(Self::default());
        }
        let matcher = Matcher::builder()
            .https(https.map_or("", |(_, value)| value).to_owned())
            .http(http.map_or("", |(_, value)| value).to_owned())
            .no(no.to_owned())
            .build();
        // Whether they were understood is asked of all of them without `no`.
        let all = Matcher::builder()
            .https(https.map_or("", |(_, value)| value).to_owned())
            .http(http.map_or("", |(_, value)| value).to_owned())
            .build();
        for (scheme, named) in [("https", https), ("http", http)] {
            let Some((name, _)) = named else { continue };
            let uri = format!("{scheme}://example.com").parse::<Uri>();
            let found = uri.ok().and_then(|uri| all.intercept(&uri));
            if found.and_then(|found| Proxy::of(&found)).is_none() {
                return Err(ProxyError(name.to_owned()));
            }
        }
        Ok(Self(Some(Arc::new(matcher))))
    }

    /// The one that this goes through, if any.
    pub(crate) fn of_destination(&self, scheme: Scheme, host: &Host, port: u16) -> Option<Proxy> {
        let matcher = self.0.as_ref()?;
        if matches!(host, Host::Name(name) if name == "localhost" || name.ends_with(".localhost")) {
            return None;
        }
        let uri: Uri = format!("{scheme}://{host}:{port}").parse().ok()?;
        Proxy::of(&matcher.intercept(&uri)?)
    }
}

impl Proxy {
    /// None if it speaks something else than HTTP.
    fn of(intercept: &Intercept) -> Option<Self> {
        let uri = intercept.uri();
        if uri.scheme_str() != Some("http") {
            return None;
        }
        let authority: Authority = uri.authority()?.as_str().parse().ok()?;
        Some(Self {
            uri: uri.clone(),
            port: authority.port.unwrap_or(80),
            host: authority.host,
            auth: intercept.basic_auth().cloned(),
        })
    }

    /// Its address, without credentials.
    pub(crate) fn name(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}
