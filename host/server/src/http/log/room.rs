//! Room in a log: who has to go, and who is not let in.

use hyper::body::Bytes;

use super::stream::{DATA, END, Stream};
use super::{NoRoom, STANDALONE, Shared, State};

impl Shared {
    /// Adds an event. One that `must` be kept may be too large as long as
    /// there was room before it.
    pub(super) fn push(
        &self,
        state: &mut State,
        stream: u64,
        message: &[u8],
        must: bool,
    ) -> Result<(), NoRoom> {
        let Some(found) = state.streams.get(&stream) else {
            // Nobody will ever hear it.
            return Ok(());
        };
        if found.is_endless()
            && found.reader.is_none()
            && found.waiting.len() >= self.bounds.unheard
        {
            self.drop_first_waiting(state, stream);
        }
        let size = DATA.len() + message.len() + END.len();
        let need = if must { 0 } else { size };
        while !self.fits(state, need) {
            if !self.make_room(state, stream) {
                return Err(NoRoom);
            }
        }
        self.force(state, stream, message);
        Ok(())
    }

    /// Adds an event whether there is room for it or not.
    pub(super) fn force(&self, state: &mut State, stream: u64, message: &[u8]) {
        let Some(found) = state.streams.get_mut(&stream) else {
            return;
        };
        let mut data = Vec::with_capacity(DATA.len() + message.len() + END.len());
        data.extend_from_slice(DATA);
        data.extend_from_slice(message);
        data.extend_from_slice(END);
        state.bytes += data.len();
        state.events += 1;
        found.waiting.push_back(self.budget.hold(data));
        found.wake();
    }

    /// One answer less is to come; a stream that is over and that nobody can
    /// ask for goes.
    pub(super) fn one_less(&self, state: &mut State, stream: u64) {
        state.touched = std::time::Instant::now();
        let Some(found) = state.streams.get_mut(&stream) else {
            return;
        };
        found.one_less();
        if found.is_unreachable() && self.keeps {
            self.remove(state, stream);
        }
    }

    fn fits(&self, state: &State, more: usize) -> bool {
        state.bytes.saturating_add(more) <= self.bounds.bytes
            && state.events < self.bounds.events
            && self.budget.has(more)
    }

    /// Forgets what is needed least; false if all of it is needed.
    fn make_room(&self, state: &mut State, keep: u64) -> bool {
        let heard = state
            .streams
            .iter()
            .filter(|(number, stream)| **number != keep && stream.was_heard())
            .min_by_key(|(_, stream)| stream.finished)
            .map(|(number, _)| *number);
        if let Some(number) = heard {
            self.remove(state, number);
            return true;
        }
        let with_heard = state
            .streams
            .values_mut()
            .find_map(|stream| stream.heard.pop_front().map(|event| (stream, event)));
        let Some((stream, (number, data))) = with_heard else {
            return false;
        };
        stream.forgotten = number;
        state.count_off(&data);
        true
    }

    fn drop_first_waiting(&self, state: &mut State, stream: u64) {
        let first = state.streams.get_mut(&stream);
        if let Some(data) = first.and_then(|stream| stream.waiting.pop_front()) {
            state.count_off(&data);
        }
    }

    /// A stream is not kept any more.
    pub(super) fn remove(&self, state: &mut State, number: u64) {
        if number == STANDALONE && self.keeps {
            return;
        }
        if let Some(stream) = state.streams.remove(&number) {
            state.release(&stream);
        }
    }
}

impl State {
    /// An event is not kept any more.
    pub(super) fn count_off(&mut self, data: &Bytes) {
        self.bytes -= data.len();
        self.events -= 1;
    }

    /// A stream is not kept any more.
    pub(super) fn release(&mut self, stream: &Stream) {
        let (events, bytes) = stream.size();
        self.events -= events;
        self.bytes -= bytes;
    }
}
