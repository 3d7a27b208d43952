//! Bodies of responses: a text, or a stream of server-sent events.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::time::{Instant, Sleep};
use tokio_util::sync::DropGuard;

use crate::http::log::{Event, Reader};

/// A comment, which tells proxies and clients that the stream is alive.
const STILL_HERE: &[u8] = b": still here\n\n";

/// Events up to this size are written in one piece, which copies them.
const SMALL: usize = 4096;

/// The body of a response.
pub(super) enum Payload {
    /// All of it, if it has not been written yet.
    Whole(Option<Bytes>),
    /// As it comes.
    Events(Box<Events>),
}

impl Payload {
    pub(super) fn whole(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        Self::Whole((!bytes.is_empty()).then_some(bytes))
    }
}

/// How events are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// Whether they have ids, from which a stream can be gone on with.
    pub(super) ids: bool,
    /// Whether an event without a message comes first, for its id.
    pub(super) priming: bool,
    /// After how long a client that lost the stream should come back.
    pub(super) retry: Duration,
    /// How long a stream is silent at most.
    pub(super) keep_alive: Duration,
}

/// A stream of events, written as it is read.
pub(super) struct Events {
    reader: Reader,
    style: Style,
    /// What is to be written before the next event.
    next: Option<Bytes>,
    /// Whether the client has been told when to come back.
    told: bool,
    primed: bool,
    ended: bool,
    alarm: Pin<Box<Sleep>>,
    /// What ends with the stream.
    _guard: Option<DropGuard>,
}

impl Events {
    pub(super) fn new(reader: Reader, style: Style, guard: Option<DropGuard>) -> Self {
        Self {
            reader,
            next: None,
            told: !style.ids,
            primed: !style.priming,
            ended: false,
            alarm: Box::pin(tokio::time::sleep(style.keep_alive)),
            style,
            _guard: guard,
        }
    }

    /// The lines before the data of an event.
    fn head(&mut self, id: impl std::fmt::Display) -> String {
        if !self.style.ids {
            return String::new();
        }
        let retry = if std::mem::replace(&mut self.told, true) {
            String::new()
        } else {
            format!("retry: {}\n", self.style.retry.as_millis())
        };
        format!("{retry}id: {id}\n")
    }

    fn written(&mut self, event: Event) -> Bytes {
        let head = self.head(event.id);
        if head.is_empty() {
            return event.data;
        }
        if event.data.len() > SMALL {
            self.next = Some(event.data);
            return head.into();
        }
        let mut whole = head.into_bytes();
        whole.extend_from_slice(&event.data);
        whole.into()
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(next) = self.next.take() {
            return Poll::Ready(Some(next));
        }
        if self.ended {
            return Poll::Ready(None);
        }
        if !std::mem::replace(&mut self.primed, true) {
            let id = self.reader.prime();
            let head = self.head(id);
            return Poll::Ready(Some(format!("{head}data:\n\n").into()));
        }
        match self.reader.poll_next(cx) {
            Poll::Ready(Some(event)) => {
                self.quiet_until_later();
                Poll::Ready(Some(self.written(event)))
            }
            Poll::Ready(None) => {
                self.ended = true;
                Poll::Ready(None)
            }
            Poll::Pending if self.alarm.as_mut().poll(cx).is_ready() => {
                self.quiet_until_later();
                // So that the new alarm is heard.
                cx.waker().wake_by_ref();
                Poll::Ready(Some(Bytes::from_static(STILL_HERE)))
            }
            Poll::Pending => Poll::Pending,
        }
    }

    fn quiet_until_later(&mut self) {
        let later = Instant::now() + self.style.keep_alive;
        self.alarm.as_mut().reset(later);
    }
}

impl Body for Payload {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = match &mut *self {
            Self::Whole(bytes) => Poll::Ready(bytes.take()),
            Self::Events(events) => events.poll_next(cx),
        };
        bytes.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Self::Events(_) => SizeHint::default(),
        }
    }
}
