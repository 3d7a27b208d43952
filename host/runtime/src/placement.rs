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

/// How many threads have something to do at a time on this machine. Found out
/// once, which means reading files: a process that gives up access to files
/// asks before that.
#[allow(clippy::must_use_candidate, reason = "asked early, its answer is kept")]
pub fn threads_for_calls() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| std::thread::available_parallelism().map_or(1, NonZero::get))
}

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
        // The thread that reads requests is one as well.
        let threads = (threads_for_calls() - 1).max(1);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .thread_name("palisade-call")
            .worker_threads(threads)
            .enable_all()
            .build()
            .map_err(|error| CallError::Host(Box::new(EngineError::Pool(error))))?;
        if let Err((spare, _)) = self.runtime.set((runtime, threads)) {
            // Another thread was quicker. Waiting for the end of its threads,
            // as a drop does, is not for an async thread.
            spare.shutdown_background();
        }
        match self.runtime.get() {
            Some((runtime, _)) => Ok(runtime),
            None => Err(CallError::Host("the pool is gone".into())),
        }
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
