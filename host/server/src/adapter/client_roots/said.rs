//! Warnings about a client's roots, for a person who reads standard error.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::outcome::clean;

/// Warnings that are written for one session, or for all requests without one.
/// A client decides how often its roots change.
const MOST: usize = 256;

/// What has been said.
#[derive(Default)]
pub(in crate::adapter) struct Said(Mutex<State>);

#[derive(Default)]
struct State {
    now: BTreeSet<String>,
    count: usize,
}

impl Said {
    /// Says what was not true before.
    pub(super) fn change(&self, warnings: Vec<String>) {
        // A set of texts is whole whatever happened to its holder.
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::take(&mut state.now);
        for warning in warnings {
            if !before.contains(&warning) && !state.now.contains(&warning) {
                state.say(&warning);
            }
            state.now.insert(warning);
        }
    }

    /// Says what has never been said.
    pub(super) fn once(&self, warnings: Vec<String>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for warning in warnings {
            if state.count < MOST && state.now.insert(warning.clone()) {
                state.say(&warning);
            }
        }
    }
}

impl State {
    fn say(&mut self, warning: &str) {
        self.count += 1;
        if self.count <= MOST {
            tracing::warn!("{}", clean(warning.to_owned()));
        }
        if self.count == MOST {
            tracing::warn!("this client's roots change often: no more is said about them");
        }
    }
}
