//! A client's roots, which narrow what plugins may use.
//!
//! A client of the handshake revisions is asked once a session, and again when
//! it says that they have changed; a stateless one by an input request before
//! the first run of a call. Calls that begin later wait for the answer, those
//! that run keep what they have. Without an answer there are no directories.

mod admit;
mod asked;
mod said;
mod session;

pub(super) use admit::{Admitted, admit, unasked};
pub(super) use asked::{Asked, KEY};
pub(super) use said::Said;
pub(in crate::adapter) use session::SessionRoots;

use rmcp::ErrorData;

/// What a request ends with whose sender does not want it any more.
fn cancelled() -> ErrorData {
    ErrorData::internal_error("cancelled", None)
}
