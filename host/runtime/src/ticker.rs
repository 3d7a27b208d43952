//! The heartbeat that lets a running guest be stopped.
//!
//! Epoch interruption needs somebody to count. A thread does so only while
//! calls run: an idle host makes no wake-ups.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{JoinHandle, Thread};
use std::time::Duration;

/// Ticks without a running call before the thread goes to sleep. Waking it
/// costs a call more than the ticks cost an idle process.
const IDLE_TICKS: u32 = 40;

struct Shared {
    running: AtomicUsize,
    asleep: AtomicBool,
    stop: AtomicBool,
}

/// Counts epochs of one engine while at least one [`Running`] exists.
pub(crate) struct Ticker {
    shared: Arc<Shared>,
    thread: Thread,
    handle: Option<JoinHandle<()>>,
}

/// Held for as long as a guest may run.
pub(crate) struct Running(Arc<Shared>);

impl Ticker {
    pub(crate) fn start(engine: wasmtime::Engine, tick: Duration) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            running: AtomicUsize::new(0),
            asleep: AtomicBool::new(false),
            stop: AtomicBool::new(false),
        });
        let handle = std::thread::Builder::new()
            .name("palisade-ticker".into())
            .spawn({
                let shared = Arc::clone(&shared);
                move || count(&engine, &shared, tick)
            })?;
        Ok(Self {
            shared,
            thread: handle.thread().clone(),
            handle: Some(handle),
        })
    }

    /// Makes sure epochs are counted until the returned value is dropped.
    pub(crate) fn run(&self) -> Running {
        self.shared.running.fetch_add(1, Ordering::SeqCst);
        if self.shared.asleep.swap(false, Ordering::SeqCst) {
            self.thread.unpark();
        }
        Running(Arc::clone(&self.shared))
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        self.thread.unpark();
        if let Some(handle) = self.handle.take() {
            // The thread ends within a tick; it can't have panicked.
            let _ = handle.join();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

fn count(engine: &wasmtime::Engine, shared: &Shared, tick: Duration) {
    let mut idle = 0;
    while !shared.stop.load(Ordering::SeqCst) {
        if shared.running.load(Ordering::SeqCst) > 0 {
            idle = 0;
        } else {
            idle += 1;
        }
        if idle < IDLE_TICKS {
            std::thread::park_timeout(tick);
            engine.increment_epoch();
            continue;
        }
        // Sleep only if no call began meanwhile: `run` raises the count before
        // it looks at the flag, this looks at the count after it set the flag.
        shared.asleep.store(true, Ordering::SeqCst);
        while shared.asleep.load(Ordering::SeqCst) && !shared.stop.load(Ordering::SeqCst) {
            if shared.running.load(Ordering::SeqCst) > 0 {
                shared.asleep.store(false, Ordering::SeqCst);
                break;
            }
            std::thread::park();
        }
        idle = 0;
    }
}
