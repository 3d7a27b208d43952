//! Results that were too large to be sent whole, kept for those who want to
//! read the rest.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use palisade_runtime::contract::{ResourceBody, ResourceContents};

/// What the address of a kept result begins with.
pub(crate) const SCHEME: &str = "palisade-result://";

/// How long a result is kept for a client that has no session.
const TIME: Duration = Duration::from_secs(60 * 60);

/// Bytes and results kept for one owner, and for all together.
const OWN: Room = Room {
    bytes: 64 << 20,
    results: 32,
};
const ALL: Room = Room {
    bytes: 256 << 20,
    results: 1024,
};

/// What a piece of content costs besides what it holds.
const PIECE: usize = 256;

/// Bytes of an id that nobody can guess.
const ID: usize = 16;

#[derive(Clone, Copy)]
struct Room {
    bytes: usize,
    results: usize,
}

/// Whose a result is: nobody else can read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Owner {
    /// A session's, to its end.
    Session(u64),
    /// A caller's without a session, for an hour.
    Caller(Arc<str>),
}

/// All that is kept.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// Oldest first.
    results: Mutex<VecDeque<Entry>>,
    sessions: AtomicU64,
}

#[derive(Debug)]
struct Entry {
    uri: String,
    owner: Owner,
    since: Instant,
    bytes: usize,
    contents: Arc<Vec<ResourceContents>>,
}

impl Kept {
    /// A number for a session.
    pub(crate) fn session(&self) -> Owner {
        Owner::Session(self.sessions.fetch_add(1, Ordering::Relaxed))
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Entry>> {
        // Nothing panics while it is held.
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An address for a result; none if one of this size can't be kept, or if
    /// there are no random numbers.
    pub(crate) fn address(contents: &[ResourceContents]) -> Option<String> {
        if bytes(contents) > OWN.bytes {
            return None;
        }
        let mut id = [0; ID];
        getrandom::fill(&mut id).ok()?;
        Some(format!("{SCHEME}{:032x}", u128::from_be_bytes(id)))
    }

    /// Keeps a result. The oldest go where there is no room, the owner's own
    /// first.
    pub(crate) fn keep(&self, owner: &Owner, uri: String, contents: Vec<ResourceContents>) {
        let entry = Entry {
            uri,
            owner: owner.clone(),
            since: Instant::now(),
            bytes: bytes(&contents),
            contents: Arc::new(contents),
        };
        let mut results = self.lock();
        expire(&mut results, entry.since);
        make_room(&mut results, OWN, entry.bytes, |one| one.owner == *owner);
        make_room(&mut results, ALL, entry.bytes, |_| true);
        results.push_back(entry);
    }

    /// What is kept under an address.
    pub(crate) fn read(&self, owner: &Owner, uri: &str) -> Option<Arc<Vec<ResourceContents>>> {
        let mut results = self.lock();
        expire(&mut results, Instant::now());
        results
            .iter()
            .find(|one| one.uri == uri && one.owner == *owner)
            .map(|one| Arc::clone(&one.contents))
    }

    /// Forgets all that was kept for an owner.
    pub(crate) fn forget(&self, owner: &Owner) {
        self.lock().retain(|one| one.owner != *owner);
    }
}

fn bytes(contents: &[ResourceContents]) -> usize {
    let held = contents.iter().map(|one| match &one.body {
        ResourceBody::Text(text) => text.len() + PIECE,
        ResourceBody::Blob(blob) => blob.len() + PIECE,
    });
    held.sum()
}

fn expire(results: &mut VecDeque<Entry>, now: Instant) {
    results.retain(|one| match one.owner {
        Owner::Session(_) => true,
        Owner::Caller(_) => now.saturating_duration_since(one.since) < TIME,
    });
}

/// Drops the oldest of those that `counts`, until another fits beside them.
fn make_room(
    results: &mut VecDeque<Entry>,
    room: Room,
    bytes: usize,
    counts: impl Fn(&Entry) -> bool,
) {
    loop {
        let counted = results.iter().filter(|one| counts(one));
        let (count, held) = counted.fold((0, bytes), |(count, held), one| {
            (count + 1, held + one.bytes)
        });
        if count < room.results && held <= room.bytes {
            return;
        }
        let Some(oldest) = results.iter().position(&counts) else {
            return;
        };
        results.remove(oldest);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn text(bytes: usize) -> Vec<ResourceContents> {
        vec![ResourceContents {
            uri: String::new(),
            mime_type: None,
            body: ResourceBody::Text("x".repeat(bytes)),
            meta: None,
        }]
    }

    fn keep(kept: &Kept, owner: &Owner, bytes: usize) -> String {
        let contents = text(bytes);
        let uri = Kept::address(&contents).unwrap();
        kept.keep(owner, uri.clone(), contents);
        uri
    }

    #[test]
    fn nobody_reads_what_is_anothers() {
        let kept = Kept::default();
        let one = kept.session();
        let other = kept.session();
        let caller = Owner::Caller("a".into());
        let uri = keep(&kept, &one, 10);
        assert!(kept.read(&one, &uri).is_some());
        assert!(kept.read(&other, &uri).is_none());
        assert!(kept.read(&caller, &uri).is_none());
        kept.forget(&one);
        assert!(kept.read(&one, &uri).is_none());
    }

    #[test]
    fn the_oldest_goes_first_and_its_owners_before_anothers() {
        let kept = Kept::default();
        let one = kept.session();
        let other = kept.session();
        let others = keep(&kept, &other, 10);
        let half = OWN.bytes / 2 - PIECE;
        let [first, second, third] = [half; 3].map(|bytes| keep(&kept, &one, bytes));
        assert!(kept.read(&one, &first).is_none());
        assert!(kept.read(&one, &second).is_some());
        assert!(kept.read(&one, &third).is_some());
        assert!(kept.read(&other, &others).is_some());
        for _ in 0..OWN.results {
            keep(&kept, &one, 1);
        }
        assert!(kept.read(&one, &third).is_none());
        assert!(kept.read(&other, &others).is_some());
    }

    #[test]
    fn what_has_no_session_is_gone_after_an_hour() {
        let kept = Kept::default();
        let caller = Owner::Caller("a".into());
        keep(&kept, &caller, 1);
        keep(&kept, &kept.session(), 1);
        let mut results = kept.lock();
        let now = Instant::now();
        expire(&mut results, now + TIME / 2);
        assert_eq!(results.len(), 2);
        expire(&mut results, now + TIME);
        assert_eq!(results.len(), 1);
    }

    #[test]
    fn what_is_larger_than_all_room_has_no_address() {
        assert!(Kept::address(&text(OWN.bytes)).is_none());
        let uri = Kept::address(&text(1)).unwrap();
        assert_eq!(uri.len(), SCHEME.len() + 32);
    }
}
