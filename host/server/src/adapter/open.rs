//! Requests that have been read and have no answer yet.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::model::RequestId;
use tokio::sync::Notify;

/// How many requests have been read and not yet answered by those who share
/// this: a session, all of one principal, or everybody.
#[derive(Debug, Clone, Default)]
pub(crate) struct InFlight(Arc<Counted>);

#[derive(Debug, Default)]
struct Counted {
    count: AtomicUsize,
    /// Those of them that can't go on unless their client does something.
    waiting: AtomicUsize,
    none: Notify,
    /// Those of whom these are some.
    among: Option<InFlight>,
}

impl InFlight {
    /// A part of these, which counts here as well.
    pub(crate) fn part(&self) -> Self {
        Self(Arc::new(Counted {
            among: Some(self.clone()),
            ..Counted::default()
        }))
    }

    pub(crate) fn count(&self) -> usize {
        self.0.count.load(Ordering::Relaxed)
    }

    /// Of everybody.
    pub(crate) fn total(&self) -> usize {
        match &self.0.among {
            Some(all) => all.total(),
            None => self.count(),
        }
    }

    /// How many of them wait for their client: for answers to questions, or,
    /// subscribed to news, for being given up.
    pub(crate) fn waiting(&self) -> usize {
        self.0.waiting.load(Ordering::Relaxed)
    }

    /// Whether all that there is waits for its client.
    pub(crate) fn only_waits(&self) -> bool {
        self.count() <= self.waiting()
    }

    fn more(&self) {
        self.0.count.fetch_add(1, Ordering::Relaxed);
        if let Some(all) = &self.0.among {
            all.more();
        }
    }

    fn fewer(&self, by: usize) {
        if by > 0 && self.0.count.fetch_sub(by, Ordering::Relaxed) == by {
            self.0.none.notify_waiters();
        }
        if let Some(all) = &self.0.among {
            all.fewer(by);
        }
    }

    /// Counts one more, for as long as what is returned lives.
    pub(crate) fn guard(&self) -> Counting {
        self.more();
        Counting(self.clone())
    }

    /// Says that one of them waits for its client, for as long as what is
    /// returned lives.
    pub(super) fn wait(&self) -> Waiting {
        self.0.waiting.fetch_add(1, Ordering::Relaxed);
        Waiting(self.clone())
    }

    /// Returns when every request has been answered.
    pub(crate) async fn none(&self) {
        loop {
            let none = self.0.none.notified();
            let mut none = std::pin::pin!(none);
            none.as_mut().enable();
            if self.count() == 0 {
                return;
            }
            none.await;
        }
    }
}

/// One request that waits for its client.
#[derive(Debug)]
pub(super) struct Waiting(InFlight);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// One request that counts as not answered.
#[derive(Debug)]
pub(crate) struct Counting(InFlight);

impl Drop for Counting {
    fn drop(&mut self) {
        self.0.fewer(1);
    }
}

/// Requests that have been read and have no answer yet, each with what its
/// transport has to know about it.
///
/// rmcp tells requests apart by their ids alone, and what a cancelled one
/// still says would be taken for the answer to the next one of that id. So
/// inside the house every request has a number of its own.
pub(super) struct OpenRequests<T> {
    numbers: HashMap<RequestId, i64>,
    ids: HashMap<i64, (RequestId, T)>,
    last: i64,
    in_flight: InFlight,
}

impl<T> OpenRequests<T> {
    pub(super) fn new(in_flight: InFlight) -> Self {
        Self {
            numbers: HashMap::new(),
            ids: HashMap::new(),
            last: 0,
            in_flight,
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The number of a new request; none if one of that id is open.
    pub(super) fn enter(&mut self, id: &RequestId, about: T) -> Option<RequestId> {
        if self.numbers.contains_key(id) {
            return None;
        }
        self.last += 1;
        self.numbers.insert(id.clone(), self.last);
        self.ids.insert(self.last, (id.clone(), about));
        self.in_flight.more();
        Some(RequestId::Number(self.last))
    }

    /// The number of a request that is given up by its sender.
    pub(super) fn give_up(&mut self, id: &RequestId) -> Option<(RequestId, T)> {
        let number = self.numbers.remove(id)?;
        let (_, about) = self.ids.remove(&number)?;
        self.in_flight.fewer(1);
        Some((RequestId::Number(number), about))
    }

    /// The sender's id of a request that is answered; none if nobody waits.
    pub(super) fn answer(&mut self, number: &RequestId) -> Option<(RequestId, T)> {
        let RequestId::Number(number) = number else {
            return None;
        };
        let (id, about) = self.ids.remove(number)?;
        self.numbers.remove(&id);
        self.in_flight.fewer(1);
        Some((id, about))
    }

    /// The sender's id of a request that is still open.
    pub(super) fn sender(&self, number: &RequestId) -> Option<&RequestId> {
        let RequestId::Number(number) = number else {
            return None;
        };
        self.ids.get(number).map(|(id, _)| id)
    }

    /// What is known about a request by its number.
    pub(super) fn about(&self, number: &RequestId) -> Option<&T> {
        let RequestId::Number(number) = number else {
            return None;
        };
        self.ids.get(number).map(|(_, about)| about)
    }
}

impl<T> Drop for OpenRequests<T> {
    fn drop(&mut self) {
        self.in_flight.fewer(self.ids.len());
    }
}
