//! Where a call runs.
//!
//! Waking another thread costs more than a short call takes. So a call that is
//! alone starts right on the thread that read the request, and moves to the
//! pool only if it does not finish in one go. Calls that overlap go to the
//! pool as long as it has little to do, and are run by the reading thread
//! beyond that: it would only wait for them.

use std::future::poll_fn;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::Poll;

use tokio::runtime::Runtime;
use tokio_util::task::AbortOnDropHandle;

use crate::error::{CallError, EngineError};

/// Where a call starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// On the calling thread, until it first has to wait.
    Here,
    /// Wherever it is done soonest, beside others.
    Shared,
}

/// Threads for calls that overlap, started when the first one does.
#[derive(Debug)]
pub struct Pool {
    /// With the number of its threads.
    runtime: OnceLock<(Runtime, usize)>,
    /// Calls that the pool has been given and has not ended.
    given: Arc<AtomicUsize>,
}

/// Calls a thread of the pool may have waiting before the reading thread helps.
/// That thread also reads, checks and writes for every call, which is about as
/// much work as half of the calls' own: fewer leave the pool idle, more leave
/// the reading thread idle (measured with 16 calls in flight).
const QUEUED: usize = 8;

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

impl Pool {
    /// A pool that has not started any thread.
    #[must_use]
    pub fn new() -> Self {
        Self {
            runtime: OnceLock::new(),
            given: Arc::default(),
        }
    }

    /// Runs a call to its end. Dropping the returned future stops the call.
    ///
    /// # Errors
    ///
    /// Those of the call; [`CallError::Host`] if it panicked or no thread can
    /// be started.
    pub async fn run<F, T>(&self, placement: Placement, call: F) -> Result<T, CallError>
    where
        F: Future<Output = Result<T, CallError>> + Send + 'static,
        T: Send + 'static,
    {
        let mut call = Box::pin(call);
        let room = self.runtime.get().map_or(1, |(_, threads)| *threads) * QUEUED;
        let busy = self.given.load(Ordering::Relaxed) > room;
        if placement == Placement::Here || busy {
            let first = poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx))).await;
            if let Poll::Ready(done) = first {
                return done;
            }
        }
        let given = Given::new(&self.given);
        let handle = self.runtime()?.spawn(async move {
            let done = call.await;
            drop(given);
            done
        });
        AbortOnDropHandle::new(handle)
            .await
            .map_err(|error| CallError::Host(Box::new(error)))?
    }

    fn runtime(&self) -> Result<&Runtime, CallError> {
        if let Some((runtime, _)) = self.runtime.get() {
            return Ok(runtime);
        }
        // Finding this out means reading files: not before it is needed.
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        // The thread that reads requests is one as well.
        let threads = (cores - 1).max(1);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .thread_name("palisade-call")
            .worker_threads(threads)
            .enable_all()
            .build()
            .map_err(|error| CallError::Host(Box::new(EngineError::Pool(error))))?;
        if let Err((late, _)) = self.runtime.set((runtime, threads)) {
            // Another call was first. To drop a runtime is to wait for it,
            // which panics on a thread of another runtime, and the call with it.
            late.shutdown_background();
        }
        let there = self.runtime.get().map(|(runtime, _)| runtime);
        there.ok_or_else(|| CallError::Host("the pool has no threads".into()))
    }
}

/// Counts a call for as long as the pool has it.
struct Given(Arc<AtomicUsize>);

impl Given {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for Given {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if let Some((runtime, _)) = self.runtime.take() {
            // Calls still running belong to sessions that are gone.
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::sync::Arc;

    use super::{Placement, Pool};

    /// Each of them may be the one that starts the threads.
    #[test]
    fn first_calls_that_come_at_once_all_end() {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(4)
            .build()
            .unwrap();
        runtime.block_on(async {
            for _ in 0..50 {
                let pool = Arc::new(Pool::new());
                let call = || {
                    let pool = Arc::clone(&pool);
                    tokio::spawn(async move { pool.run(Placement::Shared, async { Ok(()) }).await })
                };
                let calls: Vec<_> = (0..8).map(|_| call()).collect();
                for call in calls {
                    call.await.unwrap().unwrap();
                }
            }
        });
    }
}
