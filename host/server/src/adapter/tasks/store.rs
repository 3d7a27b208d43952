//! Every task there is, until its time to live is over.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    DetailedTask, InputRequest, InputResponses, JsonObject, Task, TaskPayload, TaskStatus,
};
use rmcp::task_manager::current_timestamp;
use serde::Serialize;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::adapter::asking::{MAX_STATE, Round};

/// How long a task is kept after it was made, whatever becomes of it.
pub(super) const KEPT: Duration = Duration::from_secs(60 * 60);

/// How often a client should ask how a task is.
const POLL: Duration = Duration::from_secs(1);

/// Tasks of one principal, and of all.
const MAX_TASKS: (usize, usize) = (256, 1024);

/// Bytes that the tasks of one principal, and of all, may take: arguments,
/// rounds and results.
const MAX_BYTES: (usize, usize) = (64 * 1024 * 1024, 256 * 1024 * 1024);

/// Why there can't be another task, or this one can't keep more.
#[derive(Debug, thiserror::Error)]
pub(in crate::adapter) enum NoRoom {
    #[error("as many tasks are kept as there may be; each is forgotten an hour after it began")]
    Tasks,
    #[error("what tasks may keep in memory is used up")]
    Bytes,
}

impl From<NoRoom> for ErrorData {
    fn from(error: NoRoom) -> Self {
        Self::internal_error(error.to_string(), None)
    }
}

/// Cheap to ask; what runs a task is elsewhere and tells it how it goes.
pub(in crate::adapter) struct Tasks {
    entries: Mutex<HashMap<String, Entry>>,
    end: CancellationToken,
}

struct Entry {
    principal: Arc<str>,
    cancel: CancellationToken,
    created_at: String,
    updated_at: String,
    message: Option<String>,
    phase: Phase,
    /// What it takes beside its phase, and with it.
    base: usize,
    bytes: usize,
}

enum Phase {
    Working,
    Asking(Asking),
    /// With what it came to. Shared: it may be large, and a copy is not made
    /// while others wait for the store.
    Ended(Arc<TaskPayload>),
}

/// Questions that wait for answers.
struct Asking {
    open: BTreeMap<String, Asked>,
    round: Round,
    /// Bytes that answers may still take.
    room: usize,
    /// Takes the round on when nothing is open any more.
    answered: oneshot::Sender<Round>,
}

/// A task as it was when it was looked at.
pub(super) struct Look {
    task: Task,
    payload: Arc<TaskPayload>,
    /// What it takes, in bytes.
    pub(super) bytes: usize,
}

impl Look {
    /// With a copy of what it came to.
    pub(super) fn detailed(self) -> DetailedTask {
        DetailedTask::new(self.task, TaskPayload::clone(&self.payload))
    }
}

/// What the call of a task ended with, as it is kept, and its size in bytes.
pub(super) struct Outcome {
    object: JsonObject,
    bytes: usize,
}

impl Outcome {
    /// Of what is sent as a result or as an error.
    pub(super) fn of(what: &impl Serialize) -> Self {
        let object = super::object(what);
        let bytes = serde_json::to_vec(&object).map_or(usize::MAX, |bytes| bytes.len());
        Self { object, bytes }
    }
}

/// A question that a client finds in a task.
pub(super) struct Asked {
    /// The plugin's own key for it.
    pub(super) key: String,
    pub(super) request: InputRequest,
}

impl Tasks {
    /// All of them end when `closing` is cancelled.
    pub(in crate::adapter) fn new(closing: &CancellationToken) -> Arc<Self> {
        Arc::new(Self {
            entries: Mutex::default(),
            end: closing.child_token(),
        })
    }

    /// Ends every task.
    pub(in crate::adapter) fn end(&self) {
        self.end.cancel();
    }

    /// A token for a task that is yet to be.
    pub(super) fn token(&self) -> CancellationToken {
        self.end.child_token()
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<String, Entry>> {
        // Each change is whole before the next can fail.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether `principal` may have another task that takes `bytes`.
    pub(super) fn room(&self, principal: &str, bytes: usize) -> Result<(), NoRoom> {
        Usage::of(&self.entries(), principal).admits(1, bytes)
    }

    /// Makes a task that works.
    pub(super) fn admit(
        self: &Arc<Self>,
        id: String,
        principal: &Arc<str>,
        cancel: CancellationToken,
        bytes: usize,
    ) -> Result<Ticket, NoRoom> {
        let mut entries = self.entries();
        Usage::of(&entries, principal).admits(1, bytes)?;
        let now = current_timestamp();
        let entry = Entry {
            principal: Arc::clone(principal),
            cancel,
            created_at: now.clone(),
            updated_at: now,
            message: None,
            phase: Phase::Working,
            base: bytes,
            bytes,
        };
        entries.insert(id.clone(), entry);
        Ok(Ticket {
            tasks: Arc::clone(self),
            id,
            expires: Instant::now() + KEPT,
        })
    }

    /// Does something with a task of this principal; none if it has no such
    /// task.
    fn with<T>(
        &self,
        id: &str,
        principal: &str,
        change: impl FnOnce(&mut Entry) -> T,
    ) -> Option<T> {
        let mut entries = self.entries();
        let entry = entries.get_mut(id)?;
        (*entry.principal == *principal).then(|| change(entry))
    }

    /// How a task is, and its weight in bytes.
    pub(super) fn get(&self, id: &str, principal: &str) -> Option<Look> {
        self.with(id, principal, |entry| Look {
            task: entry.task(id),
            payload: entry.payload(),
            bytes: entry.bytes,
        })
    }

    /// Takes answers over. Those to nothing that is open, and those that are
    /// not what was asked for, are as if they were not there.
    pub(super) fn update(
        &self,
        id: &str,
        principal: &str,
        responses: InputResponses,
    ) -> Option<Result<(), NoRoom>> {
        let mut entries = self.entries();
        let usage = Usage::of(&entries, principal);
        let entry = entries.get_mut(id)?;
        (*entry.principal == *principal).then(|| entry.answer(responses, &usage))
    }

    /// Stops a task that has not ended.
    pub(super) fn cancel(&self, id: &str, principal: &str) -> Option<()> {
        self.with(id, principal, |entry| {
            entry.cancel.cancel();
            entry.end(TaskPayload::Cancelled, 0);
        })
    }

    /// Says how far a task is.
    pub(super) fn say(&self, id: &str, message: String) {
        if let Some(entry) = self.entries().get_mut(id)
            && !matches!(entry.phase, Phase::Ended(_))
        {
            entry.message = Some(message);
            entry.updated_at = current_timestamp();
        }
    }
}

/// What there is of one principal, and of all.
#[derive(Default)]
struct Usage {
    tasks: (usize, usize),
    bytes: (usize, usize),
}

impl Usage {
    fn of(entries: &HashMap<String, Entry>, principal: &str) -> Self {
        let mut usage = Self::default();
        for entry in entries.values() {
            usage.tasks.1 += 1;
            usage.bytes.1 += entry.bytes;
            if *entry.principal == *principal {
                usage.tasks.0 += 1;
                usage.bytes.0 += entry.bytes;
            }
        }
        usage
    }

    fn admits(&self, tasks: usize, bytes: usize) -> Result<(), NoRoom> {
        if self.tasks.0 + tasks > MAX_TASKS.0 || self.tasks.1 + tasks > MAX_TASKS.1 {
            return Err(NoRoom::Tasks);
        }
        let over = |used: usize, most: usize| used.saturating_add(bytes) > most;
        if over(self.bytes.0, MAX_BYTES.0) || over(self.bytes.1, MAX_BYTES.1) {
            return Err(NoRoom::Bytes);
        }
        Ok(())
    }
}

impl Entry {
    fn status(&self) -> TaskStatus {
        match &self.phase {
            Phase::Working => TaskStatus::Working,
            Phase::Asking(_) => TaskStatus::InputRequired,
            Phase::Ended(payload) => payload.status(),
        }
    }

    fn task(&self, id: &str) -> Task {
        let mut task = Task::new(id, self.status(), &*self.created_at, &*self.updated_at)
            .with_ttl_ms(millis(KEPT))
            .with_poll_interval_ms(millis(POLL));
        task.status_message.clone_from(&self.message);
        task
    }

    fn payload(&self) -> Arc<TaskPayload> {
        Arc::new(match &self.phase {
            Phase::Working => TaskPayload::Working,
            Phase::Asking(asking) => TaskPayload::InputRequired {
                input_requests: asking
                    .open
                    .iter()
                    .map(|(key, asked)| (key.clone(), asked.request.clone()))
                    .collect(),
            },
            Phase::Ended(payload) => return Arc::clone(payload),
        })
    }

    fn enter(&mut self, phase: Phase, bytes: usize) {
        self.phase = phase;
        self.bytes = self.base + bytes;
        self.updated_at = current_timestamp();
    }

    /// Nothing changes a task that has ended.
    fn end(&mut self, payload: TaskPayload, bytes: usize) {
        if !matches!(self.phase, Phase::Ended(_)) {
            // The arguments are gone with what ran.
            self.base = 0;
            self.message = None;
            self.enter(Phase::Ended(Arc::new(payload)), bytes);
        }
    }

    fn answer(&mut self, responses: InputResponses, usage: &Usage) -> Result<(), NoRoom> {
        let Phase::Asking(asking) = &mut self.phase else {
            return Ok(());
        };
        for (key, value) in responses {
            let Some(asked) = asking.open.get(&key) else {
                continue;
            };
            let size = value.to_string().len();
            let room = asking.room.checked_sub(size).ok_or(NoRoom::Bytes)?;
            usage.admits(0, MAX_STATE - room)?;
            if asking.round.answer_one(&asked.key, value) {
                asking.open.remove(&key);
                asking.room = room;
                self.bytes += size;
            }
        }
        let phase = std::mem::replace(&mut self.phase, Phase::Working);
        match phase {
            Phase::Asking(asking) if asking.open.is_empty() => {
                // If nobody waits for it, the task has just been stopped.
                let _ = asking.answered.send(asking.round);
                self.updated_at = current_timestamp();
            }
            phase => self.phase = phase,
        }
        Ok(())
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The hand of what runs a task on its entry. A task whose ticket is dropped
/// before it has ended has failed.
pub(super) struct Ticket {
    tasks: Arc<Tasks>,
    id: String,
    expires: Instant,
}

impl Ticket {
    /// When the task is forgotten.
    pub(super) fn expires(&self) -> Instant {
        self.expires
    }

    /// The task as it is now, without what it came to.
    pub(super) fn task(&self) -> Option<Task> {
        let entries = self.tasks.entries();
        entries.get(&self.id).map(|entry| entry.task(&self.id))
    }

    /// Parks the task until its questions have answers.
    pub(super) fn ask(
        &self,
        round: Round,
        open: BTreeMap<String, Asked>,
    ) -> Result<oneshot::Receiver<Round>, NoRoom> {
        let bytes = round.weight();
        let (answered, answers) = oneshot::channel();
        self.change(bytes, |entry| {
            if !matches!(entry.phase, Phase::Ended(_)) {
                let asking = Asking {
                    open,
                    round,
                    room: MAX_STATE,
                    answered,
                };
                entry.enter(Phase::Asking(asking), bytes);
            }
        })?;
        Ok(answers)
    }

    /// Ends the task with the result of its call, or its error.
    pub(super) fn settle(&self, outcome: Result<Outcome, Outcome>) {
        let (payload, bytes) = match outcome {
            Ok(Outcome { object, bytes }) => (TaskPayload::Completed { result: object }, bytes),
            Err(Outcome { object, bytes }) => (TaskPayload::Failed { error: object }, bytes),
        };
        if let Err(error) = self.change(bytes, |entry| entry.end(payload, bytes)) {
            self.fail(&error.into());
        }
    }

    fn fail(&self, error: &ErrorData) {
        if let Some(entry) = self.tasks.entries().get_mut(&self.id) {
            let error = super::object(error);
            entry.end(TaskPayload::Failed { error }, 0);
        }
    }

    /// Changes the entry if it may take `bytes` beside its base.
    fn change(&self, bytes: usize, change: impl FnOnce(&mut Entry)) -> Result<(), NoRoom> {
        let mut entries = self.tasks.entries();
        let Some(entry) = entries.get_mut(&self.id) else {
            return Ok(());
        };
        let principal = Arc::clone(&entry.principal);
        entry.bytes = entry.base;
        Usage::of(&entries, &principal).admits(0, bytes)?;
        if let Some(entry) = entries.get_mut(&self.id) {
            change(entry);
        }
        Ok(())
    }

    /// Takes the task out: nobody finds it any more.
    pub(super) fn forget(self) {
        self.tasks.entries().remove(&self.id);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.fail(&ErrorData::internal_error("the task was lost", None));
    }
}
