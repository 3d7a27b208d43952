//! A child process that can be waited for with patience, and that does not
//! outlive its test.

use std::fs;
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::PollFlags;
use rustix::process::{Pid, PidfdFlags, pidfd_open, pidfd_send_signal};

use crate::PATIENCE;
use crate::streams::ready;

pub use rustix::process::Signal;

/// A running child. Dropping it kills it and waits for its end.
#[derive(Debug)]
pub struct Process {
    child: Child,
    handle: OwnedFd,
}

impl Process {
    pub(crate) fn new(child: Child) -> Self {
        let handle = pidfd_open(Pid::from_child(&child), PidfdFlags::empty());
        Self {
            handle: handle.expect("the system has pidfd (Linux 5.3)"),
            child,
        }
    }

    /// Its process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has ended.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        ready(self.handle.as_fd(), PollFlags::IN, Instant::now())
    }

    /// Waits for its end.
    ///
    /// # Panics
    ///
    /// If it does not end within [`PATIENCE`].
    #[track_caller]
    pub fn wait(&mut self) -> ExitStatus {
        let ended = ready(
            self.handle.as_fd(),
            PollFlags::IN,
            Instant::now() + PATIENCE,
        );
        assert!(ended, "the process did not end within {PATIENCE:?}");
        self.child.wait().expect("a child can be waited for")
    }

    /// Sends it a signal.
    ///
    /// # Panics
    ///
    /// If it has been waited for.
    pub fn signal(&self, signal: Signal) {
        pidfd_send_signal(&self.handle, signal).expect("a child can be sent a signal");
    }

    /// The most memory it ever had resident, in bytes (`VmHWM`).
    ///
    /// # Panics
    ///
    /// If it has ended.
    #[must_use]
    pub fn peak_memory(&self) -> u64 {
        self.bytes("VmHWM:")
    }

    /// The memory that it has resident, in bytes (`VmRSS`).
    ///
    /// # Panics
    ///
    /// If it has ended.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.bytes("VmRSS:")
    }

    fn bytes(&self, key: &str) -> u64 {
        let status = self.proc("status");
        let line = status.lines().find_map(|line| line.strip_prefix(key));
        let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        kibibytes.expect("the process lives, and Linux says what it uses") * 1024
    }

    /// The CPU time it has used, all threads together, in user and kernel
    /// mode; counted in ticks of mostly 10 ms.
    ///
    /// # Panics
    ///
    /// If it has been waited for.
    #[must_use]
    pub fn cpu_time(&self) -> Duration {
        let stat = self.proc("stat");
        // The name, in parentheses, may hold anything; utime and stime are the
        // 12th and 13th field after it.
        let (_, fields) = stat
            .rsplit_once(')')
            .expect("Linux writes stat in this form");
        let ticks: u64 = fields
            .split_whitespace()
            .skip(11)
            .take(2)
            .map(|field| field.parse::<u64>().expect("times are numbers"))
            .sum();
        Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second())
    }

    /// What Linux says of each of its threads (`/proc/PID/task/TID/status`).
    ///
    /// # Panics
    ///
    /// If it has been waited for.
    #[must_use]
    pub fn threads(&self) -> Vec<String> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.id())).expect("it is there");
        let status = |task: std::io::Result<fs::DirEntry>| {
            // One may end while it is looked at.
            fs::read_to_string(task.ok()?.path().join("status")).ok()
        };
        tasks.filter_map(status).collect()
    }

    fn proc(&self, file: &str) -> String {
        fs::read_to_string(format!("/proc/{}/{file}", self.id())).expect("the process is there")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
