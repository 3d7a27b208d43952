//! Standard output and error of a guest.
//!
//! Neither may ever reach the host's standard output, where only MCP belongs.
//! Both become lines of the host's own log, marked with the plugin's name,
//! with control characters taken out and cut off after a fixed amount.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use palisade_policy::Shown;
use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

/// Longest line that is logged at once, in bytes.
const LINE_BYTES: usize = 4 * 1024;

/// Lines that are logged of one call: short ones are mostly what is put around
/// them.
const LINES: u32 = 1_000;

/// Bytes a guest may write in one go.
const WRITE_BYTES: usize = 64 * 1024;

/// Where a guest's output goes. Clones share one allowance.
#[derive(Clone)]
pub(crate) struct Console(Arc<Mutex<Lines>>);

struct Lines {
    plugin: Arc<str>,
    line: Vec<u8>,
    /// Bytes it may still print.
    left: usize,
    /// Lines it may still print.
    lines: u32,
}

impl Console {
    /// `allowance` is in bytes, for both streams together.
    pub(crate) fn new(plugin: Arc<str>, allowance: u64) -> Self {
        Self(Arc::new(Mutex::new(Lines {
            plugin,
            line: Vec::new(),
            left: usize::try_from(allowance).unwrap_or(usize::MAX),
            lines: LINES,
        })))
    }

    fn print(&self, bytes: &[u8]) {
        // A poisoned lock means a panic while logging; the text is still whole.
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .print(bytes);
    }
}

impl Lines {
    fn print(&mut self, bytes: &[u8]) {
        if self.left == 0 {
            return;
        }
        let taken = &bytes[..bytes.len().min(self.left)];
        self.left -= taken.len();
        for piece in taken.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") || self.line.len() >= LINE_BYTES {
                self.end_line();
            }
            if self.lines == 0 {
                self.left = 0;
                break;
            }
        }
        if self.left == 0 {
            self.end_line();
            tracing::warn!(
                target: "palisade::plugin",
                plugin = &*self.plugin,
                "further output of this call is dropped"
            );
        }
    }

    fn end_line(&mut self) {
        let line = clean(&self.line);
        self.line.clear();
        if !line.is_empty() && self.lines > 0 {
            self.lines -= 1;
            tracing::info!(target: "palisade::plugin", plugin = &*self.plugin, "{line}");
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.end_line();
    }
}

/// Text that can't do anything to a terminal.
fn clean(line: &[u8]) -> String {
    let line = String::from_utf8_lossy(line);
    Shown::OneLine
        .of(line.trim_end_matches(['\r', '\n']))
        .into_owned()
}

impl IsTerminal for Console {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Console {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for Console {
    async fn ready(&mut self) {}
}

impl OutputStream for Console {
    fn write(&mut self, bytes: bytes::Bytes) -> StreamResult<()> {
        self.print(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE_BYTES)
    }
}

impl AsyncWrite for Console {
    fn poll_write(
        self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        self.print(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn escape_sequences_do_not_reach_a_terminal() {
        assert_eq!(clean(b"\x1b[2Jhello\tyou\r\n"), "\u{fffd}[2Jhello\tyou");
        assert_eq!(clean(&[0xff, b'a']), "\u{fffd}a");
        assert_eq!(clean("\u{202e}txt".as_bytes()), "\u{fffd}txt");
    }
}
