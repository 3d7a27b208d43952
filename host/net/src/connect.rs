//! From a destination that is allowed to a connection.

use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Uri;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::rt::TokioIo;
use palisade_policy::{Allowed, Authority, Host, NetworkRules, Scheme, special};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_rustls::rustls::pki_types::ServerName;
use tower_service::Service;

use crate::error::NetError;
use crate::outside::Outside;
use crate::proxy::Proxy;
use crate::stream::{Io, Stream};
use crate::usage::{Metered, Requests, Usage};

/// Addresses of a name that are tried.
const TRIED: usize = 8;

/// Makes the connections of one plugin.
#[derive(Clone)]
pub(crate) struct Dial {
    pub(crate) rules: Arc<NetworkRules>,
    pub(crate) outside: Outside,
    pub(crate) patience: Duration,
    /// One for each connection there may be.
    pub(crate) connections: Arc<Semaphore>,
    /// How many those are.
    pub(crate) most: usize,
    /// The plugin's, as far as they have no connection yet.
    pub(crate) requests: Requests,
}

impl Dial {
    /// Where a host leads, as far as it may.
    pub(crate) async fn addresses(
        &self,
        host: &Host,
        allowed: Allowed,
    ) -> Result<Vec<IpAddr>, NetError> {
        let mut refused = None;
        let mut all = self.resolve(host).await?;
        all.retain(|address| {
            let what = special(*address);
            let admitted = allowed.admits(what);
            if !admitted && refused.is_none() {
                refused = what.map(|what| (*address, what));
            }
            admitted
        });
        let name = host.to_string();
        match (all.is_empty(), refused) {
            (false, _) => Ok(all),
            (true, Some((address, what))) => Err(NetError::Address {
                name,
                address,
                what,
            }),
            (true, None) => Err(NetError::NoSuchHost(name)),
        }
    }

    async fn resolve(&self, host: &Host) -> Result<Vec<IpAddr>, NetError> {
        match &self.outside.resolver {
            Some(resolver) => resolver.addresses(host).await,
            None => Err(NetError::NoSuchHost(host.to_string())),
        }
    }

    /// Connects to an address that was looked at, and to no other.
    async fn direct(
        &self,
        host: &Host,
        port: u16,
        allowed: Allowed,
    ) -> Result<TcpStream, NetError> {
        let connecting = async {
            let addresses = self.addresses(host, allowed).await?;
            self.first_of(&addresses, port)
                .await
                .map_err(|source| NetError::Connect {
                    name: host.to_string(),
                    source,
                })
        };
        self.in_time("connecting", connecting).await
    }

    /// Connects to the first that takes the connection. One that says nothing
    /// leaves time for the others.
    async fn first_of(&self, addresses: &[IpAddr], port: u16) -> std::io::Result<TcpStream> {
        let addresses = &addresses[..addresses.len().min(TRIED)];
        let share = u32::try_from(addresses.len()).unwrap_or(1).clamp(1, 3);
        let mut failed = std::io::Error::from(std::io::ErrorKind::AddrNotAvailable);
        for address in addresses {
            let connecting = TcpStream::connect(SocketAddr::new(*address, port));
            match timeout(self.patience / share, connecting).await {
                Ok(Ok(stream)) => {
                    // An answer must not wait for more to be said.
                    let _ = stream.set_nodelay(true);
                    return Ok(stream);
                }
                Ok(Err(error)) => failed = error,
                Err(_) => failed = std::io::ErrorKind::TimedOut.into(),
            }
        }
        Err(failed)
    }

    async fn in_time<T>(
        &self,
        what: &'static str,
        doing: impl Future<Output = Result<T, NetError>>,
    ) -> Result<T, NetError> {
        let limit = self.patience;
        let done = timeout(limit, doing).await;
        done.unwrap_or(Err(NetError::Timeout { what, limit }))
    }

    /// Connects to a proxy, which the person named: its addresses are not looked
    /// at.
    async fn to_proxy(&self, proxy: &Proxy) -> Result<TcpStream, NetError> {
        let unreachable = |source: Box<dyn std::error::Error + Send + Sync>| NetError::Proxy {
            proxy: proxy.name(),
            source,
        };
        let connecting = async {
            let addresses = self.resolve(&proxy.host).await;
            let addresses = addresses.map_err(|error| unreachable(Box::new(error)))?;
            let connected = self.first_of(&addresses, proxy.port).await;
            connected.map_err(|error| unreachable(Box::new(error)))
        };
        self.in_time("connecting to the proxy", connecting).await
    }

    /// A connection to somewhere, through a proxy.
    async fn tunnel(&self, proxy: &Proxy, host: &Host, uri: &Uri) -> Result<TcpStream, NetError> {
        let tcp = self.to_proxy(proxy).await?;
        let mut tunnel = Tunnel::new(proxy.uri.clone(), Connected(Some(TokioIo::new(tcp))));
        if let Some(auth) = &proxy.auth {
            tunnel = tunnel.with_auth(auth.clone());
        }
        let opening = async {
            let opened = tunnel.call(uri.clone()).await;
            let opened = opened.map_err(|source| NetError::Tunnel {
                proxy: proxy.name(),
                name: host.to_string(),
                source: Box::new(source),
            })?;
            Ok(opened.into_inner())
        };
        self.in_time("waiting for the proxy", opening).await
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
        // Those that nobody uses have been let go of, and are gone in a moment.
        let permit = Arc::clone(&self.connections).acquire_owned();
        let permit = timeout(self.patience, permit).await;
        let Ok(Ok(permit)) = permit else {
            return Err(NetError::Connections(self.most));
        };
        let proxy = self.outside.proxies.of_destination(scheme, &host, port);
        // An address is looked at, whoever connects to it.
        if proxy.is_some() && matches!(host, Host::Address(_)) {
            self.addresses(&host, allowed).await?;
        }
        let (tcp, proxied) = match (&proxy, scheme) {
            (None, _) => (self.direct(&host, port, allowed).await?, false),
            (Some(proxy), Scheme::Https) => (self.tunnel(proxy, &host, uri).await?, false),
            // In the open, it is the proxy that is spoken to.
            (Some(proxy), _) => (self.to_proxy(proxy).await?, true),
        };
        let tcp = Metered::new(tcp, Usage::new(&self.requests));
        let io = match scheme {
            Scheme::Https => Io::Tls(Box::new(self.secure(&host, tcp).await?)),
            _ => Io::Plain(tcp),
        };
        Ok(Stream::new(io, proxied, permit))
    }

    async fn secure(
        &self,
        host: &Host,
        tcp: Metered<TcpStream>,
    ) -> Result<tokio_rustls::client::TlsStream<Metered<TcpStream>>, NetError> {
        let failed = |source| NetError::Tls {
            name: host.to_string(),
            source,
        };
        let name = match &host {
            Host::Name(name) => ServerName::try_from(name.clone())
                .map_err(|error| failed(std::io::Error::other(error)))?,
            Host::Address(address) => ServerName::from(*address),
        };
        let trust = self.outside.trust.as_ref();
        let trust = trust.ok_or_else(|| failed(std::io::ErrorKind::Unsupported.into()))?;
        let shaking = async { trust.0.connect(name, tcp).await.map_err(failed) };
        self.in_time("the handshake of TLS", shaking).await
    }
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

/// A connection to a proxy that is there already, for who wants to make one.
struct Connected(Option<TokioIo<TcpStream>>);

impl Service<Uri> for Connected {
    type Response = TokioIo<TcpStream>;
    type Error = std::io::Error;
    type Future = std::future::Ready<Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let gone = || std::io::ErrorKind::NotConnected.into();
        std::future::ready(self.0.take().ok_or_else(gone))
    }
}
