//! Everything that is looked for, as two automata.

use std::collections::BTreeSet;
use std::sync::Arc;

use aho_corasick::MatchKind;
use aho_corasick::automaton::{Automaton as _, StateID};
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Anchored, BuildError};
use palisade_secrets::SecretValue;

use super::spelling::{Class, Spelling, is_in, plain, wide};

/// Least that may be held back of an answer, in bytes; see [`Forms::window`].
const LEAST_WINDOW: usize = 1024;

/// Most of it that is there for escapes: of long secrets, not every byte can be
/// spelt at length.
const MOST_WINDOW: usize = 256 << 10;

/// Characters that one of a spelling may take, escaped twice: `%26%23115%3B`.
const STRETCH: usize = 12;

/// What is looked for.
pub(super) struct Forms {
    /// For the text as it is, and for the text without what breaks it into lines.
    pub(super) nets: [Net; 2],
    /// How much of an answer may have to be held back until the next of it is
    /// there: as much as the longest spelling takes, and more, so that it does
    /// not tell how long a secret is.
    pub(super) window: usize,
    /// In lower case, as names of headers are.
    lower: Vec<String>,
}

/// Some spellings as an automaton.
pub(super) struct Net {
    automaton: NFA,
    pub(super) start: StateID,
    spellings: Vec<Beside>,
    /// Bytes of the longest.
    pub(super) longest: usize,
    /// Whether white space is passed over.
    broken: bool,
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

/// What an encoding is made of that may be broken into lines.
pub(super) fn is_encoding(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte)
}

/// What may stand between the characters of an encoding that is broken into
/// lines.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

impl Net {
    fn new(all: &BTreeSet<Spelling>, broken: bool) -> Result<Self, BuildError> {
        let automaton = NFA::builder()
            .match_kind(MatchKind::Standard)
            .prefilter(false)
            .build(all.iter().map(|spelling| &spelling.bytes))?;
        let start = automaton.start_state(Anchored::No);
        Ok(Self {
            // An automaton that takes only unanchored searches has such a start.
            start: start.unwrap_or_default(),
            automaton,
            longest: all.iter().map(|one| one.bytes.len()).max().unwrap_or(0),
            spellings: (all.iter())
                .map(|one| Beside {
                    length: one.bytes.len(),
                    before: one.before,
                    after: one.after,
                })
                .collect(),
            broken,
        })
    }

    /// Whether a byte is passed over.
    pub(super) fn passes(&self, byte: u8) -> bool {
        self.broken && is_space(byte)
    }

    /// Where the automaton is after another byte.
    pub(super) fn next(&self, state: StateID, byte: u8) -> StateID {
        self.automaton.next_state(Anchored::No, state, byte)
    }

    /// Whether something ends where the automaton is.
    pub(super) fn is_match(&self, state: StateID) -> bool {
        self.automaton.is_match(state)
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
}

impl Forms {
    /// The automata for these secrets.
    pub(super) fn new<'s>(
        secrets: impl IntoIterator<Item = &'s SecretValue>,
    ) -> Result<Arc<Self>, BuildError> {
        let secrets: Vec<_> = secrets.into_iter().map(SecretValue::reveal).collect();
        let plain: BTreeSet<_> = secrets.iter().flat_map(|secret| plain(secret)).collect();
        let wide: BTreeSet<_> = secrets.iter().flat_map(|secret| wide(secret)).collect();
        let nets = [Net::new(&plain, false)?, Net::new(&wide, true)?];
        // One more for the byte before.
        let longest = nets[0].longest.max(nets[1].longest) + 1;
        let stretched = (longest * STRETCH).min(MOST_WINDOW).max(longest * 3);
        Ok(Arc::new(Self {
            window: stretched.next_power_of_two().max(LEAST_WINDOW),
            nets,
            lower: (secrets.iter())
                .map(|secret| secret.to_ascii_lowercase())
                .collect(),
        }))
    }

    /// Whether the name of a header, which is in lower case, has a secret in it.
    pub(super) fn is_in_name(&self, name: &str) -> bool {
        self.lower
            .iter()
            .any(|secret| name.contains(secret.as_str()))
    }
}
