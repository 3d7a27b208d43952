//! Whether a store has changed, without reading it.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use crate::journal;
use crate::store::Store;

/// What the files that say what is installed look like from outside. Each is
/// replaced as a whole, so another one looks otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp([Option<(u64, u64, i64, i64)>; 2]);

impl Store {
    /// How the store looks now: equal to what it was, nothing has been changed.
    #[must_use]
    pub fn stamp(&self) -> Stamp {
        Stamp([journal::LOCK, journal::NAME].map(|name| {
            let it = fs::metadata(self.path().join(name)).ok()?;
            Some((it.ino(), it.len(), it.mtime(), it.mtime_nsec()))
        }))
    }
}
