//! What one caller may take of what there is for all.
//!
//! Where there are several, none of them may have more than half: however much
//! one leaves lying about, the others are served.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::adapter::InFlight;
use crate::http::access::{Access, Principal};
use crate::http::log::Budget;
use crate::http::options;

/// What there is for all, and who takes how much of it.
pub(super) struct Shares {
    all: Share,
    /// Of those who have been here; there is one for each token at most.
    each: Mutex<HashMap<Principal, Arc<Share>>>,
    several: bool,
}

/// What one caller takes, and may.
pub(super) struct Share {
    /// Requests that have not been answered.
    pub(super) in_flight: InFlight,
    /// How many there may be.
    requests: usize,
    /// Bytes of what waits to be read.
    pub(super) events: Arc<Budget>,
    /// Bytes of what is being sent.
    pub(super) bodies: Arc<Budget>,
}

impl Share {
    /// Whether another request is too much.
    pub(super) fn is_busy(&self) -> bool {
        self.in_flight.count() >= self.requests
    }
}

impl Shares {
    pub(super) fn new(access: &Access, requests: usize) -> Self {
        Self {
            all: Share {
                in_flight: InFlight::default(),
                requests,
                events: Budget::new(options::EVENTS),
                bodies: Budget::new(options::BODIES),
            },
            each: Mutex::default(),
            several: access.is_for_several(),
        }
    }

    /// What all take together.
    pub(super) fn all(&self) -> &Share {
        &self.all
    }

    /// What this caller takes.
    pub(super) fn of(&self, caller: &Principal) -> Arc<Share> {
        // Nothing panics while it is held.
        let mut each = self.each.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = each.get(caller) {
            return Arc::clone(share);
        }
        let part = |whole: usize| if self.several { whole / 2 } else { whole };
        let share = Arc::new(Share {
            in_flight: self.all.in_flight.part(),
            requests: part(self.all.requests),
            events: self.all.events.part(part(options::EVENTS)),
            bodies: self.all.bodies.part(part(options::BODIES)),
        });
        each.insert(caller.clone(), Arc::clone(&share));
        share
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use hyper::HeaderMap;
    use hyper::header::{AUTHORIZATION, HeaderValue};

    use super::*;
    use crate::http::access::Tokens;

    const ADA: &str = "ada-0123456789abcdef";
    const BOB: &str = "bob-0123456789abcdef";

    fn shares(tokens: &str) -> (Access, Shares) {
        let access = Access::Tokens(Tokens::parse(tokens).unwrap());
        let shares = Shares::new(&access, 4);
        (access, shares)
    }

    fn caller(access: &Access, token: &str) -> Principal {
        let mut headers = HeaderMap::new();
        let value = HeaderValue::from_str(&format!("Bearer {token}")).unwrap();
        headers.insert(AUTHORIZATION, value);
        access.check(&headers).unwrap()
    }

    #[test]
    fn nobody_takes_all_there_is() {
        let (access, shares) = shares(&format!("{ADA}\n{BOB}"));
        let (ada, bob) = (caller(&access, ADA), caller(&access, BOB));
        let (ada, bob) = (shares.of(&ada), shares.of(&bob));
        let taken = [ada.in_flight.guard(), ada.in_flight.guard()];
        assert!(ada.is_busy() && !bob.is_busy() && !shares.all().is_busy());
        let also = [bob.in_flight.guard(), bob.in_flight.guard()];
        assert!(bob.is_busy() && shares.all().is_busy());
        drop((taken, also));
        assert_eq!(shares.all().in_flight.count(), 0);

        let half = ada.events.lend(options::EVENTS / 2).unwrap();
        assert!(ada.events.lend(1).is_none());
        let other = bob.events.lend(options::EVENTS / 2).unwrap();
        drop(half);
        assert!(bob.events.lend(1).is_none());
        assert!(ada.events.lend(options::EVENTS / 2).is_some());
        drop(other);
        assert!(shares.all().events.lend(options::EVENTS).is_some());
    }

    #[test]
    fn who_is_alone_may_take_it_all() {
        let (access, shares) = shares(ADA);
        let ada = shares.of(&caller(&access, ADA));
        assert!(ada.events.lend(options::EVENTS).is_some());
        assert!(Arc::ptr_eq(&ada, &shares.of(&caller(&access, ADA))));
    }
}
