//! What a plugin may use, which a person can take back while it is served.

use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;
use palisade_policy::{ToolDecision, ToolRules};
use palisade_runtime::{CallError, Sandbox};
use tokio_util::sync::CancellationToken;

/// What holds now. Whoever has begun under it may keep it to its end, which comes
/// soon: replaced, it stops what runs under it.
pub(super) struct Live {
    /// Another one after every change.
    generation: u64,
    granted: Arc<Sandbox>,
    /// The same without directories, if it has been needed.
    without_directories: OnceLock<Arc<Sandbox>>,
    rules: ToolRules,
    replaced: CancellationToken,
}

impl Live {
    pub(super) fn new(generation: u64, sandbox: Sandbox, rules: ToolRules) -> Self {
        Self {
            generation,
            granted: Arc::new(sandbox),
            without_directories: OnceLock::new(),
            rules,
            replaced: CancellationToken::new(),
        }
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// What it may use where no client's roots narrow it.
    pub(super) fn granted(&self) -> &Arc<Sandbox> {
        &self.granted
    }

    /// The same without directories.
    pub(super) fn without_directories(&self) -> &Arc<Sandbox> {
        if !self.granted.has_directories() {
            return &self.granted;
        }
        self.without_directories
            .get_or_init(|| Arc::new(self.granted.without_directories()))
    }

    pub(super) fn rules(&self) -> &ToolRules {
        &self.rules
    }

    pub(super) fn decide(&self, tool: &str) -> ToolDecision {
        self.rules.decide(tool)
    }

    /// Runs something under it, until it is replaced.
    pub(super) async fn run<T>(
        &self,
        call: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        tokio::select! {
            biased;
            done = call => done,
            () = self.replaced.cancelled() => Err(CallError::Revoked),
        }
    }

    /// Puts another one in its place.
    pub(super) fn replace(place: &ArcSwap<Self>, sandbox: Sandbox, rules: ToolRules) {
        let next = place.load().generation + 1;
        let old = place.swap(Arc::new(Self::new(next, sandbox, rules)));
        old.replaced.cancel();
    }
}
