//! Wall clock and CPU budget of one call.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use crate::error::Limit;

/// CPU time a guest has at a stretch before others get their turn.
const SLICE: Duration = Duration::from_millis(1);

/// What one call has used and may use. Shared between the guest's store, in
/// which epoch ticks look at it, and the future that polls the guest.
pub(crate) struct CallClock {
    started: Instant,
    call_time: Duration,
    cpu_time: Duration,
    /// CPU nanoseconds of the polls that are over.
    used: AtomicU64,
    /// The thread's CPU clock when the current poll began.
    poll_began: AtomicU64,
}

impl CallClock {
    pub(crate) fn new(call_time: Duration, cpu_time: Duration) -> Arc<Self> {
        Arc::new(Self {
            started: Instant::now(),
            call_time,
            cpu_time,
            used: AtomicU64::new(0),
            poll_began: AtomicU64::new(0),
        })
    }

    /// When the wall clock runs out.
    pub(crate) fn deadline(&self) -> Instant {
        self.started + self.call_time
    }

    /// The limit of the wall clock.
    pub(crate) fn call_time(&self) -> Duration {
        self.call_time
    }

    /// What is to become of the guest. Called from within a poll.
    pub(crate) fn verdict(&self) -> Verdict {
        let began = self.poll_began.load(Ordering::Relaxed);
        let this_poll = thread_cpu_nanos().saturating_sub(began);
        let used = self.used.load(Ordering::Relaxed) + this_poll;
        if Duration::from_nanos(used) > self.cpu_time {
            return Verdict::Over(Limit::CpuTime(self.cpu_time));
        }
        if self.started.elapsed() > self.call_time {
            return Verdict::Over(Limit::CallTime(self.call_time));
        }
        if Duration::from_nanos(this_poll) < SLICE {
            return Verdict::GoOn;
        }
        Verdict::Pause
    }
}

/// What a tick means for the guest it finds running.
pub(crate) enum Verdict {
    /// It has gone over a limit.
    Over(Limit),
    /// It has had its turn; others may go on.
    Pause,
    /// It has only just begun: most calls are over before it costs anybody
    /// anything.
    GoOn,
}

/// Charges the CPU time of every poll of `future` to `clock`, and ends it with
/// the limit that it goes over while it waits: what the host does meanwhile is
/// done for it, too.
pub(crate) struct Metered<F> {
    pub(crate) clock: Arc<CallClock>,
    pub(crate) future: Pin<Box<F>>,
}

impl<F: Future> Future for Metered<F> {
    type Output = Result<F::Output, Limit>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let began = thread_cpu_nanos();
        self.clock.poll_began.store(began, Ordering::Relaxed);
        if let Poll::Ready(done) = self.future.as_mut().poll(cx) {
            return Poll::Ready(Ok(done));
        }
        let spent = thread_cpu_nanos().saturating_sub(began);
        let used = self.clock.used.fetch_add(spent, Ordering::Relaxed) + spent;
        if Duration::from_nanos(used) > self.clock.cpu_time {
            return Poll::Ready(Err(Limit::CpuTime(self.clock.cpu_time)));
        }
        Poll::Pending
    }
}

/// CPU time of the calling thread, so that a guest is not charged for the
/// time in which the machine ran something else.
#[cfg(unix)]
fn thread_cpu_nanos() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    seconds * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap_or(0)
}

/// Elsewhere the wall clock of the poll stands in: it charges too much rather
/// than too little.
#[cfg(not(unix))]
fn thread_cpu_nanos() -> u64 {
    static ORIGIN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    u64::try_from(ORIGIN.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}
