//! One automaton on its way through a text.

use std::collections::VecDeque;
use std::ops::Range;

use aho_corasick::automaton::StateID;

use super::forms::{Forms, Net, is_encoding, is_space};
use super::spelling::{Class, is_in};

/// One byte of a text, and from where to where it stands there: an escape is as
/// many characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) value: u8,
    pub(super) start: u64,
    pub(super) end: u64,
}

/// A unit's value and start, in little room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Known(u64);

impl Known {
    fn new(value: u8, start: u64) -> Self {
        Self(start << 8 | u64::from(value))
    }

    fn value(self) -> u8 {
        self.0.to_le_bytes()[0]
    }

    fn start(self) -> u64 {
        self.0 >> 8
    }
}

/// Where an automaton is, and what it came through.
pub(super) struct Track {
    state: StateID,
    /// The units that what is looked for may have begun with, and one before.
    units: VecDeque<Known>,
    /// What a spelling that has just ended may go on with.
    after: Class,
    /// Line breaks since the last unit.
    breaks: u8,
    /// What is masked already and reaches up to where we are.
    run: Range<u64>,
}

impl Track {
    pub(super) fn new(net: &Net) -> Self {
        Self {
            state: net.start,
            units: VecDeque::new(),
            after: 0,
            breaks: 0,
            run: 0..0,
        }
    }

    /// Takes a unit, and says what of the text is to be masked.
    pub(super) fn step(&mut self, net: &Net, unit: Unit, mask: impl FnMut(Range<u64>)) {
        if net.passes(unit.value) {
            self.breaks = self.breaks.saturating_add(u8::from(unit.value == b'\n'));
            if self.breaks > 1 {
                // An empty line ends whatever it was.
                self.state = net.start;
                self.after = 0;
                self.units.clear();
            }
            return;
        }
        self.breaks = 0;
        let is_after = is_in(std::mem::take(&mut self.after), unit.value);
        self.state = net.next(self.state, unit.value);
        if self.state == net.start {
            self.units.clear();
        } else if self.units.len() > net.longest {
            self.units.pop_front();
        }
        self.units.push_back(Known::new(unit.value, unit.start));
        let mut start = match is_after {
            // With what breaks the line in between.
            true => self.run.end.min(unit.start),
            false => unit.end,
        };
        for found in net.found(self.state) {
            let Some(first) = self.units.len().checked_sub(found.length) else {
                continue;
            };
            let before = first.checked_sub(1).map(|before| self.units[before]);
            start = start.min(match before {
                Some(before) if found.takes_before(before.value()) => before.start(),
                _ => self.units[first].start(),
            });
            self.after |= found.after;
        }
        if start < unit.end {
            self.fresh(start..unit.end).into_iter().for_each(mask);
        }
    }

    /// Takes a text as it is, which stands at `from`: as [`Track::step`] with each
    /// of its bytes, and faster. It does not look ahead for where a secret may
    /// begin: a guest with a clock could tell by it how one does.
    pub(super) fn run(
        &mut self,
        net: &Net,
        text: &[u8],
        from: u64,
        mut mask: impl FnMut(Range<u64>),
    ) {
        let mut state = self.state;
        // Units that are not among the known ones yet, since those were known or
        // are of no more use.
        let (mut fresh, mut useless) = (0, false);
        for (at, &value) in text.iter().enumerate() {
            let blank = net.passes(value);
            if blank && value != b'\n' {
                continue;
            }
            let next = if blank { state } else { net.next(state, value) };
            if !blank && self.after == 0 && !net.is_match(next) {
                state = next;
                self.breaks = 0;
                let first = state == net.start;
                useless |= first;
                fresh = if first { 1 } else { fresh + 1 };
                continue;
            }
            self.state = state;
            self.know(net, &text[..at], from, fresh, useless);
            (fresh, useless) = (0, false);
            let start = from + at as u64;
            let end = start + 1;
            self.step(net, Unit { value, start, end }, &mut mask);
            state = self.state;
        }
        self.state = state;
        self.know(net, text, from, fresh, useless);
    }

    /// Keeps the last so many units of a text.
    fn know(&mut self, net: &Net, text: &[u8], from: u64, fresh: usize, useless: bool) {
        if useless {
            self.units.clear();
        }
        let fresh = fresh.min(net.longest + 1);
        let all = text.iter().enumerate().rev();
        let units = all.filter(|(_, value)| !net.passes(**value)).take(fresh);
        let at = self.units.len();
        for (place, value) in units {
            self.units
                .push_back(Known::new(*value, from + place as u64));
        }
        self.units.make_contiguous()[at..].reverse();
        let more = self.units.len().saturating_sub(net.longest + 1);
        self.units.drain(..more);
    }

    /// What of a piece is not masked yet: of a text that is all one long row of
    /// secrets, each byte is masked once.
    fn fresh(&mut self, piece: Range<u64>) -> [Range<u64>; 2] {
        let run = self.run.clone();
        if run.is_empty() || piece.start > run.end {
            self.run = piece.clone();
            return [piece, 0..0];
        }
        self.run = run.start.min(piece.start)..piece.end.max(run.end);
        [piece.start..run.start, run.end..piece.end]
    }

    /// Becomes what another one is.
    pub(super) fn copy(&mut self, other: &Self) {
        self.state = other.state;
        self.units.clone_from(&other.units);
        self.after = other.after;
        self.breaks = other.breaks;
        self.run = other.run.clone();
    }

    /// Whether nothing has begun.
    pub(super) fn is_at_rest(&self, net: &Net) -> bool {
        self.state == net.start && self.after == 0
    }

    /// Whether it goes on like another one, whatever comes: both are at rest,
    /// after the same unit.
    pub(super) fn is_like(&self, other: &Self, net: &Net) -> bool {
        self.is_at_rest(net)
            && other.is_at_rest(net)
            && self.breaks == other.breaks
            && self.units.back() == other.units.back()
    }
}

/// Both automata on their way.
pub(super) type Tracks = [Track; 2];

/// Both automata at the start.
pub(super) fn at_start(forms: &Forms) -> Tracks {
    [0, 1].map(|one| Track::new(&forms.nets[one]))
}

/// Whether a byte may be in an encoding that is broken into lines, or in an
/// escape of such.
pub(super) fn is_wide(byte: u8) -> bool {
    is_encoding(byte) || b"%\\&#;".contains(&byte) || is_space(byte)
}
