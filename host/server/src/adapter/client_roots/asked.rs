//! The question a stateless client is asked before a plugin runs.

#![expect(
    deprecated,
    reason = "2026-07-28 deprecates roots; until they are gone they are served"
)]

use rmcp::model::ListRootsResult;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Its key. A plugin may use the same: this question is asked alone, before the
/// plugin has asked anything.
pub(in crate::adapter) const KEY: &str = "palisade/client-roots";

/// How far it has come; a part of a round that a client keeps.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::adapter) enum Asked {
    #[default]
    No,
    /// There is no answer yet.
    Open,
    /// The roots that have to do with what is granted.
    Answered(Vec<String>),
}

impl Asked {
    /// Takes the answer over if it is one.
    pub(in crate::adapter) fn answer(&mut self, answer: Value) {
        if !matches!(self, Self::Open) {
            return;
        }
        match ListRootsResult::deserialize(answer) {
            Ok(list) => {
                *self = Self::Answered(list.roots.into_iter().map(|root| root.uri).collect());
            }
            Err(error) => tracing::debug!("a client's roots can't be read: {error}"),
        }
    }
}
