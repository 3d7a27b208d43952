//! Bytes on their way to the disk, which is written by a thread for blocking work.

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::error::FetchError;
use crate::digest::Digest;
use crate::error::StoreError;
use crate::store::Store;
use crate::temp::TempBlob;

/// Pieces that wait for the disk.
const WAITING: usize = 16;

/// Takes pieces, and hashes and writes them.
pub(crate) struct Sink {
    pieces: mpsc::Sender<Bytes>,
    writing: JoinHandle<Result<TempBlob, StoreError>>,
}

impl Sink {
    pub(crate) fn new(store: &Store) -> Self {
        let (pieces, mut coming) = mpsc::channel::<Bytes>(WAITING);
        let store = store.clone();
        let writing = tokio::task::spawn_blocking(move || {
            let mut blob = store.temporary()?;
            while let Some(piece) = coming.blocking_recv() {
                blob.write(&piece)?;
            }
            Ok(blob)
        });
        Self { pieces, writing }
    }

    pub(crate) async fn write(&mut self, piece: Bytes) -> Result<(), FetchError> {
        if self.pieces.send(piece).await.is_ok() {
            return Ok(());
        }
        // It has ended, so there is a reason.
        match (&mut self.writing).await {
            Ok(Err(error)) => Err(error.into()),
            Ok(Ok(_)) | Err(_) => Err(FetchError::Broken),
        }
    }

    pub(crate) async fn finish(self) -> Result<(TempBlob, Digest), FetchError> {
        drop(self.pieces);
        let mut blob = self.writing.await.map_err(|_| FetchError::Broken)??;
        let digest = blob.finish();
        Ok((blob, digest))
    }
}
