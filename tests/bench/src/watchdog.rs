//! Ends a server (or npm) that takes too long, so that a blocked read ends too.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// How late a process may be ended. Looking is rare, to disturb no measurement.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Watches one process at a time, and the time the whole run may take.
#[derive(Debug)]
pub(crate) struct Watchdog {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    limit: Duration,
    end: Instant,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    over: Condvar,
}

#[derive(Debug, Default)]
struct State {
    watched: Option<(OwnedFd, Instant)>,
    ended: bool,
    over: bool,
}

/// Holds a process under watch until dropped.
#[derive(Debug)]
pub(crate) struct Watch {
    shared: Arc<Shared>,
}

impl Watchdog {
    /// Starts the watch; from now on, all that is measured may take `limit`.
    pub(crate) fn start(limit: Duration) -> Self {
        let shared = Arc::new(Shared::default());
        let thread = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || shared.run()
        });
        Self {
            shared,
            thread: Some(thread),
            limit,
            end: Instant::now() + limit,
        }
    }

    /// Ends the process with this id once `limit`, or what is left of the whole
    /// run's time, is over. The process must be an unreaped child.
    pub(crate) fn watch(&self, id: u32, limit: Duration) -> anyhow::Result<Watch> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            bail!(
                "the measurement took more than {} s: allow more with --time-limit, or measure fewer --rounds",
                self.limit.as_secs()
            );
        }
        let pid = i32::try_from(id)
            .ok()
            .and_then(Pid::from_raw)
            .context("not a process id")?;
        let handle = pidfd_open(pid, PidfdFlags::empty())
            .context("the process can't be watched (Linux 5.3 or newer is needed)")?;
        let mut state = self.shared.lock();
        state.watched = Some((handle, Instant::now() + limit.min(left)));
        state.ended = false;
        drop(state);
        Ok(Watch {
            shared: Arc::clone(&self.shared),
        })
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.lock().over = true;
        self.shared.over.notify_one();
        if let Some(thread) = self.thread.take() {
            // It has nothing to report.
            let _ = thread.join();
        }
    }
}

impl Watch {
    /// Whether the process was ended because its time was over.
    pub(crate) fn ended(&self) -> bool {
        self.shared.lock().ended
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.lock().watched = None;
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // Nothing is half done in the state at any time.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut state = self.lock();
        while !state.over {
            if let Some((process, _)) = state.watched.take_if(|(_, end)| *end <= Instant::now()) {
                // It may have ended by itself just now.
                let _ = pidfd_send_signal(&process, Signal::KILL);
                state.ended = true;
            }
            state = match self.over.wait_timeout(state, LOOK_EVERY) {
                Ok((state, _)) => state,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failing test may panic")]

    use std::os::unix::process::ExitStatusExt as _;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_that_never_ends_is_ended() {
        let watchdog = Watchdog::start(Duration::from_secs(60));
        // Without input, `cat` waits for ever on a pipe that stays open.
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take();
        let watch = watchdog.watch(child.id(), Duration::ZERO).unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(9));
        assert!(watch.ended());
        drop(input);
    }

    #[test]
    fn nothing_is_started_once_the_whole_time_is_over() {
        let watchdog = Watchdog::start(Duration::ZERO);
        let error = watchdog.watch(1, Duration::from_secs(9)).unwrap_err();
        assert!(error.to_string().contains("--time-limit"), "{error}");
    }
}
