//! Answers before the answer (1xx), of which HTTP has no limit and the library
//! neither: an endless run of them keeps a thread busy, and is never an answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hyper::Request;
use tokio::sync::Notify;

/// Interim answers one request may get. Servers send one or two.
pub(crate) const MOST: usize = 16;

/// Counts the interim answers to one request.
#[derive(Clone, Default)]
pub(crate) struct Interim(Arc<Inner>);

#[derive(Default)]
struct Inner {
    seen: AtomicUsize,
    over: Notify,
}

impl Interim {
    /// Counts those to this request from now on.
    pub(crate) fn of<B>(request: &mut Request<B>) -> Self {
        let counted = Self::default();
        let counts = counted.clone();
        hyper::ext::on_informational(request, move |_| {
            if counts.0.seen.fetch_add(1, Ordering::Relaxed) == MOST {
                counts.0.over.notify_one();
            }
        });
        counted
    }

    /// Returns when there were too many.
    pub(crate) async fn too_many(&self) {
        self.0.over.notified().await;
    }
}
