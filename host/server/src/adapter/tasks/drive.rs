//! What runs a task: a plugin, called until it has no more questions.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::Arc;

use palisade_runtime::contract::{Context, InputRequired};
use palisade_runtime::{CallEvent, EventSink, Placement};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::adapter::asking::{self, PAUSE, Question, Round, Step};
use crate::adapter::refusal;
use crate::adapter::requests::shown;
use crate::adapter::shared::Shared;
use crate::adapter::tasks::store::{Asked, Outcome, Tasks, Ticket};
use crate::kept::Owner;
use crate::outcome::{Checked, clean};
use crate::service::{CallRequest, Reply, Run, Service, View};

/// Longest message about a task's progress, in characters.
const MAX_MESSAGE: usize = 1000;

/// A call of a plugin that has begun.
pub(super) type Running = Pin<Box<dyn Future<Output = Result<Step<Checked>, ErrorData>> + Send>>;

/// A call that is, or becomes, a task.
#[derive(Clone)]
pub(super) struct Work {
    pub(super) shared: Shared,
    /// Whose the result is, if it has to be kept because it is too large.
    pub(super) owner: Owner,
    pub(super) service: Service,
    pub(super) tasks: Arc<Tasks>,
    pub(super) id: Arc<str>,
    pub(super) name: String,
    pub(super) arguments: Arc<Value>,
    /// What it may use from beginning to end.
    pub(super) view: View,
    /// As the request said, without rounds.
    pub(super) context: Context,
    pub(super) cancel: CancellationToken,
}

impl Work {
    /// Calls the plugin with what is known so far.
    pub(super) fn begin(&self, round: &Round) -> Running {
        let work = self.clone();
        let mut context = work.context.clone();
        // What it says of its progress is for those who ask.
        context.wants_progress = true;
        round.fill(&mut context);
        Box::pin(async move {
            let request = CallRequest {
                name: work.name,
                arguments: work.arguments,
                context,
            };
            let run = Run {
                sink: Arc::new(Status {
                    tasks: work.tasks,
                    id: work.id,
                }),
                cancel: work.cancel,
                placement: Placement::Shared,
                view: work.view,
            };
            match work.service.call(request, run).await {
                Reply::Done(done) => Ok(Step::Done(done)),
                Reply::Ask(questions) => Ok(Step::Ask(questions)),
                Reply::Refused(refused) => Err(refusal::error(refused)),
            }
        })
    }
}

/// Runs a task to its end, and keeps what it came to for its time to live.
pub(super) async fn drive(work: Work, ticket: Ticket, round: Round, first: Running) {
    let expires = ticket.expires();
    let stopped = work.cancel.clone();
    let all = async {
        let outcome = tokio::select! {
            biased;
            // Whoever stopped it has said so.
            () = stopped.cancelled() => return,
            outcome = converse(&work, &ticket, round, first) => outcome,
        };
        match outcome {
            Ok(result) => ticket.settle(Ok(result)),
            Err(error) => ticket.settle(Err(Outcome::of(&error))),
        }
    };
    // All that ran is dropped here, and not when the task is forgotten.
    let over = tokio::time::timeout_at(expires, all).await.is_err();
    let end = work.tasks.token();
    drop(work);
    if !over {
        tokio::select! {
            () = tokio::time::sleep_until(expires) => {}
            () = end.cancelled() => {}
        }
    }
    ticket.forget();
}

async fn converse(
    work: &Work,
    ticket: &Ticket,
    mut round: Round,
    first: Running,
) -> Result<Outcome, ErrorData> {
    let mut running = first;
    let mut keys = Keys::default();
    loop {
        let questions = match running.await? {
            Step::Done(checked) => {
                let (result, rest) = shown(checked, |result| Outcome::of(&result)).await;
                if let Some((uri, contents)) = rest {
                    work.shared.kept().keep(&work.owner, uri, contents);
                }
                return Ok(result);
            }
            Step::Ask(questions) => questions,
        };
        round = match ask(work, ticket, round, questions, &mut keys).await? {
            Ok(answered) => answered,
            Err(problem) => return Ok(Outcome::of(&failure(problem))),
        };
        running = work.begin(&round);
    }
}

/// Has the client asked, and returns the round with its answers; or says in
/// words for a model why that can't be.
async fn ask(
    work: &Work,
    ticket: &Ticket,
    mut round: Round,
    questions: InputRequired,
    keys: &mut Keys,
) -> Result<Result<Round, String>, ErrorData> {
    let asked = match round.ask(questions, work.context.capabilities) {
        Ok(asked) => asked,
        Err(problem) => return asking::cant(problem).map(Err),
    };
    if asked.is_empty() {
        // It only wants to be called again; not at once, or a plugin that
        // waits for something would keep a core busy.
        tokio::time::sleep(PAUSE).await;
        return Ok(Ok(round));
    }
    let answers = ticket.ask(round, keys.open(asked))?;
    match answers.await {
        Ok(answered) => Ok(Ok(answered)),
        Err(_) => Err(ErrorData::internal_error("the task was stopped", None)),
    }
}

/// A failure that a model can act on.
pub(super) fn failure(problem: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(problem)])
}

/// Keys of questions, of which a task never has the same one twice.
#[derive(Default)]
struct Keys(BTreeSet<String>);

impl Keys {
    fn open(&mut self, asked: Vec<(String, Question)>) -> BTreeMap<String, Asked> {
        asked
            .into_iter()
            .map(|(key, question)| {
                let request = question.into();
                (self.unique(&key), Asked { key, request })
            })
            .collect()
    }

    /// The plugin's own, the first time.
    fn unique(&mut self, key: &str) -> String {
        let mut unique = key.to_owned();
        let mut number = 1_u32;
        while !self.0.insert(unique.clone()) {
            number += 1;
            unique = format!("{key}-{number}");
        }
        unique
    }
}

/// What a plugin says meanwhile: the request is answered, so only how far it
/// is finds a reader.
struct Status {
    tasks: Arc<Tasks>,
    id: Arc<str>,
}

impl EventSink for Status {
    fn event(&self, event: CallEvent) {
        if let CallEvent::Progress {
            message: Some(message),
            ..
        } = event
        {
            let message = message.chars().take(MAX_MESSAGE).collect();
            self.tasks.say(&self.id, clean(message));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Keys;

    #[test]
    fn a_key_is_used_once() {
        let mut keys = Keys::default();
        let all = ["a", "a-2", "a", "a", "b"].map(|key| keys.unique(key));
        assert_eq!(all, ["a", "a-2", "a-3", "a-4", "b"]);
    }
}
