//! Lines on their way out.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::wire::Output;

/// Bytes that may wait for a client that does not read before nothing more is
/// read of it.
const FULL: usize = 512 * 1024;

/// Collects lines and writes them in the order in which they came, as many in
/// one go as are there. Clones share one stream.
#[derive(Clone)]
pub(crate) struct Outbox(Arc<Shared>);

struct Shared {
    pending: Mutex<Vec<u8>>,
    unwritten: AtomicUsize,
    written: Notify,
    broken: CancellationToken,
    stream: tokio::sync::Mutex<Output>,
}

impl Outbox {
    pub(crate) fn new(stream: Output) -> Self {
        Self(Arc::new(Shared {
            pending: Mutex::default(),
            unwritten: AtomicUsize::new(0),
            written: Notify::new(),
            broken: CancellationToken::new(),
            stream: tokio::sync::Mutex::new(stream),
        }))
    }

    /// Adds a message as one line, to be written by the next [`Self::flush`].
    ///
    /// # Errors
    ///
    /// If the message can't be written as JSON; nothing is added then.
    pub(crate) fn push(&self, message: &impl Serialize) -> serde_json::Result<()> {
        let mut pending = self.pending();
        let before = pending.len();
        if let Err(error) = serde_json::to_writer(&mut *pending, message) {
            pending.truncate(before);
            return Err(error);
        }
        pending.push(b'\n');
        let added = pending.len() - before;
        self.0.unwritten.fetch_add(added, Ordering::Relaxed);
        Ok(())
    }

    /// As [`Self::push`], of a message that is already written as JSON.
    pub(crate) fn push_written(&self, json: &[u8]) {
        let mut pending = self.pending();
        pending.extend_from_slice(json);
        pending.push(b'\n');
        self.0
            .unwritten
            .fetch_add(json.len() + 1, Ordering::Relaxed);
    }

    /// So many bytes are on their way: they wait for the client like what has
    /// been pushed, until the returned guard is dropped.
    pub(crate) fn expect(&self, bytes: usize) -> Expected {
        self.0.unwritten.fetch_add(bytes, Ordering::Relaxed);
        Expected(self.clone(), bytes)
    }

    fn pending(&self) -> MutexGuard<'_, Vec<u8>> {
        // Nothing can panic while the lock is held but the serialiser, and
        // what that left is cut off.
        self.0
            .pending
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns when everything pushed before has been written.
    ///
    /// # Errors
    ///
    /// Those of the stream.
    pub(crate) async fn flush(&self) -> std::io::Result<()> {
        let mut stream = self.0.stream.lock().await;
        let lines = std::mem::take(&mut *self.pending());
        if lines.is_empty() {
            return Ok(());
        }
        let written = async {
            stream.write_all(&lines).await?;
            stream.flush().await
        };
        if let Err(error) = written.await {
            self.0.broken.cancel();
            return Err(error);
        }
        self.less(lines.len());
        Ok(())
    }

    fn less(&self, bytes: usize) {
        self.0.unwritten.fetch_sub(bytes, Ordering::Relaxed);
        self.0.written.notify_waiters();
    }

    /// Returns when the stream can't be written any more.
    pub(crate) async fn broken(&self) {
        self.0.broken.cancelled().await;
    }

    /// Returns when the client has read enough of what waits for it.
    pub(crate) async fn room(&self) {
        loop {
            let written = self.0.written.notified();
            if self.0.unwritten.load(Ordering::Relaxed) <= FULL {
                return;
            }
            written.await;
        }
    }
}

/// Counts what is on its way to an [`Outbox`].
pub(crate) struct Expected(Outbox, usize);

impl Drop for Expected {
    fn drop(&mut self) {
        self.0.less(self.1);
    }
}
