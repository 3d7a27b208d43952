//! Where a test may end the process: before every step by which the store changes
//! what is on the disk. Not in a release.
//!
//! `PALISADE_FAULT_AT=N` kills it before the Nth step, as `kill -9` would;
//! `PALISADE_FAULT_COUNT=FILE` has the number of steps so far written to a file.

/// A step is about to be taken.
#[cfg(debug_assertions)]
pub(crate) fn step() {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    use rustix::process::{Signal, getpid, kill_process};

    static WANTED: OnceLock<(Option<u64>, Option<std::ffi::OsString>)> = OnceLock::new();
    static STEPS: AtomicU64 = AtomicU64::new(0);
    let (at, count) = WANTED.get_or_init(|| {
        let at = std::env::var("PALISADE_FAULT_AT").ok();
        (
            at.and_then(|at| at.parse().ok()),
            std::env::var_os("PALISADE_FAULT_COUNT"),
        )
    });
    if at.is_none() && count.is_none() {
        return;
    }
    let step = STEPS.fetch_add(1, Ordering::SeqCst) + 1;
    if let Some(file) = count {
        // A test that finds no number fails by that.
        let _ = std::fs::write(file, step.to_string());
    }
    if *at == Some(step) {
        let _ = kill_process(getpid(), Signal::KILL);
    }
}

/// A step is about to be taken.
#[cfg(not(debug_assertions))]
pub(crate) fn step() {}
