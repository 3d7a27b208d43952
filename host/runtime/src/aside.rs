//! Work in proportion to what a guest handed over, which may be a lot.
//!
//! Nothing stops such work once it has begun, and it never waits: on a thread
//! that serves, everybody would wait for it. So it has a thread to itself, and
//! the system sees to it that others get their share.

use std::panic::resume_unwind;

/// From how much on, in bytes, work is done aside. To wake a thread takes less
/// than a hundredth of the time that this much does.
pub const LARGE: usize = 512 * 1024;

/// Does something large on a thread of its own. Dropping the returned future
/// does not stop it; what it comes to is thrown away.
///
/// # Panics
///
/// If `work` does.
pub async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            // The process ends, and this future with it.
            Err(_) => std::future::pending().await,
        },
    }
}
