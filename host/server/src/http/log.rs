//! What a session has to say, kept until it has been heard.
//!
//! A session has one stream for each POST and one for what belongs to none.
//! Whoever reads a stream takes events from its end one by one; they stay for
//! a while, so that a client whose connection broke can have them again. Both
//! are bounded, for a session and for all of them together: what can't be kept
//! is refused, and never waits on whoever says it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use hyper::body::Bytes;

use crate::http::headers::EventId;

mod budget;
mod room;
mod stream;

pub(crate) use budget::Budget;

use stream::Stream;

/// The stream of what belongs to no POST.
pub(crate) const STANDALONE: u64 = 0;

/// What one session may keep.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Bytes.
    pub(crate) bytes: usize,
    /// Events.
    pub(crate) events: usize,
    /// Events that wait in a stream that nobody reads and that belongs to no
    /// call; older ones make room.
    pub(crate) unheard: usize,
}

/// The streams of a session. Clones are the same log.
#[derive(Clone)]
pub(crate) struct Log(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    budget: Arc<Budget>,
    bounds: Bounds,
    /// Whether what has been heard is kept for those who lost it.
    keeps: bool,
}

struct State {
    streams: BTreeMap<u64, Stream>,
    last_stream: u64,
    last_reader: u64,
    bytes: usize,
    events: usize,
    closed: bool,
    /// When somebody last came or went.
    touched: Instant,
}

/// Why a stream can't be gone on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lost {
    /// There is no such stream, or not any more.
    Stream,
    /// Some of what followed is gone.
    Events,
}

/// Event, answer or nothing: nothing was kept, since there is no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoRoom;

impl Log {
    /// A log whose events can be had again.
    pub(crate) fn resumable(budget: Arc<Budget>, bounds: Bounds) -> Self {
        let log = Self::new(budget, bounds, true);
        log.lock().streams.insert(STANDALONE, Stream::endless());
        log
    }

    /// A log of one stream that is forgotten as it is read, and its stream.
    pub(crate) fn once(budget: Arc<Budget>, bounds: Bounds) -> (Self, u64) {
        let log = Self::new(budget, bounds, false);
        let stream = log.open(1);
        (log, stream)
    }

    fn new(budget: Arc<Budget>, bounds: Bounds, keeps: bool) -> Self {
        let state = State {
            streams: BTreeMap::new(),
            last_stream: STANDALONE,
            last_reader: 0,
            bytes: 0,
            events: 0,
            closed: false,
            touched: Instant::now(),
        };
        Self(Arc::new(Shared {
            state: Mutex::new(state),
            budget,
            bounds,
            keeps,
        }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is held.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new stream that ends after this many answers.
    pub(crate) fn open(&self, answers: usize) -> u64 {
        let mut state = self.lock();
        state.last_stream += 1;
        let number = state.last_stream;
        state.streams.insert(number, Stream::of(answers));
        state.touched = Instant::now();
        number
    }

    /// Adds what may be left out if there is no room.
    pub(crate) fn say(&self, stream: u64, message: &[u8]) -> Result<(), NoRoom> {
        self.0.push(&mut self.lock(), stream, message, false)
    }

    /// Adds an answer, or `instead` if there is no room for it.
    pub(crate) fn answer(&self, stream: u64, status: u16, message: &[u8], instead: &[u8]) {
        let mut state = self.lock();
        if self.0.push(&mut state, stream, message, true).is_err() {
            // It is short, and there is one a request at most.
            self.0.force(&mut state, stream, instead);
        }
        if let Some(stream) = state.streams.get_mut(&stream) {
            stream.status = Some(status);
        }
        self.0.one_less(&mut state, stream);
    }

    /// Takes note that a request of this stream is not going to be answered.
    pub(crate) fn give_up(&self, stream: u64) {
        self.0.one_less(&mut self.lock(), stream);
    }

    /// Reads a stream from where it has been heard, or from after an event.
    /// Whoever read it before is at the end of it.
    pub(crate) fn read(&self, stream: u64, after: Option<u64>) -> Result<Reader, Lost> {
        let mut state = self.lock();
        let state = &mut *state;
        let found = state.streams.get_mut(&stream).ok_or(Lost::Stream)?;
        if let Some(after) = after {
            if after > found.last_event {
                return Err(Lost::Stream);
            }
            if after < found.forgotten {
                return Err(Lost::Events);
            }
        }
        state.last_reader += 1;
        found.reader = Some(state.last_reader);
        found.wake();
        state.touched = Instant::now();
        Ok(Reader {
            position: after.unwrap_or(found.last_event),
            reader: state.last_reader,
            stream,
            log: self.clone(),
        })
    }

    /// Ends every stream; nothing more is kept.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        for stream in state.streams.values_mut() {
            stream.wake();
        }
        let streams = std::mem::take(&mut state.streams);
        for stream in streams.into_values() {
            state.release(&stream);
        }
    }

    /// Ends the streams that have no end of their own.
    pub(crate) fn end_standalone(&self) {
        let mut state = self.lock();
        if let Some(stream) = state.streams.get_mut(&STANDALONE) {
            stream.reader = None;
            stream.wake();
        }
    }

    /// For how long nothing has been running or listening; none if something
    /// is. `waits` is whether what runs only waits for the client.
    pub(crate) fn idle(&self, waits: bool) -> Option<Duration> {
        let state = self.lock();
        let busy = |stream: &Stream| stream.is_read() || !waits && stream.is_open();
        let busy = state.streams.values().any(busy);
        (!busy).then(|| state.touched.elapsed())
    }

    /// Takes note that the client is there.
    pub(crate) fn touch(&self) {
        self.lock().touched = Instant::now();
    }

    /// Forgets streams that were read to their end longer ago than this.
    pub(crate) fn forget(&self, older: Duration) {
        let mut state = self.lock();
        let old: Vec<_> = state
            .streams
            .iter()
            .filter(|(_, stream)| stream.heard_since(older))
            .map(|(number, _)| *number)
            .collect();
        for number in old {
            self.0.remove(&mut state, number);
        }
    }
}

/// An event as it is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) id: EventId,
    /// `data:`, the message, and the end of the event.
    pub(crate) data: Bytes,
}

/// Reads one stream. The newest reader of a stream is the only one.
pub(crate) struct Reader {
    log: Log,
    stream: u64,
    reader: u64,
    position: u64,
}

impl Reader {
    /// The next event; none at the end.
    pub(crate) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        let shared = &self.log.0;
        let mut guard = self.log.lock();
        let state = &mut *guard;
        let Some(stream) = state.streams.get_mut(&self.stream) else {
            return Poll::Ready(None);
        };
        if stream.reader != Some(self.reader) {
            return Poll::Ready(None);
        }
        if self.position < stream.forgotten {
            // Better an end than a gap: it is told when it asks again.
            return Poll::Ready(None);
        }
        if let Some((event, data)) = stream.after(self.position) {
            self.position = event;
            return Poll::Ready(Some(self.event(event, data)));
        }
        let Some(data) = stream.waiting.pop_front() else {
            if stream.finished.is_some() {
                return Poll::Ready(None);
            }
            stream.waker = Some(cx.waker().clone());
            return Poll::Pending;
        };
        stream.last_event += 1;
        self.position = stream.last_event;
        if shared.keeps {
            stream.heard.push_back((stream.last_event, data.clone()));
        } else {
            state.count_off(&data);
        }
        Poll::Ready(Some(self.event(self.position, data)))
    }

    fn event(&self, event: u64, data: Bytes) -> Event {
        let stream = self.stream;
        let id = EventId { stream, event };
        Event { id, data }
    }

    /// The id of an event that says nothing, from which the stream can be gone
    /// on with.
    pub(crate) fn prime(&mut self) -> EventId {
        let mut state = self.log.lock();
        if let Some(stream) = state.streams.get_mut(&self.stream) {
            stream.last_event += 1;
            self.position = stream.last_event;
        }
        let (stream, event) = (self.stream, self.position);
        EventId { stream, event }
    }

    /// Returns when there is something to be read, or nothing will come.
    pub(crate) async fn ready(&self) {
        std::future::poll_fn(|cx: &mut Context<'_>| {
            let mut state = self.log.lock();
            match state.streams.get_mut(&self.stream) {
                Some(stream) if stream.waiting.is_empty() && stream.finished.is_none() => {
                    stream.waker = Some(cx.waker().clone());
                    Poll::Pending
                }
                _ => Poll::Ready(()),
            }
        })
        .await;
    }

    /// Whether nothing more is to be read.
    pub(crate) fn is_over(&self) -> bool {
        let state = self.log.lock();
        let stream = state.streams.get(&self.stream);
        stream.is_none_or(|stream| stream.finished.is_some() && stream.waiting.is_empty())
    }

    /// Takes the answer, with its status, if there is nothing else.
    pub(crate) fn only_answer(&self) -> Option<(u16, Bytes)> {
        let mut guard = self.log.lock();
        let state = &mut *guard;
        let stream = state.streams.get_mut(&self.stream)?;
        if stream.finished.is_none() || stream.waiting.len() != 1 {
            return None;
        }
        let status = stream.status?;
        let data = stream.waiting.pop_front()?;
        state.count_off(&data);
        let end = data.len() - stream::END.len();
        Some((status, data.slice(stream::DATA.len()..end)))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = self.log.lock();
        state.touched = Instant::now();
        let Some(stream) = state.streams.get_mut(&self.stream) else {
            return;
        };
        if stream.reader != Some(self.reader) {
            return;
        }
        stream.reader = None;
        stream.waker = None;
        if !self.log.0.keeps || stream.is_unreachable() {
            self.log.0.remove(&mut state, self.stream);
        }
    }
}

/// Somebody who waits to be told, taken out and told.
fn wake(waker: &mut Option<Waker>) {
    if let Some(waker) = waker.take() {
        waker.wake();
    }
}

#[cfg(test)]
mod tests;
