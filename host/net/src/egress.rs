//! Everything one plugin may reach.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body::Body;
use hyper::header::{self, HeaderMap, HeaderName};
use hyper::{Request, Response};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use palisade_policy::{Authority, Denied, NetworkRules, Scheme, Target};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use crate::body::Incoming;
use crate::connect::{Dial, DialError};
use crate::error::NetError;
use crate::resolve::Resolver;
use crate::secrets::{Injector, Masked};
use crate::tls::Trust;

/// How long the steps of a request may take.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// Resolving and connecting, and again the handshake of TLS.
    pub connect: Duration,
    /// From there to the head of the answer.
    pub first_byte: Duration,
    /// Between two pieces of the answer.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(30),
            idle: Duration::from_secs(30),
        }
    }
}

impl Timeouts {
    /// The lesser of each: a guest may want less patience, never more.
    #[must_use]
    pub fn at_most(self, other: Self) -> Self {
        Self {
            connect: self.connect.min(other.connect),
            first_byte: self.first_byte.min(other.first_byte),
            idle: self.idle.min(other.idle),
        }
    }
}

/// How much there may be.
#[derive(Debug, Clone, Copy)]
pub struct EgressLimits {
    /// Requests under way at once, up to the end of their answers. 64.
    pub requests: usize,
    /// Bytes of one answer's body. 256 MiB.
    pub body: u64,
    /// Bytes of one answer's headers. 64 KiB.
    pub headers: u32,
    /// Connections kept for each destination. 8.
    pub kept: usize,
}

impl Default for EgressLimits {
    fn default() -> Self {
        Self {
            requests: 64,
            body: 256 << 20,
            headers: 64 << 10,
            kept: 8,
        }
    }
}

/// How long a connection is kept that nobody uses.
const KEPT: Duration = Duration::from_secs(60);

/// Headers an answer may have.
const MOST_HEADERS: usize = 128;

/// What belongs to one connection and not to a request; and the host's name,
/// which the rules were held against.
const NOT_THE_GUESTS: [HeaderName; 8] = [
    header::CONNECTION,
    header::HOST,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::TRAILER,
];

/// Everything one plugin may reach. Its connections are used for nobody else.
pub struct Egress<B> {
    dial: Dial,
    client: Client<Dial, B>,
    limits: EgressLimits,
    timeouts: Timeouts,
    secrets: Injector,
    places: Arc<Semaphore>,
}

impl<B> Egress<B>
where
    B: Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    /// Reaches what `rules` allow.
    pub fn new(
        rules: NetworkRules,
        resolver: Resolver,
        trust: Trust,
        limits: EgressLimits,
        timeouts: Timeouts,
    ) -> Self {
        let dial = Dial {
            rules: Arc::new(rules),
            resolver,
            trust,
            patience: timeouts.connect,
        };
        let mut builder = Client::builder(TokioExecutor::new());
        builder
            .pool_timer(TokioTimer::new())
            .timer(TokioTimer::new())
            .pool_idle_timeout(KEPT)
            .pool_max_idle_per_host(limits.kept)
            .http1_max_buf_size((limits.headers as usize).max(8 << 10))
            .http1_max_headers(MOST_HEADERS)
            .http2_max_header_list_size(limits.headers)
            .set_host(true);
        Self {
            client: builder.build(dial.clone()),
            dial,
            places: Arc::new(Semaphore::new(limits.requests)),
            limits,
            timeouts,
            secrets: Injector::default(),
        }
    }

    /// The same, with secrets that are added to requests.
    #[must_use]
    pub fn with_secrets(self, secrets: Injector) -> Self {
        Self { secrets, ..self }
    }

    /// Sends a request, and returns its answer, whatever that is.
    ///
    /// # Errors
    /// [`NetError`].
    pub async fn send(
        &self,
        mut request: Request<B>,
        timeouts: Timeouts,
    ) -> Result<Response<Incoming>, NetError> {
        let timeouts = self.timeouts.at_most(timeouts);
        let name = self.check(&request)?;
        let places = Arc::clone(&self.places);
        let place = places
            .try_acquire_owned()
            .map_err(|_| NetError::Busy(self.limits.requests))?;
        clean(request.headers_mut());
        let mask = self.secrets.apply(&mut request)?;
        let limit = timeouts.connect * 2 + timeouts.first_byte;
        let answer = tokio::time::timeout(limit, self.client.request(request)).await;
        let answer = match answer {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => {
                let error = unwrapped(error, name);
                return Err(match &mask {
                    Some(mask) => mask.error(error),
                    None => error,
                });
            }
            Err(_) => {
                return Err(NetError::Timeout {
                    what: "waiting for the answer",
                    limit,
                });
            }
        };
        let (mut head, body) = answer.into_parts();
        if let Some(mask) = &mask {
            mask.head(&name, &mut head)?;
        }
        clean(&mut head.headers);
        let body = Masked::new(body, mask.as_ref());
        let body = Incoming::new(body, name, self.limits.body, timeouts.idle, place);
        Ok(Response::from_parts(head, body))
    }

    /// Connects to `tcp://host:port`.
    ///
    /// # Errors
    /// [`NetError`].
    pub async fn tcp(&self, authority: Authority) -> Result<TcpStream, NetError> {
        let target = Target {
            scheme: Scheme::Tcp,
            port: authority.port.unwrap_or(0),
            host: authority.host,
            request: None,
        };
        let allowed =
            (self.dial.rules.decide(&target)).map_err(|_| denied(&target, Denied::Destination))?;
        self.dial.tcp(&target.host, target.port, allowed).await
    }

    /// Holds a request against the rules; what it is for.
    fn check(&self, request: &Request<B>) -> Result<String, NetError> {
        let uri = request.uri();
        let bad = || NetError::Uri(uri.to_string());
        let scheme = match uri.scheme_str() {
            Some("https") => Scheme::Https,
            Some("http") => Scheme::Http,
            _ => return Err(bad()),
        };
        let authority = uri.authority().ok_or_else(bad)?;
        let authority: Authority = authority.as_str().parse().map_err(|_| bad())?;
        let target = Target::http(scheme, authority, request.method().as_str(), uri.path());
        match self.dial.rules.decide(&target) {
            Ok(_) => Ok(target.host.to_string()),
            Err(why) => Err(denied(&target, why)),
        }
    }
}

fn denied(target: &Target<'_>, why: Denied) -> NetError {
    let to = target.to_string();
    match (why, target.request) {
        (Denied::Method, Some((method, _))) => NetError::Method(to, method.to_owned()),
        (Denied::Path, Some((_, path))) => NetError::Path(to, path.to_owned()),
        _ => NetError::Destination(to),
    }
}

/// Takes out what is not for the other end, by name or because `Connection`
/// says so.
fn clean(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named.iter().chain(&NOT_THE_GUESTS) {
        headers.remove(name);
    }
    headers.remove("keep-alive");
    headers.remove("proxy-connection");
}

/// What a request failed of: what the connector said, if it is that.
fn unwrapped(error: hyper_util::client::legacy::Error, name: String) -> NetError {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(one) = cause {
        if let Some(DialError(own)) = one.downcast_ref() {
            let own = Arc::clone(own);
            drop(error);
            return Arc::try_unwrap(own).unwrap_or_else(|shared| NetError::Http {
                name,
                source: Box::new(DialError(shared)),
            });
        }
        cause = one.source();
    }
    NetError::Http {
        name,
        source: Box::new(error),
    }
}
