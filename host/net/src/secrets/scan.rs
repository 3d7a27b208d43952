//! Masking, piece by piece.

use std::ops::Range;
use std::sync::Arc;

use bytes::{Buf as _, Bytes, BytesMut};

use super::DEPTH;
use super::cut::Cut;
use super::escape::{self, Read};
use super::forms::Forms;
use super::track::{Tracks, Unit, at_start};

/// What stands in the place of each byte of a secret.
const MASKED: u8 = b'*';

/// Masks a text that comes in pieces.
pub(super) struct Scan {
    forms: Arc<Forms>,
    /// What has been looked at and is not let go of yet, as it came.
    text: BytesMut,
    /// The same, masked as far as it is known to be a secret.
    shown: BytesMut,
    /// How much came before it.
    base: u64,
    /// How much of all has been looked at.
    now: u64,
    /// Where all of it may be cut.
    cut: Cut,
    /// The text as it is.
    tracks: Tracks,
    /// The text with its escapes undone, once, twice and so on.
    lanes: [Lane; DEPTH],
    /// How many of those are open.
    open: usize,
}

/// The text with its escapes undone once more than in the lane below.
///
/// Most texts have few escapes. So a lane is open only from an escape on until it
/// makes no difference any more.
struct Lane {
    tracks: Tracks,
    open: bool,
    /// Whether there was an escape: it is not what the lane below is.
    apart: bool,
    /// What may be an escape.
    pending: Pending,
}

/// The beginning of what may be an escape.
#[derive(Default, Clone, Copy)]
struct Pending {
    values: [u8; escape::LONGEST],
    places: [(u64, u64); escape::LONGEST],
    count: usize,
}

impl Pending {
    fn push(&mut self, unit: Unit) {
        self.values[self.count] = unit.value;
        self.places[self.count] = (unit.start, unit.end);
        self.count += 1;
    }

    fn read(&self) -> Read {
        match escape::read(&self.values[..self.count]) {
            Read::More if self.count == escape::LONGEST => Read::No,
            read => read,
        }
    }

    fn units(&self) -> impl Iterator<Item = Unit> {
        let (values, places) = (self.values, self.places);
        (0..self.count).map(move |index| Unit {
            value: values[index],
            start: places[index].0,
            end: places[index].1,
        })
    }
}

impl Scan {
    pub(super) fn new(forms: Arc<Forms>) -> Self {
        let lanes = std::array::from_fn(|_| Lane {
            tracks: at_start(&forms),
            open: false,
            apart: false,
            pending: Pending::default(),
        });
        Self {
            tracks: at_start(&forms),
            forms,
            text: BytesMut::new(),
            shown: BytesMut::new(),
            base: 0,
            now: 0,
            cut: Cut::default(),
            lanes,
            open: 0,
        }
    }

    /// Takes the next piece, and lets go of what no later piece can change: see
    /// [`Cut`]; and of whatever is further back than any spelling is long.
    pub(super) fn feed(&mut self, piece: &[u8]) -> Bytes {
        self.text.extend_from_slice(piece);
        self.shown.extend_from_slice(piece);
        self.look();
        let cut = self.cut.look(piece);
        let done = cut.max(self.now.saturating_sub(self.forms.window as u64));
        let done = usize::try_from(done.saturating_sub(self.base)).unwrap_or(0);
        self.base += done as u64;
        self.text.advance(done);
        self.shown.split_to(done).freeze()
    }

    /// Lets go of the rest: there is no later piece.
    pub(super) fn finish(&mut self) -> Bytes {
        for lane in 1..=DEPTH {
            while self.lanes[lane - 1].pending.count > 0 {
                self.give_up(lane);
            }
        }
        let rest = self.shown.split().freeze();
        *self = Self::new(Arc::clone(&self.forms));
        rest
    }

    /// How much is held back.
    pub(super) fn held(&self) -> usize {
        self.shown.len()
    }

    fn look(&mut self) {
        let end = self.base + self.text.len() as u64;
        while self.now < end {
            let mut at = self.index(self.now);
            if self.open == 0 {
                // Up to the next escape, there is only the text as it is.
                let rest = &self.text[at..];
                let escape = rest.iter().position(|byte| escape::starts(*byte));
                let plain = &rest[..escape.unwrap_or(rest.len())];
                let window = self.forms.window;
                for (track, net) in self.tracks.iter_mut().zip(&self.forms.nets) {
                    track.run(net, plain, self.now, |range| {
                        hide(&mut self.shown, self.base, range.end, window, range);
                    });
                }
                at += plain.len();
                self.now += plain.len() as u64;
                if self.now == end {
                    break;
                }
            }
            let start = self.now;
            self.now += 1;
            let value = self.text[at];
            let end = self.now;
            self.step(0, Unit { value, start, end });
        }
    }

    fn index(&self, place: u64) -> usize {
        usize::try_from(place - self.base).unwrap_or(usize::MAX)
    }

    /// Takes a unit of a lane, which is open or the text itself.
    fn step(&mut self, lane: usize, unit: Unit) {
        if lane < DEPTH && escape::starts(unit.value) && !self.lanes[lane].open {
            self.fork(lane);
            self.lanes[lane].pending.push(unit);
            return self.advance(lane, unit);
        }
        let above = match self.open {
            0 => None,
            _ => (lane..DEPTH).find(|above| self.lanes[*above].open),
        };
        if let Some(above) = above {
            self.read(above + 1, unit);
        }
        self.advance(lane, unit);
        if let Some(above) = above {
            self.close(above + 1, lane);
        }
    }

    /// Opens the lane above one. Up to here, it is what that one is.
    fn fork(&mut self, lane: usize) {
        let (below, above) = self.lanes.split_at_mut(lane);
        let tracks = below.last().map_or(&self.tracks, |lane| &lane.tracks);
        for (own, other) in above[0].tracks.iter_mut().zip(tracks) {
            own.copy(other);
        }
        above[0].open = true;
        above[0].apart = false;
        self.open += 1;
    }

    /// Goes on in a lane, and masks what was found.
    fn advance(&mut self, lane: usize, unit: Unit) {
        let tracks = match lane.checked_sub(1) {
            None => &mut self.tracks,
            Some(lane) => &mut self.lanes[lane].tracks,
        };
        for (track, net) in tracks.iter_mut().zip(&self.forms.nets) {
            track.step(net, unit, |range| {
                hide(
                    &mut self.shown,
                    self.base,
                    self.now,
                    self.forms.window,
                    range,
                );
            });
        }
    }

    /// Takes a unit of the lane below one.
    fn read(&mut self, lane: usize, unit: Unit) {
        let pending = &mut self.lanes[lane - 1].pending;
        if pending.count == 0 && !escape::starts(unit.value) {
            return self.step(lane, unit);
        }
        pending.push(unit);
        match pending.read() {
            Read::More => {}
            Read::No => self.give_up(lane),
            Read::Byte(byte) => self.undone(lane, &[byte]),
            Read::Is(c) => self.undone(lane, c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }

    /// What is pending is an escape, of these bytes.
    fn undone(&mut self, lane: usize, bytes: &[u8]) {
        let this = &mut self.lanes[lane - 1];
        let start = this.pending.places[0].0;
        let end = this.pending.places[this.pending.count - 1].1;
        this.pending.count = 0;
        this.apart = true;
        for &value in bytes {
            self.step(lane, Unit { value, start, end });
        }
    }

    /// What is pending is no escape; what follows its first character may be.
    fn give_up(&mut self, lane: usize) {
        let all = std::mem::take(&mut self.lanes[lane - 1].pending);
        let mut units = all.units();
        if let Some(first) = units.next() {
            self.step(lane, first);
        }
        for unit in units {
            self.read(lane, unit);
        }
    }

    /// Closes a lane that is what the open one below it is.
    fn close(&mut self, lane: usize, below: usize) {
        let this = &self.lanes[lane - 1];
        let others = match below.checked_sub(1) {
            None => &self.tracks,
            Some(below) => &self.lanes[below].tracks,
        };
        let alike = || {
            let mut both = this.tracks.iter().zip(others).zip(&self.forms.nets);
            both.all(|((one, other), net)| one.is_like(other, net))
        };
        if this.pending.count == 0 && (!this.apart || alike()) {
            self.lanes[lane - 1].open = false;
            self.open -= 1;
        }
    }
}

/// Masks some of a text that begins at `base`. However much of it is still there,
/// only so much of it is masked: it must not matter how a text is cut up.
fn hide(shown: &mut [u8], base: u64, now: u64, window: usize, range: Range<u64>) {
    let start = range.start.max(now.saturating_sub(window as u64)).max(base);
    if start < range.end {
        let from = usize::try_from(start - base).unwrap_or(usize::MAX);
        let to = usize::try_from(range.end - base).unwrap_or(usize::MAX);
        shown[from..to].fill(MASKED);
    }
}

#[cfg(test)]
mod tests;
