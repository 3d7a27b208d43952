//! Every spelling of every secret, as one automaton.

use std::sync::Arc;

use aho_corasick::MatchKind;
use aho_corasick::automaton::{Automaton as _, StateID};
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Anchored, BuildError};
use palisade_secrets::SecretValue;

use super::spelling::{Class, Spelling, is_in, spellings};

/// Least that may be held back of an answer, in bytes; see [`Forms::window`].
const LEAST_WINDOW: usize = 1024;

/// What is looked for.
pub(super) struct Forms {
    automaton: NFA,
    pub(super) start: StateID,
    spellings: Vec<Beside>,
    /// How much of an answer may have to be held back until the next of it is
    /// there: as much as the longest spelling, and more, so that it does not
    /// tell how long a secret is.
    pub(super) window: usize,
    /// In lower case, as names of headers are.
    lower: Vec<String>,
}

/// A spelling's length, and what stands beside it.
struct Beside {
    length: usize,
    before: Class,
    after: Class,
}

/// A spelling that ends at a byte.
pub(super) struct Found {
    /// Its length.
    pub(super) length: usize,
    before: Class,
    /// What comes after it and tells something of it.
    pub(super) after: Class,
}

impl Found {
    /// Whether the byte before it tells something of it.
    pub(super) fn takes_before(&self, byte: u8) -> bool {
        is_in(self.before, byte)
    }
}

impl Forms {
    /// The automaton for these secrets.
    pub(super) fn new<'s>(
        secrets: impl IntoIterator<Item = &'s SecretValue>,
    ) -> Result<Arc<Self>, BuildError> {
        let secrets: Vec<_> = secrets.into_iter().collect();
        let all: Vec<Spelling> = (secrets.iter())
            .flat_map(|secret| spellings(secret.reveal()))
            .collect();
        let automaton = NFA::builder()
            .match_kind(MatchKind::Standard)
            .prefilter(false)
            .build(all.iter().map(|spelling| &spelling.bytes))?;
        let start = automaton.start_state(Anchored::No);
        let longest = all.iter().map(|one| one.bytes.len()).max().unwrap_or(0);
        Ok(Arc::new(Self {
            // An automaton that takes only unanchored searches has such a start.
            start: start.unwrap_or_default(),
            automaton,
            // One more for the byte before.
            window: (longest + 1).next_power_of_two().max(LEAST_WINDOW),
            spellings: (all.iter())
                .map(|one| Beside {
                    length: one.bytes.len(),
                    before: one.before,
                    after: one.after,
                })
                .collect(),
            lower: (secrets.iter())
                .map(|secret| secret.reveal().to_ascii_lowercase())
                .collect(),
        }))
    }

    /// Where the automaton is after another byte.
    pub(super) fn next(&self, state: StateID, byte: u8) -> StateID {
        self.automaton.next_state(Anchored::No, state, byte)
    }

    /// All that ends where the automaton is.
    pub(super) fn found(&self, state: StateID) -> impl Iterator<Item = Found> + '_ {
        let count = match self.automaton.is_match(state) {
            true => self.automaton.match_len(state),
            false => 0,
        };
        (0..count).map(move |index| {
            let pattern = self.automaton.match_pattern(state, index);
            let beside = &self.spellings[pattern.as_usize()];
            Found {
                length: beside.length,
                before: beside.before,
                after: beside.after,
            }
        })
    }

    /// Whether the name of a header, which is in lower case, has a secret in it.
    pub(super) fn is_in_name(&self, name: &str) -> bool {
        self.lower
            .iter()
            .any(|secret| name.contains(secret.as_str()))
    }
}
