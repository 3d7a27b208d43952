//! Starting: well, unless the variable `START` says otherwise.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::AllInterfaces;
use crate::bindings::exports::palisade::mcp::lifecycle::Guest;

/// How often this instance was started.
static STARTS: AtomicU32 = AtomicU32::new(0);

/// What it was told last.
static CONFIG: Mutex<String> = Mutex::new(String::new());

/// How often this instance was started, and with which configuration.
pub(crate) fn told() -> (u32, String) {
    let config = CONFIG.lock().unwrap_or_else(PoisonError::into_inner);
    (STARTS.load(Ordering::Relaxed), config.clone())
}

impl Guest for AllInterfaces {
    #[allow(
        clippy::panic,
        clippy::disallowed_methods,
        reason = "to crash and to take too long are cases; a guest has one thread"
    )]
    fn start(config: String) -> Result<(), String> {
        STARTS.fetch_add(1, Ordering::Relaxed);
        match std::env::var("START").as_deref() {
            Ok("refuse") => return Err("the key \"server\" is missing".into()),
            Ok("refuse-at-length") => return Err("x".repeat(1 << 20)),
            Ok("trap") => panic!("no start today"),
            Ok("loop") => loop {
                std::hint::black_box(&config);
            },
            Ok("sleep") => std::thread::sleep(Duration::from_hours(1)),
            _ => {}
        }
        *CONFIG.lock().unwrap_or_else(PoisonError::into_inner) = config;
        Ok(())
    }
}
