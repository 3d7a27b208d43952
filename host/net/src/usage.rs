//! Which connections have a request, and what comes on those that have none.
//!
//! What a server sends while a request of a guest waits for it counts as that
//! call's time. On a connection that is kept for the next request nobody waits,
//! and reading it is work all the same: so little of it is read, and then the
//! connection is closed.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use hyper::http::Extensions;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes that may come on a connection without a request: enough for the end of
/// what was cancelled, for settings and for questions whether we are still there.
const UNASKED: usize = 16 << 10;

/// Requests of which it is not known yet which connection has them.
#[derive(Clone, Default)]
pub(crate) struct Requests(Arc<AtomicUsize>);

impl Requests {
    /// One more, while what is returned lives.
    pub(crate) fn begin(&self) -> Underway {
        Underway::one(&self.0)
    }
}

/// A request under way.
pub(crate) struct Underway(Arc<AtomicUsize>);

impl Underway {
    fn one(counter: &Arc<AtomicUsize>) -> Self {
        counter.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(counter))
    }

    /// The same, now that it is known which connection has it.
    pub(crate) fn answered(self, answer: &Extensions) -> Self {
        match answer.get::<Usage>() {
            Some(usage) => Self::one(&usage.own),
            None => self,
        }
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Requests that a connection has, or may have.
#[derive(Clone)]
pub(crate) struct Usage {
    own: Arc<AtomicUsize>,
    any: Requests,
}

impl Usage {
    pub(crate) fn new(any: &Requests) -> Self {
        Self {
            own: Arc::default(),
            any: any.clone(),
        }
    }

    fn is_idle(&self) -> bool {
        // In this order: a request is one of the connection's before it is no
        // longer any.
        self.any.0.load(Ordering::SeqCst) == 0 && self.own.load(Ordering::SeqCst) == 0
    }
}

/// A connection that is closed if too much comes on it unasked.
pub(crate) struct Metered<S> {
    inner: S,
    usage: Usage,
    unasked: usize,
}

impl<S> Metered<S> {
    pub(crate) fn new(inner: S, usage: Usage) -> Self {
        Self {
            inner,
            usage,
            unasked: 0,
        }
    }

    pub(crate) fn usage(&self) -> &Usage {
        &self.usage
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buf))?;
        self.unasked = match self.usage.is_idle() {
            true => self.unasked + (buf.filled().len() - before),
            false => 0,
        };
        Poll::Ready(match self.unasked > UNASKED {
            true => Err(io::Error::other("the server sends what nobody asked for")),
            false => Ok(()),
        })
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
