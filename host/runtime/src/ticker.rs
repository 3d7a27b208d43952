//! The heartbeat that lets a running guest be stopped.
//!
//! Epoch interruption needs somebody to count. A thread does so only while
//! calls run: an idle host makes no wake-ups.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Ticks without a running call before the thread goes to sleep. Waking it
/// costs a call more than the ticks cost an idle process.
const IDLE_TICKS: u32 = 40;

struct Shared {
    running: AtomicUsize,
    /// Nobody counts: the thread sleeps, or there is none yet.
    asleep: AtomicBool,
    stop: AtomicBool,
}

/// Counts epochs of one engine while at least one [`Running`] exists. The
/// thread is started by the first one: behind the second wall, if a process
/// has one.
pub(crate) struct Ticker {
    engine: wasmtime::Engine,
    tick: Duration,
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// Held for as long as a guest may run.
pub(crate) struct Running(Arc<Shared>);

impl Ticker {
    pub(crate) fn new(engine: wasmtime::Engine, tick: Duration) -> Self {
        let shared = Arc::new(Shared {
            running: AtomicUsize::new(0),
            asleep: AtomicBool::new(true),
            stop: AtomicBool::new(false),
        });
        Self {
            engine,
            tick,
            shared,
            thread: Mutex::new(None),
        }
    }

    /// Makes sure epochs are counted until the returned value is dropped.
    pub(crate) fn run(&self) -> std::io::Result<Running> {
        self.shared.running.fetch_add(1, Ordering::SeqCst);
        let running = Running(Arc::clone(&self.shared));
        if self.shared.asleep.swap(false, Ordering::SeqCst) {
            self.wake().inspect_err(|_| {
                // Somebody else may have more luck.
                self.shared.asleep.store(true, Ordering::SeqCst);
            })?;
        }
        Ok(running)
    }

    fn wake(&self) -> std::io::Result<()> {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = &*thread {
            thread.thread().unpark();
            return Ok(());
        }
        let started = std::thread::Builder::new()
            .name("palisade-ticker".into())
            .spawn({
                let (engine, shared) = (self.engine.clone(), Arc::clone(&self.shared));
                let tick = self.tick;
                move || count(&engine, &shared, tick)
            })?;
        *thread = Some(started);
        Ok(())
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        let thread = self
            .thread
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = thread.take() {
            thread.thread().unpark();
            // The thread ends within a tick; it can't have panicked.
            let _ = thread.join();
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
