//! Connections: accepted, bounded, and seen to their end.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::Either;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::adapter::Shared;
use crate::http::PATH;
use crate::http::access::Access;
use crate::http::answer::{Answer, Refusal};
use crate::http::endpoint::Endpoint;
use crate::http::names::Names;
use crate::http::options::{HttpLimits, HttpOptions};
use crate::http::rules::says_stateless;
use crate::http::sessions::Sessions;
use crate::http::shares::Shares;
use crate::service::Service;

/// Bytes of a connection that are read ahead, which bounds the head of a
/// request.
const READ_AHEAD: usize = 64 * 1024;

/// How long the server waits before it accepts again when it could not.
const BREATH: Duration = Duration::from_millis(100);

/// How long connections may take to end when everything has been cancelled.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A server that can't be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// Others could reach it, and it would ask nobody who they are.
    #[error("a server that others can reach needs a token")]
    Open,
    /// The address can't be listened at.
    #[error("{0} can't be listened at")]
    Bind(SocketAddr, #[source] std::io::Error),
    /// The system has no random numbers.
    #[error("the system has no random numbers, which sealing what clients keep needs")]
    Random(#[source] getrandom::Error),
}

/// A server that listens, and serves once it is told what.
#[derive(Debug)]
pub struct HttpServer {
    listener: std::net::TcpListener,
    address: SocketAddr,
    options: HttpOptions,
}

impl HttpServer {
    /// Listens.
    ///
    /// # Errors
    ///
    /// If the address can't be listened at, or others than this machine could
    /// reach a server that asks for no token.
    pub async fn bind(options: HttpOptions) -> Result<Self, HttpError> {
        if options.access == Access::Anyone && !options.address.ip().is_loopback() {
            return Err(HttpError::Open);
        }
        let failed = |error| HttpError::Bind(options.address, error);
        let listener = TcpListener::bind(options.address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        // Of no runtime, since that of the server may be another one.
        let listener = listener.into_std().map_err(failed)?;
        Ok(Self {
            listener,
            address,
            options,
        })
    }

    /// Where it is found.
    #[must_use]
    pub fn url(&self) -> String {
        let scheme = if self.options.tls.is_some() {
            "https"
        } else {
            "http"
        };
        format!("{scheme}://{}{PATH}", self.address)
    }

    /// Serves until `stop` is cancelled; calls that run then have some time
    /// left. This may be in another runtime than [`Self::bind`].
    ///
    /// # Errors
    ///
    /// If the system has no random numbers, or the listener can't be served.
    pub async fn serve(self, service: Service, stop: CancellationToken) -> Result<(), HttpError> {
        let failed = |error| HttpError::Bind(self.address, error);
        let listener = TcpListener::from_std(self.listener).map_err(failed)?;
        let shared = Shared::new(service, stop.clone()).map_err(HttpError::Random)?;
        let limits = self.options.limits;
        let tls = self.options.tls;
        let endpoint = Arc::new(Endpoint {
            shared,
            shares: Shares::new(&self.options.access, limits.requests),
            names: Names::new(
                self.address,
                tls.is_some(),
                self.options.hosts,
                self.options.origins,
            ),
            access: self.options.access,
            limits,
            sessions: Arc::new(Sessions::new(limits.sessions, limits.session_idle)),
            stop: stop.clone(),
            cancel: CancellationToken::new(),
        });
        let sweeper = tokio::spawn(sweep(Arc::clone(&endpoint.sessions)));
        let connections = TaskTracker::new();
        let front = Front {
            endpoint: Arc::clone(&endpoint),
            tls: tls.map(|tls| tls.acceptor()),
            limits,
        };
        accept(listener, &front, &connections, &stop).await;
        sweeper.abort();
        end(&endpoint, &connections).await;
        Ok(())
    }
}

/// Lets what runs come to its end, for some time.
async fn end(endpoint: &Endpoint, connections: &TaskTracker) {
    connections.close();
    for session in endpoint.sessions.all() {
        session.log().end_standalone();
    }
    let done = async {
        endpoint.shares.all().in_flight.none().await;
        connections.wait().await;
    };
    let _ = tokio::time::timeout(endpoint.limits.drain, done).await;
    endpoint.cancel.cancel();
    // What was cancelled says so, if it can.
    let answered = endpoint.shares.all().in_flight.none();
    let _ = tokio::time::timeout(LAST_WORDS, answered).await;
    for session in endpoint.sessions.all() {
        session.end();
    }
    if tokio::time::timeout(LAST_WORDS, connections.wait())
        .await
        .is_err()
    {
        tracing::debug!("clients did not read what was left");
    }
}

async fn sweep(sessions: Arc<Sessions>) {
    loop {
        tokio::time::sleep(sessions.pause()).await;
        sessions.sweep();
    }
}

/// What a connection is served with.
#[derive(Clone)]
struct Front {
    endpoint: Arc<Endpoint>,
    tls: Option<TlsAcceptor>,
    limits: HttpLimits,
}

async fn accept(
    listener: TcpListener,
    front: &Front,
    connections: &TaskTracker,
    stop: &CancellationToken,
) {
    let room = Arc::new(Semaphore::new(front.limits.connections));
    let next = async || {
        let place = Arc::clone(&room).acquire_owned().await.ok()?;
        loop {
            match listener.accept().await {
                Ok((stream, _)) => return Some((stream, place)),
                Err(error) => {
                    // Of one connection, or of all for a while (no handles).
                    tracing::warn!("a connection could not be accepted: {error}");
                    tokio::time::sleep(BREATH).await;
                }
            }
        }
    };
    while let Some(Some((stream, place))) = stop.run_until_cancelled(next()).await {
        let (front, stop) = (front.clone(), stop.clone());
        connections.spawn(connection(front, stream, place, stop));
    }
}

async fn connection(
    front: Front,
    stream: TcpStream,
    _place: OwnedSemaphorePermit,
    stop: CancellationToken,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!("a connection waits for more before it sends: {error}");
    }
    give_up_on_the_deaf(&stream);
    let Some(tls) = &front.tls else {
        return speak(&front, stream, &stop).await;
    };
    match tokio::time::timeout(front.limits.head_time, tls.accept(stream)).await {
        Ok(Ok(stream)) => speak(&front, stream, &stop).await,
        Ok(Err(error)) => tracing::debug!("no TLS came about: {error}"),
        Err(_) => tracing::debug!("no TLS came about in time"),
    }
}

/// Has the system break off a connection whose other end has taken nothing of
/// what waits for it for this long. One that is silent is not meant.
fn give_up_on_the_deaf(stream: &TcpStream) {
    #[cfg(target_os = "linux")]
    {
        const DEAF: u32 = 2 * 60 * 1000;
        if let Err(error) = rustix::net::sockopt::set_tcp_user_timeout(stream, DEAF) {
            tracing::debug!("a connection is not given up on: {error}");
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = stream;
}

/// Answers a request. One of a session is carried out though its connection
/// breaks: begun here and now, since hyper may drop what is returned without
/// having looked at it.
fn answer(
    endpoint: Arc<Endpoint>,
    request: Request<Incoming>,
) -> impl Future<Output = Result<Answer, Infallible>> + Send {
    let of_session = request.method() == Method::POST && !says_stateless(request.headers());
    let answering = async move { endpoint.answer(request).await };
    let answering = if of_session {
        Either::Left(tokio::spawn(answering))
    } else {
        Either::Right(answering)
    };
    async move {
        Ok(match answering {
            Either::Left(begun) => begun.await.unwrap_or_else(|error| {
                tracing::error!("answering a request failed: {error}");
                Refusal::busy("this could not be answered; it is a bug in Palisade").into_answer()
            }),
            Either::Right(answering) => answering.await,
        })
    }
}

async fn speak<S>(front: &Front, stream: S, stop: &CancellationToken)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(|request| answer(Arc::clone(&front.endpoint), request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(front.limits.head_time)
        .max_buf_size(READ_AHEAD)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let served = tokio::select! {
        served = connection.as_mut() => served,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        tracing::debug!("a connection broke off: {error}");
    }
}
