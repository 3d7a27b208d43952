//! The body of an answer: no larger than it may be, and never silent for long.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Sleep, sleep};

use crate::error::NetError;
use crate::secrets::Masked;

/// An answer's body. While it lives, its request counts as under way.
pub struct Incoming {
    inner: Masked<hyper::body::Incoming>,
    name: String,
    left: u64,
    limit: u64,
    idle: Duration,
    silence: Pin<Box<Sleep>>,
    _place: OwnedSemaphorePermit,
}

impl Incoming {
    pub(crate) fn new(
        inner: Masked<hyper::body::Incoming>,
        name: String,
        limit: u64,
        idle: Duration,
        place: OwnedSemaphorePermit,
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
                let error = NetError::Http {
                    name: this.name.clone(),
                    source: source.into(),
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
