//! Where a call runs.
//!
//! Waking another thread costs more than a short call takes. So a call that is
//! alone starts right on the thread that read the request, and moves to the
//! pool only if it does not finish in one go; calls that overlap go to the
//! pool at once.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::OnceLock;
use std::task::Poll;

use tokio::runtime::Runtime;
use tokio_util::task::AbortOnDropHandle;

use crate::error::{CallError, EngineError};

/// Where a call starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// On the calling thread, until it first has to wait.
    Here,
    /// On the pool.
    Pool,
}

/// Threads for calls that overlap, started when the first one does.
#[derive(Debug, Default)]
pub struct Pool {
    runtime: OnceLock<Runtime>,
}

impl Pool {
    /// A pool that has not started any thread.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
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
        if placement == Placement::Here {
            let first = poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx))).await;
            if let Poll::Ready(done) = first {
                return done;
            }
        }
        let handle = AbortOnDropHandle::new(self.runtime()?.spawn(call));
        pin!(handle)
            .await
            .map_err(|error| CallError::Host(Box::new(error)))?
    }

    fn runtime(&self) -> Result<&Runtime, CallError> {
        if let Some(runtime) = self.runtime.get() {
            return Ok(runtime);
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .thread_name("palisade-call")
            .enable_all()
            .build()
            .map_err(|error| CallError::Host(Box::new(EngineError::Pool(error))))?;
        Ok(self.runtime.get_or_init(|| runtime))
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Calls still running belong to sessions that are gone.
            runtime.shutdown_background();
        }
    }
}
