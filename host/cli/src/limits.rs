//! What the system lets this process have.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::process::{Resource, getrlimit};

use crate::failure::Failure;

/// Fewest files that must be open at once: streams, plugins and their compiled
/// code, the wake-ups of threads.
const FEWEST_FILES: u64 = 64;

/// Least stack that the first thread must have, in bytes.
const LEAST_STACK: u64 = 512 * 1024;

/// A file that grows over a limit of the system (`ulimit -f`) is an error of
/// whoever writes it, and not the end of this process.
fn survive_large_files() -> Result<(), Failure> {
    // What has a handler does not end the process.
    let seen = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, seen)
        .map(drop)
        .map_err(|error| Failure::because("the system refused what this process needs", &error))
}

/// Asks for as much as there is to have, and refuses to start with too little:
/// some of what needs it has no better way to fail than to crash.
pub(crate) fn check() -> Result<(), Failure> {
    survive_large_files()?;
    let files = palisade_runtime::open_files();
    if files < FEWEST_FILES {
        let message = format!(
            "this process may have only {files} files open at once, and needs {FEWEST_FILES}"
        );
        return Err(Failure::new(message).remedy("allow more, in a shell with `ulimit -n 1024`"));
    }
    let stack = getrlimit(Resource::Stack).current.unwrap_or(u64::MAX);
    if stack < LEAST_STACK {
        let message = format!(
            "this process may have a stack of {} KiB, and needs {}",
            stack / 1024,
            LEAST_STACK / 1024
        );
        return Err(Failure::new(message).remedy("allow more, in a shell with `ulimit -s 8192`"));
    }
    Ok(())
}
