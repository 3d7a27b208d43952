//! What the system lets this process have.

use crate::failure::Failure;

/// Fewest files that must be open at once: streams, plugins and their compiled
/// code, the wake-ups of threads.
const FEWEST_FILES: u64 = 64;

/// Asks for as much as there is to have, and refuses to start with too little:
/// some of what needs it has no better way to fail than to crash.
pub(crate) fn check() -> Result<(), Failure> {
    let files = palisade_runtime::open_files();
    if files >= FEWEST_FILES {
        return Ok(());
    }
    let message =
        format!("this process may have only {files} files open at once, and needs {FEWEST_FILES}");
    Err(Failure::new(message).remedy("allow more, in a shell with `ulimit -n 1024`"))
}
