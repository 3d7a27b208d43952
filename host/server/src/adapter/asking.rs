//! Questions to a client, and the same call again with the answers.
//!
//! A plugin never waits for anybody: it returns its questions and is called
//! again. To a client of 2026-07-28 they are the result, with the round so far
//! sealed beside them; an older one gets them as requests while its call
//! stays open.

#![expect(
    deprecated,
    reason = "2026-07-28 deprecates sampling and roots; until they are gone they are served"
)]

use std::time::Duration;

use palisade_runtime::contract::{ClientCapabilities, Context, InputAsk, InputRequired};
use rmcp::ErrorData;
use rmcp::model::{self, InputRequiredResult, InputResponses};
use rmcp::service::{RequestContext, RoleServer};
use tokio_util::sync::CancellationToken;

use crate::adapter::context;
use crate::adapter::open::InFlight;

mod answers;
mod questions;
mod round;
mod seal;

pub(super) use questions::Question;
pub(super) use round::{CantAsk, Round};
pub(super) use seal::{Binding, MAX_STATE, Seal};

/// Until a plugin that asked nothing is called again.
pub(super) const PAUSE: Duration = Duration::from_millis(100);

/// What a request brings along from the rounds before it.
#[derive(Default)]
pub(super) struct Echo {
    pub(super) responses: Option<InputResponses>,
    pub(super) state: Option<String>,
    /// Both, once they have been looked at.
    pub(super) round: Option<Round>,
}

impl Echo {
    /// Looks at what the client kept, if it kept anything and that has not
    /// been done.
    ///
    /// # Errors
    ///
    /// If it belongs to another call.
    pub(super) fn open(&mut self, seal: &Seal, binding: &Binding) -> Result<(), ErrorData> {
        if let (None, Some(state)) = (&self.round, &self.state) {
            let responses = self.responses.take();
            self.round = Some(resume(seal, state, responses, binding)?);
        }
        Ok(())
    }
}

/// What asking takes.
pub(super) struct Asking<'a> {
    pub(super) seal: &'a Seal,
    pub(super) in_flight: &'a InFlight,
    /// Nobody will answer any more.
    pub(super) input_end: &'a CancellationToken,
}

/// How one round ends.
pub(super) enum Step<T> {
    Done(T),
    Ask(InputRequired),
}

/// How all of them end.
pub(super) enum Conversed<T> {
    Done(T),
    /// To be sent again with answers.
    Ask(InputRequiredResult),
    /// The questions could not be asked; in words for a model.
    Failed(String),
}

/// Runs `round` until it has no more questions, or returns those that the
/// client has to bring the answers to itself.
///
/// `again` is whether `round` can be called more than once.
pub(super) async fn converse<T, F>(
    asking: Asking<'_>,
    context: &RequestContext<RoleServer>,
    binding: impl FnOnce() -> Binding,
    mut echo: Echo,
    mut round: impl FnMut(Context) -> F,
) -> Result<Conversed<T>, ErrorData>
where
    F: Future<Output = Result<Step<T>, ErrorData>>,
{
    let stateless = context::is_stateless(context);
    let mut binding = Some(binding);
    let mut bound = None;
    if stateless && echo.state.is_some() && echo.round.is_none() {
        let binding = binding.take().map(|binding| binding());
        if let Some(binding) = &binding {
            echo.open(asking.seal, binding)?;
        }
        bound = binding;
    }
    let mut so_far = echo.round.unwrap_or_default();
    loop {
        let mut given = context::of(context);
        let can = given.capabilities;
        so_far.fill(&mut given);
        let questions = match round(given).await? {
            Step::Done(done) => return Ok(Conversed::Done(done)),
            Step::Ask(questions) => questions,
        };
        let asked = match so_far.ask(questions, can) {
            Ok(asked) => asked,
            Err(problem) if stateless => return cant(problem).map(Conversed::Failed),
            Err(problem) => return Ok(Conversed::Failed(problem.to_string())),
        };
        if stateless {
            let bound = bound.or_else(|| binding.take().map(|binding| binding()));
            let given = bound.and_then(|binding| hand_over(asking.seal, &so_far, asked, &binding));
            return Ok(match given {
                Some(questions) => Conversed::Ask(questions),
                None => Conversed::Failed(CantAsk::TooMuch.to_string()),
            });
        }
        if asked.is_empty() {
            // It only wants to be called again; not at once, or a plugin
            // that waits for something would keep a core busy.
            tokio::time::sleep(PAUSE).await;
        }
        let answers = ask_all(&asking, context, asked).await?;
        so_far.answer(answers);
    }
}

/// The round that a stateless client kept, with its answers.
///
/// # Errors
///
/// If it belongs to another call.
fn resume(
    seal: &Seal,
    state: &str,
    responses: Option<InputResponses>,
    binding: &Binding,
) -> Result<Round, ErrorData> {
    let mut round = seal.open(state, binding)?;
    round.answer(responses.unwrap_or_default());
    Ok(round)
}

/// Questions as a stateless client gets them; none if it would have to keep
/// too much.
pub(super) fn hand_over(
    seal: &Seal,
    round: &Round,
    asked: Vec<(String, Question)>,
    binding: &Binding,
) -> Option<InputRequiredResult> {
    let state = seal.close(round, binding)?;
    let requests = (!asked.is_empty()).then(|| {
        asked
            .into_iter()
            .map(|(key, question)| (key, question.into()))
            .collect()
    });
    Some(InputRequiredResult::new(requests, Some(state)))
}

/// What a stateless client is told where it can't be asked, in words for a
/// model.
///
/// # Errors
///
/// If the client does not declare what the question needs.
pub(super) fn cant(problem: CantAsk) -> Result<String, ErrorData> {
    match problem {
        CantAsk::NotDeclared(needed) => Err(ErrorData::missing_required_client_capability(
            declared(needed),
        )),
        problem => Ok(problem.to_string()),
    }
}

/// Asks a client of an older revision, everything at once.
async fn ask_all(
    asking: &Asking<'_>,
    context: &RequestContext<RoleServer>,
    asked: Vec<(String, Question)>,
) -> Result<InputResponses, ErrorData> {
    let _waits = asking.in_flight.wait();
    let questions = asked.into_iter().map(|(key, question)| async {
        let answer = context.peer.send_request(question.into()).await;
        (key, answer)
    });
    let answers = tokio::select! {
        answers = tokio::time::timeout(seal::KEPT, futures_util::future::join_all(questions)) => {
            answers.map_err(|_| ErrorData::internal_error("nobody answered within an hour", None))?
        }
        () = asking.input_end.cancelled() => {
            let why = "the client closed its end and can't answer";
            return Err(ErrorData::internal_error(why, None));
        }
        // Whatever the client still answers, nobody waits for it.
        () = context.ct.cancelled() => return Err(ErrorData::internal_error("cancelled", None)),
    };
    let mut responses = InputResponses::new();
    for (key, answer) in answers {
        let answer = answer
            .map_err(|error| format!("the client could not be asked: {error}"))
            .and_then(|answer| {
                serde_json::to_value(answer)
                    .map_err(|error| format!("the client's answer can't be read: {error}"))
            });
        match answer {
            Ok(answer) => {
                responses.insert(key, answer);
            }
            Err(problem) => return Err(ErrorData::internal_error(problem, None)),
        }
    }
    Ok(responses)
}

/// What a plugin's question needs of a client.
fn needs(ask: &InputAsk) -> ClientCapabilities {
    match ask {
        InputAsk::ElicitForm(_) => ClientCapabilities::ELICITATION_FORM,
        InputAsk::ElicitUrl(_) => ClientCapabilities::ELICITATION_URL,
        InputAsk::Sample(sample) if sample.tools.is_empty() && sample.tool_choice.is_none() => {
            ClientCapabilities::SAMPLING
        }
        InputAsk::Sample(_) => ClientCapabilities::SAMPLING | ClientCapabilities::SAMPLING_TOOLS,
        InputAsk::ListRoots => ClientCapabilities::ROOTS,
    }
}

/// Capabilities as a client would have to declare them.
fn declared(needed: ClientCapabilities) -> model::ClientCapabilities {
    use ClientCapabilities as Need;
    let mut needs = serde_json::Map::new();
    let object = || serde_json::json!({});
    if needed.contains(Need::ELICITATION_URL) {
        needs.insert("elicitation".into(), serde_json::json!({ "url": {} }));
    }
    if needed.contains(Need::ELICITATION_FORM) {
        // An empty object is form mode.
        needs.entry("elicitation").or_insert_with(object);
    }
    if needed.contains(Need::SAMPLING_TOOLS) {
        needs.insert("sampling".into(), serde_json::json!({ "tools": {} }));
    } else if needed.contains(Need::SAMPLING) {
        needs.insert("sampling".into(), object());
    }
    if needed.contains(Need::ROOTS) {
        needs.insert("roots".into(), object());
    }
    serde_json::from_value(needs.into()).unwrap_or_default()
}
