//! How to serve.

use std::net::SocketAddr;
use std::time::Duration;

use crate::http::access::Access;
use crate::http::log::Bounds;
use crate::http::names::{AllowedHost, AllowedOrigin};
use crate::http::tls::Tls;

/// How to serve over HTTP.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HttpOptions {
    /// Where to listen; port 0 takes any that is free.
    pub address: SocketAddr,
    /// Who may call.
    pub access: Access,
    /// The certificate, for HTTPS.
    pub tls: Option<Tls>,
    /// Names by which this server is called, beside loopback names and its own
    /// address.
    pub hosts: Vec<AllowedHost>,
    /// Sites whose pages may call it, beside those of this machine.
    pub origins: Vec<AllowedOrigin>,
    /// Bounds.
    pub limits: HttpLimits,
}

impl HttpOptions {
    /// Listening at `address`, over plain HTTP, with the usual limits.
    #[must_use]
    pub fn new(address: SocketAddr, access: Access) -> Self {
        Self {
            address,
            access,
            tls: None,
            hosts: Vec::new(),
            origins: Vec::new(),
            limits: HttpLimits::default(),
        }
    }
}

/// Bounds of a server as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpLimits {
    /// Bytes of a request's body.
    pub body: usize,
    /// Sessions at a time.
    pub sessions: usize,
    /// How long a session lives in which nothing runs and nobody listens.
    pub session_idle: Duration,
    /// Connections at a time; more wait to be accepted.
    pub connections: usize,
    /// Requests at a time that have not been answered; more are refused.
    pub requests: usize,
    /// How long a client may take to send the head of a request, or to agree
    /// on TLS.
    pub head_time: Duration,
    /// How long a client may take to send a body.
    pub body_time: Duration,
    /// How long a stream is silent at most before it says that it is alive.
    pub keep_alive: Duration,
    /// How long calls that run have when the server is told to stop.
    pub drain: Duration,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            body: 16 * 1024 * 1024,
            sessions: 1024,
            session_idle: Duration::from_mins(30),
            connections: 1024,
            requests: 2048,
            head_time: Duration::from_secs(15),
            body_time: Duration::from_mins(1),
            keep_alive: Duration::from_secs(15),
            drain: Duration::from_secs(5),
        }
    }
}

/// Bytes of bodies that are being read, all together.
pub(super) const BODIES: usize = 128 * 1024 * 1024;

/// Bytes that wait to be read by clients, or to be read again, all together.
pub(super) const EVENTS: usize = 256 * 1024 * 1024;

/// What one session keeps of that.
pub(super) const OF_SESSION: Bounds = Bounds {
    bytes: 16 * 1024 * 1024,
    events: 8192,
    unheard: 256,
};

/// What one request without a session keeps of that.
pub(super) const OF_REQUEST: Bounds = Bounds {
    bytes: 4 * 1024 * 1024,
    events: 4096,
    unheard: 0,
};

/// How long what a client has read is kept, in case it did not arrive.
pub(super) const KEEP_HEARD: Duration = Duration::from_mins(5);

/// When a client that lost a stream should come back.
pub(super) const RETRY: Duration = Duration::from_secs(1);

/// How long a request without a session may be silent before its response
/// begins, as a stream. Errors that have a status of their own come at once.
pub(super) const SILENT: Duration = Duration::from_secs(2);
