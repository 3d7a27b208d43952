//! From a destination that is allowed to a connection.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Uri;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use palisade_policy::{Allowed, Authority, Host, NetworkRules, Scheme, Special, special};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::ServerName;
use tower_service::Service;

use crate::error::NetError;
use crate::resolve::Resolver;
use crate::tls::Trust;

/// Makes the connections of one plugin.
#[derive(Clone)]
pub(crate) struct Dial {
    pub(crate) rules: Arc<NetworkRules>,
    pub(crate) resolver: Resolver,
    pub(crate) trust: Trust,
    pub(crate) patience: Duration,
}

impl Dial {
    /// Connects to an address that was looked at, and to no other.
    pub(crate) async fn tcp(
        &self,
        host: &Host,
        port: u16,
        allowed: Allowed,
    ) -> Result<TcpStream, NetError> {
        let limit = self.patience;
        let connecting = self.tcp_without_limit(host, port, allowed);
        timeout(limit, connecting)
            .await
            .map_err(|_| NetError::Timeout {
                what: "connecting",
                limit,
            })?
    }

    async fn tcp_without_limit(
        &self,
        host: &Host,
        port: u16,
        allowed: Allowed,
    ) -> Result<TcpStream, NetError> {
        let mut refused = None;
        let mut failed = None;
        for address in self.resolver.addresses(host).await? {
            if let Some(what) = forbidden(special(address), allowed) {
                refused.get_or_insert((address, what));
                continue;
            }
            match TcpStream::connect(SocketAddr::new(address, port)).await {
                Ok(stream) => {
                    // An answer must not wait for more to be said.
                    let _ = stream.set_nodelay(true);
                    return Ok(stream);
                }
                Err(error) => failed = Some(error),
            }
        }
        let name = host.to_string();
        Err(match (failed, refused) {
            (Some(source), _) => NetError::Connect { name, source },
            (None, Some((address, what))) => NetError::Address {
                name,
                address,
                what,
            },
            (None, None) => NetError::NoSuchHost(name),
        })
    }

    async fn stream(&self, uri: &Uri) -> Result<Stream, NetError> {
        let bad = || NetError::Uri(uri.to_string());
        let scheme = match uri.scheme_str() {
            Some("https") => Scheme::Https,
            Some("http") => Scheme::Http,
            _ => return Err(bad()),
        };
        let authority = uri.authority().ok_or_else(bad)?;
        let authority: Authority = authority.as_str().parse().map_err(|_| bad())?;
        let port = authority.port.or(scheme.default_port()).ok_or_else(bad)?;
        let host = authority.host;
        // The request was held against the rules; here it is asked again, since
        // a connection is good for all that goes to this destination.
        let allowed = self
            .rules
            .destination(scheme, &host, port)
            .ok_or_else(|| NetError::Destination(uri.to_string()))?;
        let tcp = self.tcp(&host, port, allowed).await?;
        if scheme == Scheme::Http {
            return Ok(Stream::Plain(tcp));
        }
        let name = match &host {
            Host::Name(name) => ServerName::try_from(name.clone()).map_err(|_| bad())?,
            Host::Address(address) => ServerName::from(*address),
        };
        let limit = self.patience;
        let tls = timeout(limit, self.trust.0.connect(name, tcp)).await;
        match tls {
            Ok(Ok(tls)) => Ok(Stream::Tls(Box::new(tls))),
            Ok(Err(source)) => Err(NetError::Tls {
                name: host.to_string(),
                source,
            }),
            Err(_) => Err(NetError::Timeout {
                what: "the handshake of TLS",
                limit,
            }),
        }
    }
}

/// Why an address can't be connected to, if it can't.
fn forbidden(what: Option<Special>, allowed: Allowed) -> Option<Special> {
    what.filter(|what| !(allowed.by_address || allowed.private && what.is_private()))
}

/// What went wrong, on its way through a client that only lends its causes.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct DialError(pub(crate) Arc<NetError>);

impl Service<Uri> for Dial {
    type Response = TokioIo<Stream>;
    type Error = DialError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, DialError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), DialError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let dial = self.clone();
        Box::pin(async move {
            let stream = dial.stream(&uri).await;
            stream
                .map(TokioIo::new)
                .map_err(|error| DialError(Arc::new(error)))
        })
    }
}

/// A connection, with or without TLS.
pub(crate) enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        let connected = Connected::new();
        match self {
            Self::Tls(tls) if tls.get_ref().1.alpn_protocol() == Some(b"h2") => {
                connected.negotiated_h2()
            }
            _ => connected,
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut *self {
            Self::Plain(stream) => Pin::new(stream).poll_write(cx, buf),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, buf),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
