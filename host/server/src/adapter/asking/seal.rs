//! The round so far, in the hands of a client that must not change it.

use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{RequestStateCodec, SealOptions};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::round::Round;

/// How long a client may take for its answers.
pub(super) const KEPT: Duration = Duration::from_secs(60 * 60);

/// Longest state that is handed out, in bytes.
pub(in crate::adapter) const MAX_STATE: usize = 1024 * 1024;

/// Bytes of a key: as many as its hash has.
const KEY: usize = 32;

/// Signs what clients keep for us, with a key that this process made up.
pub(crate) struct Seal(RequestStateCodec);

/// What a round belongs to: the plugin as it is, the call, and the caller.
/// Beside any other it can't be opened.
pub(crate) struct Binding([u8; 32]);

impl Binding {
    /// `what` names the plugin (by digest), the method, what it is called
    /// with, and who calls.
    pub(crate) fn new(what: &impl Serialize) -> Self {
        // Only a map with keys that are no strings could fail.
        let text = serde_json::to_vec(what).unwrap_or_default();
        Self(Sha256::digest(text).into())
    }
}

impl Seal {
    /// A seal of its own, which no other process can open.
    ///
    /// # Errors
    ///
    /// If the system has no random numbers.
    pub(crate) fn new() -> Result<Self, getrandom::Error> {
        let mut key = [0; KEY];
        getrandom::fill(&mut key)?;
        Ok(Self(RequestStateCodec::new(key)))
    }

    /// The round, sealed; none if it is too large for a client to carry.
    pub(in crate::adapter) fn close(&self, round: &Round, binding: &Binding) -> Option<String> {
        let options = SealOptions::new().associated_data(&binding.0).ttl(KEPT);
        let sealed = self.0.seal_json_with(round, &options).ok()?;
        (sealed.len() <= MAX_STATE).then_some(sealed)
    }

    /// The round a client kept.
    ///
    /// # Errors
    ///
    /// If it is not one that this seal closed for the same call.
    pub(in crate::adapter) fn open(
        &self,
        sealed: &str,
        binding: &Binding,
    ) -> Result<Round, ErrorData> {
        self.0.open_json_with(sealed, &binding.0).map_err(|error| {
            tracing::debug!("a request state is refused: {error}");
            ErrorData::invalid_params(
                format!("requestState can't be used: {error}; begin the call again without it"),
                None,
            )
        })
    }
}
