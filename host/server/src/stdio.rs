//! MCP over standard input and output.

use tokio_util::sync::CancellationToken;

use crate::adapter;
use crate::service::Service;
use crate::wire::{open_input, open_output};

/// A session that could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Standard input or output can't be used.
    #[error("standard input and output can't be used for MCP")]
    Streams(#[source] std::io::Error),
    /// The system has no random numbers.
    #[error("the system has no random numbers, which sealing what clients keep needs")]
    Random(#[source] getrandom::Error),
    /// The session's own task failed.
    #[error("the session ended unexpectedly; this is a bug in Palisade")]
    Session(#[source] tokio::task::JoinError),
}

/// Serves one client until it closes the stream or `stop` is cancelled.
///
/// Call it on a current-thread runtime: a call that does not overlap with
/// another is then served without waking a second thread.
///
/// # Errors
///
/// [`ServeError`].
pub async fn serve_stdio(service: Service, stop: CancellationToken) -> Result<(), ServeError> {
    let input = open_input().map_err(ServeError::Streams)?;
    let output = open_output().map_err(ServeError::Streams)?;
    adapter::serve(service, input, output, stop).await
}
