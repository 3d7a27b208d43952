//! The extension `io.modelcontextprotocol/tasks`: calls that outlive their
//! request (2026-07-28).
//!
//! A tool that may run as a task does so for every client that can follow it,
//! from the start: what it asks is asked in the task. A tool that must run as
//! one may first find out what it has to do: until it has run for [`BEFORE`],
//! its questions are the result of the request, and the task begins with the
//! answers.

use std::sync::Arc;
use std::time::Duration;

use palisade_runtime::LARGE;
use palisade_runtime::contract::TaskSupport;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResponse, ClientCapabilities, CreateTaskResult, GetTaskResult, InputResponses,
    JsonObject, TASKS_EXTENSION_ID,
};
use rmcp::service::{RequestContext, RoleServer};
use serde::Serialize;
use serde_json::Value;

use crate::adapter::asking::{self, Binding, CantAsk, Echo, Round, Step};
use crate::adapter::context;
use crate::adapter::handler::Handler;
use crate::adapter::large::aside_if;
use crate::service::View;

mod drive;
mod store;

use drive::{Running, Work, drive, failure};
pub(super) use store::Tasks;

/// How long a tool that must run as a task may take to ask its first questions
/// before there is one.
const BEFORE: Duration = Duration::from_millis(300);

/// Bytes of a task's id, which whoever knows it need not be told by anybody.
const ID: usize = 32;

/// Whether a call is to become a task.
///
/// # Errors
///
/// If it must and its client can't follow it. A client of the handshake
/// revisions never can, and gets its result as from any other tool.
pub(super) fn wanted(
    handler: &Handler,
    name: &str,
    context: &RequestContext<RoleServer>,
) -> Result<TaskSupport, ErrorData> {
    let support = handler.service().task_support(name);
    if support == TaskSupport::Forbidden || !context::is_stateless(context) {
        return Ok(TaskSupport::Forbidden);
    }
    let follows = context
        .client_capabilities()
        .is_some_and(|client| client.supports_tasks());
    match support {
        _ if follows => Ok(support),
        TaskSupport::Required => {
            let mut needed = ClientCapabilities::default();
            let extensions = needed.extensions.get_or_insert_default();
            extensions.insert(TASKS_EXTENSION_ID.to_owned(), JsonObject::new());
            Err(ErrorData::missing_required_client_capability(needed))
        }
        _ => Ok(TaskSupport::Forbidden),
    }
}

/// Runs a call as a task. None if there is no room for another, and it may as
/// well run without.
pub(super) async fn call_tool(
    handler: &Handler,
    (name, arguments, view): (&str, &Arc<Value>, &View),
    binding: Binding,
    echo: &mut Echo,
    must: bool,
    context: &RequestContext<RoleServer>,
) -> Result<Option<CallToolResponse>, ErrorData> {
    let tasks = handler.shared().tasks();
    let weight = arguments.to_string().len();
    if let Err(full) = tasks.room(handler.principal(), weight) {
        return if must { Err(full.into()) } else { Ok(None) };
    }
    let seal = handler.shared().seal();
    echo.open(seal, &binding)?;
    let round = echo.round.take();
    let work = Work {
        shared: handler.shared().clone(),
        owner: handler.owner(context),
        service: handler.service().clone(),
        tasks: Arc::clone(tasks),
        id: identifier()?.into(),
        name: name.to_owned(),
        arguments: Arc::clone(arguments),
        view: view.clone(),
        context: context::of(context),
        cancel: tasks.token(),
    };
    let asks_before = must && round.as_ref().is_none_or(Round::is_first);
    let mut round = round.unwrap_or_default();
    let mut first = work.begin(&round);
    if asks_before {
        let done = tokio::select! {
            done = tokio::time::timeout(BEFORE, &mut first) => done,
            () = context.ct.cancelled() => {
                return Err(ErrorData::internal_error("cancelled", None));
            }
        };
        match done {
            Ok(Ok(Step::Ask(questions))) => {
                let asked = match round.ask(questions, work.context.capabilities) {
                    Ok(asked) => asked,
                    Err(problem) => {
                        return asking::cant(problem).map(|why| Some(failure(why).into()));
                    }
                };
                let given = asking::hand_over(seal, &round, asked, &binding);
                let response = match given {
                    Some(questions) => questions.into(),
                    None => failure(CantAsk::TooMuch.to_string()).into(),
                };
                return Ok(Some(response));
            }
            Ok(done) => first = Box::pin(std::future::ready(done)),
            // It goes on as a task.
            Err(_) => {}
        }
    }
    begin(handler, work, weight, round, first).map(Some)
}

fn begin(
    handler: &Handler,
    work: Work,
    weight: usize,
    round: Round,
    first: Running,
) -> Result<CallToolResponse, ErrorData> {
    let (id, cancel) = (work.id.to_string(), work.cancel.clone());
    let ticket = work.tasks.admit(id, handler.principal(), cancel, weight)?;
    let task = ticket.task();
    // On its own: neither the request nor its connection ends it.
    tokio::spawn(drive(work, ticket, round, first));
    let task = task.ok_or_else(|| ErrorData::internal_error("the task was lost", None))?;
    Ok(CreateTaskResult::new(task).into())
}

/// `tasks/get`.
pub(super) async fn get(handler: &Handler, id: &str) -> Result<GetTaskResult, ErrorData> {
    let tasks = handler.shared().tasks();
    let found = tasks.get(id, handler.principal()).ok_or_else(unknown)?;
    let task = aside_if(found.bytes > LARGE, || found.detailed()).await;
    Ok(GetTaskResult::new(task))
}

/// `tasks/update`.
pub(super) fn update(
    handler: &Handler,
    id: &str,
    responses: InputResponses,
) -> Result<(), ErrorData> {
    let tasks = handler.shared().tasks();
    let taken = tasks.update(id, handler.principal(), responses);
    let taken = taken.ok_or_else(unknown)?;
    taken.map_err(|error| ErrorData::invalid_params(error.to_string(), None))
}

/// `tasks/cancel`.
pub(super) fn cancel(handler: &Handler, id: &str) -> Result<(), ErrorData> {
    let tasks = handler.shared().tasks();
    tasks.cancel(id, handler.principal()).ok_or_else(unknown)
}

/// The same for a task that never was, is forgotten, or is another's.
fn unknown() -> ErrorData {
    ErrorData::invalid_params("there is no task of this id", None)
}

fn identifier() -> Result<String, ErrorData> {
    let mut bytes = [0_u8; ID];
    getrandom::fill(&mut bytes).map_err(|error| {
        ErrorData::internal_error(format!("there are no random numbers ({error})"), None)
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// What a task comes to, as it is kept.
fn object(what: &impl Serialize) -> JsonObject {
    match serde_json::to_value(what) {
        Ok(Value::Object(object)) => object,
        // Only a map with keys that are no strings could get here.
        _ => JsonObject::new(),
    }
}
