//! Arrays of messages, as revision 2025-03-26 has them: what is answered to
//! the requests of one is sent together, as one array.

use std::collections::HashMap;

use rmcp::model::ServerJsonRpcMessage;
use serde_json::value::{RawValue, to_raw_value};

use crate::adapter::http::no_room;

/// Messages one array may hold.
pub(super) const MAX_BATCH: usize = 100;

/// Bytes of answers that may wait for the others of their arrays; instead of
/// what is more than that there is an error.
const MAX_HELD: usize = 64 * 1024 * 1024;

/// Arrays that have been read and not been answered.
#[derive(Default)]
pub(super) struct Batches {
    open: HashMap<u64, Batch>,
    last: u64,
    held: usize,
}

/// One of them.
struct Batch {
    /// Messages whose answer, or that they have none, is not known yet.
    waiting: usize,
    answers: Vec<Box<RawValue>>,
}

/// An answer as JSON, and what is sent where there is no room for it.
pub(super) struct Written {
    whole: Box<RawValue>,
    instead: Box<RawValue>,
}

impl Written {
    /// # Errors
    ///
    /// If it can't be written as JSON.
    pub(super) fn of(answer: &ServerJsonRpcMessage) -> serde_json::Result<Self> {
        Ok(Self {
            whole: to_raw_value(answer)?,
            instead: to_raw_value(&no_room(answer))?,
        })
    }
}

/// All that is answered to one array; never empty.
pub(super) type Answers = Vec<Box<RawValue>>;

impl Batches {
    /// Takes note of an array of so many messages; returns its number.
    pub(super) fn enter(&mut self, messages: usize) -> u64 {
        self.last += 1;
        let batch = Batch {
            waiting: messages,
            answers: Vec::new(),
        };
        self.open.insert(self.last, batch);
        self.last
    }

    /// A message of the array has been answered, with what is `written` as
    /// JSON. Returns all answers if it was the last. One that can't be written
    /// does not hold up the others.
    pub(super) fn answer(
        &mut self,
        number: u64,
        written: serde_json::Result<Written>,
    ) -> Option<Answers> {
        match written {
            Ok(Written { whole, .. }) if self.held + whole.get().len() <= MAX_HELD => {
                self.keep(number, whole);
            }
            Ok(Written { instead, .. }) => self.keep(number, instead),
            Err(error) => tracing::warn!("an answer can't be written as JSON: {error}"),
        }
        self.no_answer(number)
    }

    fn keep(&mut self, number: u64, answer: Box<RawValue>) {
        if let Some(batch) = self.open.get_mut(&number) {
            self.held += answer.get().len();
            batch.answers.push(answer);
        }
    }

    /// All that has been answered of arrays that will not be answered whole.
    pub(super) fn rest(&mut self) -> impl Iterator<Item = Answers> {
        self.held = 0;
        let open = std::mem::take(&mut self.open);
        let answers = open.into_values().map(|batch| batch.answers);
        answers.filter(|answers| !answers.is_empty())
    }

    /// A message of the array has no answer. Returns all answers if it was the
    /// last, and if there are any.
    pub(super) fn no_answer(&mut self, number: u64) -> Option<Answers> {
        let batch = self.open.get_mut(&number)?;
        batch.waiting = batch.waiting.saturating_sub(1);
        if batch.waiting > 0 {
            return None;
        }
        let answers = self.open.remove(&number)?.answers;
        let held: usize = answers.iter().map(|answer| answer.get().len()).sum();
        self.held = self.held.saturating_sub(held);
        (!answers.is_empty()).then_some(answers)
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{ErrorData, RequestId, ServerJsonRpcMessage};

    use super::{Batches, MAX_HELD, Written};

    fn saying(text: String, id: i64) -> serde_json::Result<Written> {
        let error = ErrorData::internal_error(text, None);
        let message = ServerJsonRpcMessage::error(error, Some(RequestId::Number(id)));
        Written::of(&message)
    }

    #[test]
    #[allow(clippy::panic, reason = "a test fails by panicking")]
    fn what_there_is_no_room_for_is_replaced_by_an_error() {
        let mut batches = Batches::default();
        let number = batches.enter(3);
        let long = "x".repeat(MAX_HELD / 2);
        assert!(batches.answer(number, saying(long.clone(), 1)).is_none());
        assert!(batches.answer(number, saying(long, 2)).is_none());
        let answers = batches.no_answer(number).unwrap_or_default();
        let [whole, instead] = &answers[..] else {
            panic!("{} answers", answers.len());
        };
        assert!(whole.get().len() > MAX_HELD / 2);
        assert!(instead.get().len() < 1_000, "{instead}");
        assert!(instead.get().contains("\"id\":2"), "{instead}");
        assert_eq!(batches.held, 0);
    }

    #[test]
    fn nothing_is_sent_where_nothing_is_answered() {
        let mut batches = Batches::default();
        let number = batches.enter(2);
        assert!(batches.no_answer(number).is_none());
        assert!(batches.no_answer(number).is_none());
        assert!(batches.open.is_empty());
    }
}
