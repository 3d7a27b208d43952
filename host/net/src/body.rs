//! Bodies: no larger than they may be, and an answer's never silent for long.

use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Sleep, sleep};

use crate::error::NetError;
use crate::secrets::Masked;
use crate::usage::Underway;

/// An answer's body. While it lives, its request counts as under way.
pub struct Incoming {
    inner: Masked<hyper::body::Incoming>,
    name: String,
    left: u64,
    limit: u64,
    idle: Duration,
    silence: Pin<Box<Sleep>>,
    _place: (OwnedSemaphorePermit, Underway),
}

impl Incoming {
    pub(crate) fn new(
        inner: Masked<hyper::body::Incoming>,
        name: String,
        limit: u64,
        idle: Duration,
        place: (OwnedSemaphorePermit, Underway),
    ) -> Self {
        Self {
            inner,
            name,
            left: limit,
            limit,
            idle,
            silence: Box::pin(sleep(idle)),
            _place: place,
        }
    }
}

impl Body for Incoming {
    type Data = Bytes;
    type Error = NetError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, NetError>>> {
        let this = &mut *self;
        let frame = match Pin::new(&mut this.inner).poll_frame(cx) {
            Poll::Ready(frame) => frame,
            Poll::Pending => {
                ready!(this.silence.as_mut().poll(cx));
                return Poll::Ready(Some(Err(NetError::Timeout {
                    what: "waiting for more of the answer",
                    limit: this.idle,
                })));
            }
        };
        this.silence.as_mut().reset(Instant::now() + this.idle);
        Poll::Ready(match frame {
            None => None,
            Some(Ok(frame)) => {
                let length = frame.data_ref().map_or(0, Bytes::len) as u64;
                match this.left.checked_sub(length) {
                    Some(left) => {
                        this.left = left;
                        Some(Ok(frame))
                    }
                    None => Some(Err(NetError::TooLarge {
                        what: "the answer",
                        limit: this.limit,
                    })),
                }
            }
            Some(Err(source)) => {
                let source: Box<dyn std::error::Error + Send + Sync> = source.into();
                let name = this.name.clone();
                let error = match is_cut_short(source.as_ref()) {
                    true => NetError::BrokeOff(name),
                    false => NetError::Http { name, source },
                };
                Some(Err(match this.inner.mask() {
                    Some(mask) => mask.error(error),
                    None => error,
                }))
            }
        })
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// Whether the other end is gone, of whose answer more was to come.
fn is_cut_short(error: &(dyn std::error::Error + 'static)) -> bool {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|error| {
            matches!(
                error.kind(),
                ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset
            )
        })
}

/// A request's body.
pub(crate) struct Outgoing<B> {
    inner: B,
    left: u64,
    limit: u64,
}

impl<B> Outgoing<B> {
    pub(crate) fn new(inner: B, limit: u64) -> Self {
        Self {
            inner,
            left: limit,
            limit,
        }
    }
}

/// Why a request was not sent to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OutgoingError {
    /// More than may be sent.
    #[error("the request is larger than {0} bytes")]
    TooLarge(u64),
    /// Who makes it broke off.
    #[error("the request broke off")]
    Own(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl<B> Body for Outgoing<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Data = Bytes;
    type Error = OutgoingError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, OutgoingError>>> {
        let this = &mut *self;
        Poll::Ready(match ready!(Pin::new(&mut this.inner).poll_frame(cx)) {
            None => None,
            Some(Err(error)) => Some(Err(OutgoingError::Own(error.into()))),
            Some(Ok(frame)) => {
                let length = frame.data_ref().map_or(0, Bytes::len) as u64;
                let left = this.left.checked_sub(length);
                this.left = left.unwrap_or(0);
                let fits = left.map(|_| frame);
                Some(fits.ok_or(OutgoingError::TooLarge(this.limit)))
            }
        })
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
