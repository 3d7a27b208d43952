//! Bytes that many sessions may hold together.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hyper::body::Bytes;

/// Bytes that many sessions may hold together: all, or those of one caller.
#[derive(Debug)]
pub(crate) struct Budget {
    used: AtomicUsize,
    max: usize,
    /// That of which this is a part.
    among: Option<Arc<Budget>>,
}

impl Budget {
    pub(crate) fn new(max: usize) -> Arc<Self> {
        Arc::new(Self {
            used: AtomicUsize::new(0),
            max,
            among: None,
        })
    }

    /// A part of this one, of at most `max`.
    pub(crate) fn part(self: &Arc<Self>, max: usize) -> Arc<Self> {
        Arc::new(Self {
            used: AtomicUsize::new(0),
            max,
            among: Some(Arc::clone(self)),
        })
    }

    fn count(&self, bytes: usize) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
        if let Some(all) = &self.among {
            all.count(bytes);
        }
    }

    fn uncount(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
        if let Some(all) = &self.among {
            all.uncount(bytes);
        }
    }

    /// Bytes in use.
    pub(super) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Whether this much more is there.
    pub(super) fn has(&self, bytes: usize) -> bool {
        let own = self.used().saturating_add(bytes) <= self.max;
        own && self.among.as_ref().is_none_or(|all| all.has(bytes))
    }

    /// Takes bytes if they are there.
    pub(crate) fn lend(self: &Arc<Self>, bytes: usize) -> Option<Loan> {
        let mut loan = self.take(0);
        loan.more(bytes).then_some(loan)
    }

    /// Takes bytes whether they are there or not.
    fn take(self: &Arc<Self>, bytes: usize) -> Loan {
        self.count(bytes);
        let budget = Arc::clone(self);
        Loan { budget, bytes }
    }

    /// Counts `data` as long as any part of it is held by anybody, such as a
    /// connection whose other end does not read.
    pub(super) fn hold(self: &Arc<Self>, data: Vec<u8>) -> Bytes {
        let loan = self.take(data.len());
        Bytes::from_owner(Held { data, _loan: loan })
    }
}

/// Bytes of a budget that are in use, until it is dropped.
#[derive(Debug)]
pub(crate) struct Loan {
    budget: Arc<Budget>,
    bytes: usize,
}

impl Loan {
    /// Takes more; false if they are not there.
    pub(crate) fn more(&mut self, bytes: usize) -> bool {
        let fits = self.budget.has(bytes);
        if fits {
            self.budget.count(bytes);
            self.bytes += bytes;
        }
        fits
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        self.budget.uncount(self.bytes);
    }
}

/// Bytes, and that they are in use.
struct Held {
    data: Vec<u8>,
    _loan: Loan,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.data
    }
}
