//! The log, on standard error.

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

/// Lines that wait for somebody to read standard error; more are lost.
const LINES: usize = 4096;

/// Variable that says what is logged, in the syntax of `tracing`.
const FILTER: &str = "PALISADE_LOG";

/// Warnings of our own, and what plugins print. rmcp warns of every mistake a
/// client makes, which the client has been told.
const DEFAULT: &str = "warn,rmcp=error,palisade::plugin=info";

/// Starts logging. Lines are written by a thread of their own: a client that
/// does not read our standard error must not stop a session. Dropping the
/// guard writes out what is left.
pub(crate) fn start() -> WorkerGuard {
    let (writer, guard) = NonBlockingBuilder::default()
        .buffered_lines_limit(LINES)
        .finish(std::io::stderr());
    let filter = EnvFilter::try_from_env(FILTER).unwrap_or_else(|_| EnvFilter::new(DEFAULT));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(writer)
        .with_ansi(false)
        .without_time()
        .compact()
        .init();
    guard
}
