//! How much is taken, and how long it may take.

use std::time::Duration;

use tokio::time::Instant;

use crate::store::LARGEST_BLOB;

/// What a fetch may cost.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of a component. 256 MiB.
    pub bytes: u64,
    /// Bytes of a registry's manifest. 4 MiB.
    pub manifest: u64,
    /// How long the other end may be silent. 30 s.
    pub idle: Duration,
    /// How long anything may take in any case, 60 s …
    pub grace: Duration,
    /// … and after that, bytes a second on the whole. 16 KiB.
    pub rate: u64,
    /// Redirects that are followed. 5.
    pub redirects: usize,
    /// Whether a source may lead to other hosts in private networks. No: what a
    /// person named may be in one, and what that names in turn may not.
    pub private: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: LARGEST_BLOB,
            manifest: 4 << 20,
            idle: Duration::from_secs(30),
            grace: Duration::from_secs(60),
            rate: 16 << 10,
            redirects: 5,
            private: false,
        }
    }
}

impl Limits {
    /// How long so many bytes may take.
    pub(crate) fn time_for(&self, bytes: u64) -> Duration {
        self.grace + Duration::from_secs(bytes / self.rate.max(1))
    }
}

/// How fast something comes.
pub(crate) struct Pace<'a> {
    limits: &'a Limits,
    pub(crate) since: Instant,
}

impl<'a> Pace<'a> {
    pub(crate) fn new(limits: &'a Limits) -> Self {
        Self {
            limits,
            since: Instant::now(),
        }
    }

    /// When it is too slow, unless more comes.
    pub(crate) fn until(&self, received: u64) -> Instant {
        self.since + self.limits.time_for(received)
    }
}
