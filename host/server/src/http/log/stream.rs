//! One stream of a log.

use std::collections::VecDeque;
use std::task::Waker;
use std::time::{Duration, Instant};

use hyper::body::Bytes;

/// What stands before a message in an event, and after it.
pub(super) const DATA: &[u8] = b"data: ";
pub(super) const END: &[u8] = b"\n\n";

/// What has been said, what has not been heard of it, and who listens.
pub(super) struct Stream {
    /// Events that were read, with their numbers, for those who lost them.
    pub(super) heard: VecDeque<(u64, Bytes)>,
    /// Events that nobody has read.
    pub(super) waiting: VecDeque<Bytes>,
    /// Number of the event that was read last.
    pub(super) last_event: u64,
    /// Number of the last event that is not kept any more.
    pub(super) forgotten: u64,
    /// Answers that are still to come; none for a stream without end.
    answers: Option<usize>,
    /// When the last answer came.
    pub(super) finished: Option<Instant>,
    /// HTTP status that goes with the last answer, if it is alone.
    pub(super) status: Option<u16>,
    /// Who reads it.
    pub(super) reader: Option<u64>,
    pub(super) waker: Option<Waker>,
}

impl Stream {
    /// A stream that ends after this many answers.
    pub(super) fn of(answers: usize) -> Self {
        Self {
            heard: VecDeque::new(),
            waiting: VecDeque::new(),
            last_event: 0,
            forgotten: 0,
            answers: Some(answers),
            finished: None,
            status: None,
            reader: None,
            waker: None,
        }
    }

    pub(super) fn endless() -> Self {
        Self {
            answers: None,
            ..Self::of(0)
        }
    }

    pub(super) fn is_endless(&self) -> bool {
        self.answers.is_none()
    }

    /// Whether somebody reads it.
    pub(super) fn is_read(&self) -> bool {
        self.reader.is_some()
    }

    /// Whether answers are to come.
    pub(super) fn is_open(&self) -> bool {
        self.answers.is_some_and(|answers| answers > 0)
    }

    /// Takes note of an answer that came, or never will.
    pub(super) fn one_less(&mut self) {
        let Some(answers) = &mut self.answers else {
            return;
        };
        *answers = answers.saturating_sub(1);
        if *answers == 0 && self.finished.is_none() {
            self.finished = Some(Instant::now());
            self.wake();
        }
    }

    pub(super) fn wake(&mut self) {
        super::wake(&mut self.waker);
    }

    /// The event after this one, of those that were read before.
    pub(super) fn after(&self, event: u64) -> Option<(u64, Bytes)> {
        let next = self.heard.partition_point(|(number, _)| *number <= event);
        self.heard.get(next).cloned()
    }

    /// Whether it is over and nobody could ask for it: no id of it was given
    /// out.
    pub(super) fn is_unreachable(&self) -> bool {
        self.finished.is_some() && self.reader.is_none() && self.last_event == 0
    }

    /// Whether all of it was read, and nobody is at it.
    pub(super) fn was_heard(&self) -> bool {
        self.finished.is_some() && self.waiting.is_empty() && self.reader.is_none()
    }

    /// Whether that was longer ago than this.
    pub(super) fn heard_since(&self, age: Duration) -> bool {
        self.was_heard() && self.finished.is_some_and(|at| at.elapsed() > age)
    }

    /// How many events it keeps, and how many bytes.
    pub(super) fn size(&self) -> (usize, usize) {
        let heard = self.heard.iter().map(|(_, data)| data);
        let all = heard.chain(&self.waiting);
        all.fold((0, 0), |(events, bytes), data| {
            (events + 1, bytes + data.len())
        })
    }
}
