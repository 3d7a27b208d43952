//! One call, from a fresh instance to an outcome.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use wasmtime::component::ResourceTable;
use wasmtime::{Store, UpdateDeadline};

use crate::bindings::contract;
use crate::client::{ClientState, EventSink};
use crate::clock::{CallClock, Metered};
use crate::error::{CallError, Limit};
use crate::limiter::Limiter;
use crate::plugin::Linked;
use crate::sandbox::Sandbox;
use crate::state::State;

pub use contract::ToolOutcome;

/// Room a result may take beyond its text and bytes: records, options, lists.
const LIFT_OVERHEAD: u64 = 1024 * 1024;

/// A request to run a tool.
#[derive(Debug, Clone)]
pub struct ToolCall {
    /// The tool's name.
    pub name: String,
    /// A JSON object that satisfies the tool's input schema.
    pub arguments: String,
    /// Everything else about the call.
    pub context: contract::Context,
}

/// Waits for a place among the running calls.
async fn place(sandbox: &Sandbox) -> Result<OwnedSemaphorePermit, CallError> {
    let closed = |error| CallError::Host(Box::new(error));
    if let Ok(permit) = Arc::clone(&sandbox.running).try_acquire_owned() {
        return Ok(permit);
    }
    let _queued = Semaphore::try_acquire(&sandbox.waiting)
        .map_err(|_| CallError::Busy(sandbox.limits.concurrency))?;
    Arc::clone(&sandbox.running)
        .acquire_owned()
        .await
        .map_err(closed)
}

/// Runs `call` in an instance of its own, which is gone when this returns, is
/// cancelled or is dropped.
pub(crate) async fn call_tool(
    linked: Arc<Linked>,
    sandbox: Arc<Sandbox>,
    call: ToolCall,
    sink: Arc<dyn EventSink>,
    cancel: CancellationToken,
) -> Result<ToolOutcome, CallError> {
    let _place = tokio::select! {
        biased;
        place = place(&sandbox) => place?,
        () = cancel.cancelled() => return Err(CallError::Cancelled),
    };
    let clock = CallClock::new(sandbox.limits.call_time, sandbox.limits.cpu_time);
    let client = ClientState::new(
        sink,
        Arc::clone(&sandbox.roots),
        cancel.clone(),
        call.context.wants_progress,
        sandbox.limits.log,
    );
    let outcome = bounded(
        &linked,
        &sandbox,
        clock,
        client,
        &cancel,
        async |guest, store| {
            guest
                .call_call_tool(store, &call.name, &call.arguments, &call.context)
                .await
        },
    )
    .await?;
    check_size(&outcome, sandbox.limits.output)?;
    Ok(outcome)
}

/// Asks a plugin for its tools, in a sandbox in which nothing is granted.
pub(crate) async fn list_tools(
    linked: &Linked,
    sandbox: &Sandbox,
) -> Result<Vec<contract::Tool>, CallError> {
    let clock = CallClock::new(sandbox.limits.call_time, sandbox.limits.cpu_time);
    let cancel = CancellationToken::new();
    let client = ClientState::new(
        Arc::new(()),
        Arc::new([]),
        cancel.clone(),
        false,
        sandbox.limits.log,
    );
    bounded(
        linked,
        sandbox,
        clock,
        client,
        &cancel,
        async |guest, store| guest.call_list_tools(store).await,
    )
    .await
}

/// Makes an instance and runs `export` in it, within every limit.
async fn bounded<T>(
    linked: &Linked,
    sandbox: &Sandbox,
    clock: Arc<CallClock>,
    client: ClientState,
    cancel: &CancellationToken,
    export: impl AsyncFnOnce(
        &crate::bindings::exported_tools::Guest,
        &mut Store<State>,
    ) -> wasmtime::Result<Result<T, contract::Error>>,
) -> Result<T, CallError> {
    let _running = linked.engine.ticker().run();
    let run = async {
        let mut store = store(linked, sandbox, Arc::clone(&clock), client);
        let answer = instantiate_and_run(linked, &mut store, export).await;
        answer.map_err(|(error, made)| classify(error, made, &store, sandbox))
    };
    let mut metered = Metered {
        clock: Arc::clone(&clock),
        future: Box::pin(run),
    };
    tokio::select! {
        biased;
        answer = &mut metered => answer?.map_err(plugin_error),
        () = cancel.cancelled() => Err(CallError::Cancelled),
        () = tokio::time::sleep_until(clock.deadline().into()) => {
            Err(CallError::Limit(Limit::CallTime(clock.call_time())))
        }
    }
}

/// The error says whether there was an instance already.
async fn instantiate_and_run<T>(
    linked: &Linked,
    store: &mut Store<State>,
    export: impl AsyncFnOnce(
        &crate::bindings::exported_tools::Guest,
        &mut Store<State>,
    ) -> wasmtime::Result<Result<T, contract::Error>>,
) -> Result<Result<T, contract::Error>, (wasmtime::Error, bool)> {
    let instance = linked
        .pre
        .instantiate_async(&mut *store)
        .await
        .map_err(|error| (error, false))?;
    let guest = linked
        .tools
        .load(&mut *store, &instance)
        .map_err(|error| (error, false))?;
    export(&guest, store).await.map_err(|error| (error, true))
}

fn store(
    linked: &Linked,
    sandbox: &Sandbox,
    clock: Arc<CallClock>,
    client: ClientState,
) -> Store<State> {
    let mut table = ResourceTable::new();
    table.set_max_capacity(sandbox.limits.handles as usize);
    let mut store = Store::new(
        linked.engine.wasmtime(),
        State {
            wasi: sandbox.context(),
            table,
            inline_files: sandbox.inline_files,
            client,
            limiter: Limiter::new(&sandbox.limits),
            clock,
        },
    );
    store.limiter(|state| &mut state.limiter);
    // What a guest hands over is counted while it is copied, so that many
    // references to one long string can't become many long strings here.
    let handed_over = sandbox.limits.output.saturating_add(LIFT_OVERHEAD);
    store.set_hostcall_fuel(usize::try_from(handed_over).unwrap_or(usize::MAX));
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(|store| match store.data().clock.exceeded() {
        Some(limit) => Err(Exceeded(limit).into()),
        None => Ok(UpdateDeadline::Yield(1)),
    });
    store
}

/// Carries a limit through wasmtime's error.
#[derive(Debug, thiserror::Error)]
#[error("limit of {0}")]
struct Exceeded(Limit);

fn classify(
    error: wasmtime::Error,
    instantiated: bool,
    store: &Store<State>,
    sandbox: &Sandbox,
) -> CallError {
    if let Some(Exceeded(limit)) = error.downcast_ref::<Exceeded>() {
        return CallError::Limit(*limit);
    }
    if is_fuel_exhausted(&error) {
        return CallError::Limit(Limit::Output(sandbox.limits.output));
    }
    if store.data().limiter.refused_memory() {
        return CallError::Limit(Limit::Memory(sandbox.limits.memory));
    }
    if instantiated {
        CallError::Trap(error)
    } else {
        CallError::Instantiate(error)
    }
}

/// wasmtime keeps the type of this error to itself; a test holds the words.
fn is_fuel_exhausted(error: &wasmtime::Error) -> bool {
    error
        .root_cause()
        .to_string()
        .contains("fuel allocated for hostcalls")
}

fn plugin_error(error: contract::Error) -> CallError {
    CallError::Plugin {
        kind: error.kind,
        message: error.message,
        data: error.data,
    }
}

/// Counts the text and bytes of an outcome against the limit.
fn check_size(outcome: &ToolOutcome, limit: u64) -> Result<(), CallError> {
    let size = match outcome {
        ToolOutcome::Complete(result) => {
            let content: usize = result.content.iter().map(block_size).sum();
            content + optional(&result.structured_content) + optional(&result.meta)
        }
        ToolOutcome::InputRequired(asked) => asked.state.as_ref().map_or(0, Vec::len),
    };
    if size as u64 > limit {
        return Err(CallError::Limit(Limit::Output(limit)));
    }
    Ok(())
}

fn optional(text: &Option<String>) -> usize {
    text.as_ref().map_or(0, String::len)
}

fn block_size(block: &contract::ContentBlock) -> usize {
    use contract::{ContentBlock, ResourceBody};
    match block {
        ContentBlock::Text(text) => text.text.len() + optional(&text.meta),
        ContentBlock::Image(media) | ContentBlock::Audio(media) => {
            media.data.len() + media.mime_type.len() + optional(&media.meta)
        }
        ContentBlock::ResourceLink(link) => {
            link.uri.len() + link.name.len() + optional(&link.description) + optional(&link.meta)
        }
        ContentBlock::Embedded(embedded) => {
            let body = match &embedded.contents.body {
                ResourceBody::Text(text) => text.len(),
                ResourceBody::Blob(blob) => blob.len(),
            };
            body + embedded.contents.uri.len() + optional(&embedded.contents.meta)
        }
    }
}
