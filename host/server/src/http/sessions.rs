//! The sessions of a server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

use crate::adapter::http::Session;
use crate::http::access::Principal;
use crate::http::answer::Refusal;
use crate::http::options::KEEP_HEARD;

/// How long a session has to be idle before it may have to go for another.
const MAY_GO: Duration = Duration::from_mins(1);

/// Bytes of a session's id.
const ID: usize = 24;

/// Sessions by their ids.
pub(super) struct Sessions {
    all: Mutex<HashMap<Arc<str>, Owned>>,
    most: usize,
    idle: Duration,
}

/// A session and whose it is.
struct Owned {
    session: Arc<Session>,
    owner: Principal,
}

impl Sessions {
    pub(super) fn new(most: usize, idle: Duration) -> Self {
        Self {
            all: Mutex::default(),
            most,
            idle,
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Owned>> {
        // Nothing panics while it is held.
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An id that nobody can guess.
    pub(super) fn new_id() -> Result<Arc<str>, Refusal> {
        let mut bytes = [0; ID];
        getrandom::fill(&mut bytes).map_err(|error| {
            tracing::error!("the system has no random numbers: {error}");
            Refusal::busy("no session can be opened now")
        })?;
        Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes).into())
    }

    /// Adds a session. If there are too many, the one that has been idle for
    /// longest goes, if it has been for some time.
    pub(super) fn add(
        &self,
        id: Arc<str>,
        session: Arc<Session>,
        owner: Principal,
    ) -> Result<(), Refusal> {
        let gone = {
            let mut all = self.lock();
            let gone = if all.len() >= self.most {
                let longest = longest_idle(&all).ok_or_else(|| {
                    Refusal::busy("there are too many sessions; delete one, or come back later")
                })?;
                all.remove(&longest)
            } else {
                None
            };
            all.insert(id, Owned { session, owner });
            gone
        };
        if let Some(gone) = gone {
            gone.session.end();
        }
        Ok(())
    }

    /// The session of this id, if it is this caller's.
    pub(super) fn find(&self, id: &str, caller: &Principal) -> Option<Arc<Session>> {
        let all = self.lock();
        let found = all.get(id)?;
        (found.owner == *caller).then(|| Arc::clone(&found.session))
    }

    /// Takes a session out; its end is up to the caller.
    pub(super) fn remove(&self, id: &str) -> Option<Arc<Session>> {
        self.lock().remove(id).map(|owned| owned.session)
    }

    /// Every session.
    pub(super) fn all(&self) -> Vec<Arc<Session>> {
        let all = self.lock();
        all.values()
            .map(|owned| Arc::clone(&owned.session))
            .collect()
    }

    /// Ends what has been idle for too long, and forgets what was read long
    /// ago.
    pub(super) fn sweep(&self) {
        let old: Vec<_> = {
            let all = self.lock();
            let is_old = |owned: &Owned| {
                let idle = owned.session.idle();
                idle.is_some_and(|idle| idle >= self.idle)
            };
            all.iter()
                .filter(|(_, owned)| is_old(owned))
                .map(|(id, _)| Arc::clone(id))
                .collect()
        };
        for id in old {
            if let Some(session) = self.remove(&id) {
                session.end();
            }
        }
        for session in self.all() {
            session.log().forget(KEEP_HEARD);
        }
    }

    /// How often to do that.
    pub(super) fn pause(&self) -> Duration {
        (self.idle / 4).clamp(Duration::from_millis(100), Duration::from_secs(30))
    }
}

fn longest_idle(all: &HashMap<Arc<str>, Owned>) -> Option<Arc<str>> {
    all.iter()
        .filter_map(|(id, owned)| Some((owned.session.idle()?, id)))
        .filter(|(idle, _)| *idle >= MAY_GO)
        .max_by_key(|(idle, _)| *idle)
        .map(|(_, id)| Arc::clone(id))
}
