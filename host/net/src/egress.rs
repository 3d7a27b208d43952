//! Everything one plugin may reach.

use std::net::IpAddr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use bytes::Bytes;
use http_body::Body;
use hyper::header::{self, HeaderMap, HeaderName};
use hyper::{Method, Request, Response, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use palisade_policy::{Authority, Denied, Host, NetworkRules, Scheme, Target};
use tokio::sync::Semaphore;

use crate::body::{Incoming, Outgoing, OutgoingError};
use crate::connect::{Dial, DialError};
use crate::error::NetError;
use crate::interim::{self, Interim};
use crate::outside::Outside;
use crate::refusals::Refusals;
use crate::secrets::{Injector, Mask, Masked};
use crate::usage::Requests;

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
    /// Bytes of one request's body, and of one answer's. 256 MiB.
    pub body: u64,
    /// Bytes of one answer's headers. 64 KiB.
    pub headers: u32,
    /// Connections kept for each destination. 8.
    pub kept: usize,
    /// Connections there are at all. 128; at least twice as many as requests, so
    /// that there always is one for a request.
    pub connections: usize,
}

impl Default for EgressLimits {
    fn default() -> Self {
        Self {
            requests: 64,
            body: 256 << 20,
            headers: 64 << 10,
            kept: 8,
            connections: 128,
        }
    }
}

/// How long a connection is kept that nobody uses.
const KEPT: Duration = Duration::from_secs(15);

/// Headers an answer may have.
const MOST_HEADERS: usize = 128;

/// What belongs to one connection and not to a request; and the host's name,
/// which the rules were held against.
const NOT_THE_GUESTS: [HeaderName; 9] = [
    header::CONNECTION,
    header::HOST,
    header::MAX_FORWARDS,
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
    client: RwLock<Client<Dial, Outgoing<B>>>,
    limits: EgressLimits,
    timeouts: Timeouts,
    secrets: Injector,
    places: Arc<Semaphore>,
    refusals: Refusals,
}

impl<B> Egress<B>
where
    B: Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    /// Reaches what `rules` allow; what is refused is told to `refusals`.
    pub fn new(
        rules: NetworkRules,
        outside: Outside,
        refusals: Refusals,
        limits: EgressLimits,
        timeouts: Timeouts,
    ) -> Self {
        let dial = Dial {
            rules: Arc::new(rules),
            outside,
            patience: timeouts.connect,
            connections: Arc::new(Semaphore::new(limits.connections)),
            most: limits.connections,
            requests: Requests::default(),
        };
        Self {
            client: RwLock::new(client(&dial, &limits)),
            dial,
            places: Arc::new(Semaphore::new(limits.requests)),
            limits,
            timeouts,
            refusals,
            secrets: Injector::default(),
        }
    }

    /// The same, with secrets that are added to requests.
    #[must_use]
    pub fn with_secrets(self, secrets: Injector) -> Self {
        Self { secrets, ..self }
    }

    /// Hides the secrets that are added to requests; none if there are none.
    pub fn mask(&self) -> Option<&Mask> {
        self.secrets.mask()
    }

    /// What is allowed.
    pub fn rules(&self) -> &NetworkRules {
        &self.dial.rules
    }

    /// Whom refusals are told to.
    pub fn refusals(&self) -> &Refusals {
        &self.refusals
    }

    /// Sends a request, and returns its answer, whatever that is.
    ///
    /// # Errors
    /// [`NetError`].
    pub async fn send(
        &self,
        request: Request<B>,
        timeouts: Timeouts,
    ) -> Result<Response<Incoming>, NetError> {
        let timeouts = self.timeouts.at_most(timeouts);
        let (mut head, body) = request.into_parts();
        let bad = || NetError::Uri(head.uri.to_string());
        let path = head.uri.path().to_owned();
        let method = head.method.clone();
        let target = target(&head.uri, &method, &path).ok_or_else(bad)?;
        if let Err(why) = self.check(&target) {
            self.refusals.tell(self.rules(), &target, None);
            return Err(why);
        }
        let name = target.host.to_string();
        // The one spelling that was looked at is the one that is sent.
        head.uri = normal(&target, &head.uri).ok_or_else(bad)?;
        let place = Arc::clone(&self.places)
            .try_acquire_owned()
            .map_err(|_| NetError::Busy(self.limits.requests))?;
        clean(&mut head.headers);
        self.ask_proxy(&target, &mut head.headers);
        let mut request = Request::from_parts(head, Outgoing::new(body, self.limits.body));
        let mask = self.secrets.apply(&mut request)?;
        let underway = self.dial.requests.begin();
        let limit = timeouts.connect * 2 + timeouts.first_byte;
        let interim = Interim::of(&mut request);
        let answering = tokio::time::timeout(limit, self.client().request(request));
        let answer = tokio::select! {
            biased;
            answer = answering => answer,
            // Whoever no longer waits for it has its connection closed.
            () = interim.too_many() => {
                return Err(NetError::Interim { name, most: interim::MOST });
            }
        };
        let answer = match answer {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => {
                let error = unwrapped(error, name);
                if let NetError::Address { what, .. } = &error {
                    self.refusals.tell(self.rules(), &target, Some(*what));
                }
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
        let place = (place, underway.answered(&head.extensions));
        if let Some(mask) = &mask {
            mask.head(&name, &mut head)?;
        }
        clean(&mut head.headers);
        let body = Masked::new(body, mask.as_ref());
        let body = Incoming::new(body, name, self.limits.body, timeouts.idle, place);
        Ok(Response::from_parts(head, body))
    }

    /// Where a name leads, as far as something may be sent there. Without a rule
    /// nobody is asked.
    ///
    /// # Errors
    /// [`NetError`].
    pub async fn lookup(&self, host: &Host) -> Result<Vec<IpAddr>, NetError> {
        let Some(allowed) = self.rules().lookup(host) else {
            self.refusals.tell_name(self.rules(), host);
            return Err(NetError::Destination(host.to_string()));
        };
        let limit = self.timeouts.connect;
        let looking = self.dial.addresses(host, allowed);
        let found = tokio::time::timeout(limit, looking).await;
        found.unwrap_or(Err(NetError::Timeout {
            what: "looking up a name",
            limit,
        }))
    }

    /// Holds a request against the rules.
    fn check(&self, target: &Target<'_>) -> Result<(), NetError> {
        match target.request {
            // They are for proxies, and a guest speaks to none: one makes a tunnel,
            // the other comes back with what the proxy was told, its password too.
            Some(("CONNECT" | "TRACE" | "TRACK", _)) => Err(denied(target, Denied::Method)),
            _ => (self.rules().decide(target))
                .map(drop)
                .map_err(|why| denied(target, why)),
        }
    }

    /// The client; another one, without connections that nobody uses, once they
    /// would take the room of those that are needed.
    fn client(&self) -> Client<Dial, Outgoing<B>> {
        if self.dial.connections.available_permits() < self.limits.requests {
            let new = client(&self.dial, &self.limits);
            *self.client.write().unwrap_or_else(PoisonError::into_inner) = new;
        }
        let client = self.client.read().unwrap_or_else(PoisonError::into_inner);
        client.clone()
    }

    /// Says who we are to a proxy that requests are addressed to.
    fn ask_proxy(&self, target: &Target<'_>, headers: &mut HeaderMap) {
        if target.scheme != Scheme::Http {
            return;
        }
        let proxies = &self.dial.outside.proxies;
        let proxy = proxies.of_destination(target.scheme, &target.host, target.port);
        if let Some(auth) = proxy.and_then(|proxy| proxy.auth) {
            headers.insert(header::PROXY_AUTHORIZATION, auth);
        }
    }
}

fn client<B>(dial: &Dial, limits: &EgressLimits) -> Client<Dial, Outgoing<B>>
where
    B: Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
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
    builder.build(dial.clone())
}

/// What a request is for.
fn target<'a>(uri: &Uri, method: &'a Method, path: &'a str) -> Option<Target<'a>> {
    let scheme = match uri.scheme_str()? {
        "https" => Scheme::Https,
        "http" => Scheme::Http,
        _ => return None,
    };
    let authority: Authority = uri.authority()?.as_str().parse().ok()?;
    Some(Target::http(scheme, authority, method.as_str(), path))
}

/// A URI whose host is spelled in the one normal form.
fn normal(target: &Target<'_>, uri: &Uri) -> Option<Uri> {
    let (scheme, authority) = target
        .to_string()
        .split_once("://")
        .map(|(scheme, rest)| (scheme.to_owned(), rest.to_owned()))?;
    if uri
        .authority()
        .is_some_and(|written| *written == *authority)
    {
        return Some(uri.clone());
    }
    Uri::builder()
        .scheme(scheme.as_str())
        .authority(authority)
        .path_and_query(uri.path_and_query().map_or("/", |path| path.as_str()))
        .build()
        .ok()
}

fn denied(target: &Target<'_>, why: Denied) -> NetError {
    let to = target.to_string();
    match (why, target.request) {
        (Denied::Method, Some((method, _))) => NetError::Method(to, method.to_owned()),
        (Denied::Path, Some((_, path))) => NetError::Path(to, path.to_owned()),
        (Denied::NotAsked, _) => NetError::NotAsked(to),
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
        if let Some(OutgoingError::TooLarge(limit)) = one.downcast_ref() {
            return NetError::TooLarge {
                what: "the request",
                limit: *limit,
            };
        }
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
