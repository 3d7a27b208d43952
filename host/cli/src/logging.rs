//! The log, on standard error.

use std::io::{Stderr, Write};
use std::sync::OnceLock;

use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

/// Lines that wait for somebody to read standard error; more are lost.
const LINES: usize = 4096;

/// Variable that says what is logged, in the syntax of `tracing`.
pub(crate) const FILTER: &str = "PALISADE_LOG";

/// Warnings of our own, and what plugins print. rmcp warns of every mistake a
/// client makes, which the client has been told.
const DEFAULT: &str = "warn,rmcp=error,palisade::plugin=info";

/// Who writes lines, once they are written by a thread of their own.
static BACKGROUND: OnceLock<NonBlocking> = OnceLock::new();

/// Starts logging.
pub(crate) fn start() {
    let filter = EnvFilter::try_from_env(FILTER).unwrap_or_else(|_| EnvFilter::new(DEFAULT));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(Lines)
        .with_ansi(false)
        .without_time()
        .compact()
        .init();
}

/// From now on lines are written by a thread of their own: a client that does
/// not read our standard error must not stop a session. That thread is started
/// behind the second wall, so not before. Dropping the guard writes out what is
/// left; what is logged after that is lost.
pub(crate) fn in_background() -> WorkerGuard {
    let (writer, guard) = NonBlockingBuilder::default()
        .buffered_lines_limit(LINES)
        .finish(std::io::stderr());
    // There is one session a process.
    let _ = BACKGROUND.set(writer);
    guard
}

/// Makes a writer for each line.
struct Lines;

/// Writes one line.
enum Line {
    Now(Stderr),
    Later(NonBlocking),
}

impl MakeWriter<'_> for Lines {
    type Writer = Line;

    fn make_writer(&self) -> Line {
        match BACKGROUND.get() {
            Some(background) => Line::Later(background.clone()),
            None => Line::Now(std::io::stderr()),
        }
    }
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Now(stderr) => stderr.write(bytes),
            Self::Later(background) => background.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Now(stderr) => stderr.flush(),
            Self::Later(background) => background.flush(),
        }
    }
}
