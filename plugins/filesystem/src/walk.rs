//! Reading directories, within bounds, for a client that may lose interest.

use crate::disk::{self, Entry, Reason};
use crate::error::Failure;

/// The most entries one call looks at.
pub(crate) const MOST_ENTRIES: u64 = 200_000;

/// The client is asked this often whether it still wants to know.
const EVERY: u64 = 256;

/// Counts what a call looks at and tells the client now and then.
pub(crate) struct Walk<'a> {
    seen: u64,
    nameless: u64,
    most: u64,
    /// Told how many entries were seen; false when nobody waits any more.
    wanted: &'a mut dyn FnMut(u64) -> bool,
}

impl<'a> Walk<'a> {
    /// Nothing seen yet. `wanted` hears how many entries were seen and answers
    /// whether to go on.
    pub(crate) fn new(wanted: &'a mut dyn FnMut(u64) -> bool) -> Self {
        Self {
            seen: 0,
            nameless: 0,
            most: MOST_ENTRIES,
            wanted,
        }
    }

    /// Another limit than [`MOST_ENTRIES`].
    #[cfg(test)]
    pub(crate) fn at_most(mut self, most: u64) -> Self {
        self.most = most;
        self
    }

    /// How many entries were seen.
    pub(crate) fn seen(&self) -> u64 {
        self.seen
    }

    /// Whether the bound is reached.
    pub(crate) fn is_full(&self) -> bool {
        self.seen >= self.most
    }

    /// How many entries have names that cannot be shown.
    pub(crate) fn nameless(&self) -> u64 {
        self.nameless
    }

    /// The entries of a directory, ordered by the bytes of their names, as far
    /// as the bound allows.
    pub(crate) fn read(
        &mut self,
        directory: &str,
    ) -> Result<Result<Vec<Entry>, disk::Error>, Failure> {
        let iterator = match disk::read_directory(directory) {
            Ok(iterator) => iterator,
            Err(error) => return Ok(Err(error)),
        };
        let mut entries = Vec::new();
        for entry in iterator {
            if self.is_full() {
                break;
            }
            self.seen += 1;
            if self.seen.is_multiple_of(EVERY) && !(self.wanted)(self.seen) {
                return Err(Failure::Cancelled);
            }
            match entry {
                Ok(entry) => entries.push(entry),
                // Gone since the directory was opened.
                Err(disk::Error::NO_ENTRY) => {}
                Err(disk::Error::Posix(Reason::IllegalBytes)) => self.nameless += 1,
                Err(error) => return Ok(Err(error)),
            }
        }
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(Ok(entries))
    }
}
