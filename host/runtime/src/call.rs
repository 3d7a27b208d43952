//! One call, from a fresh instance to an outcome.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use wasmtime::component::{Instance, ResourceTable, ResourceTableError};
use wasmtime::{PoolConcurrencyLimitError, Store, Trap, UpdateDeadline};
use wasmtime_wasi::I32Exit;
use wasmtime_wasi_http::FieldMapError;

use crate::aside::aside;
use crate::bindings::contract;
use crate::client::ClientState;
use crate::clock::{CallClock, Metered, Verdict};
use crate::engine::{self, WASM_STACK};
use crate::error::{CallError, Cause, EngineError, Exceeded, Limit, LoadError};
use crate::files::{Listed, Places};
use crate::function::{Export, Function, ListPrompts, ListTemplates, ListTools, Start};
use crate::limiter::Limiter;
use crate::linked::Linked;
use crate::listing::Listing;
use crate::network::{self, Hooks, InstanceNetwork};
use crate::operation::Operation;
use crate::plugin::Asked;
use crate::sandbox::Sandbox;
use crate::size::{self, Size as _};
use crate::state::State;

/// Room a result may take beyond its text and bytes: records, options, lists.
const LIFT_OVERHEAD: u64 = 1024 * 1024;

/// What an instance made ahead may take to start.
const AHEAD: Duration = Duration::from_millis(500);

/// Longest reason for a refused start that is passed on, in bytes.
const REASON: usize = 1024;

/// Waits for a place among the running calls, of which a plugin with large
/// instances needs several for each.
async fn place(linked: &Linked, sandbox: &Sandbox) -> Result<OwnedSemaphorePermit, CallError> {
    let closed = |error| CallError::Host(Box::new(error));
    let concurrency = sandbox.limits.concurrency;
    let places = engine::places(linked.weight, concurrency);
    if let Ok(permit) = Arc::clone(&sandbox.running).try_acquire_many_owned(places) {
        return Ok(permit);
    }
    let _queued = Semaphore::try_acquire_many(&sandbox.waiting, places)
        .map_err(|_| CallError::Busy(concurrency / places))?;
    Arc::clone(&sandbox.running)
        .acquire_many_owned(places)
        .await
        .map_err(closed)
}

/// Runs an operation in an instance of its own, which is gone when this returns,
/// is cancelled or is dropped.
pub(crate) async fn run<O, F, T>(
    linked: Arc<Linked>,
    sandbox: Arc<Sandbox>,
    asked: Asked<O, F>,
) -> Result<T, CallError>
where
    O: Operation,
    F: FnOnce(O::Outcome) -> T + Send + 'static,
    T: Send + 'static,
{
    let Some(export) = linked.export::<O::Function>() else {
        return Err(CallError::NotOffered(O::Function::INTERFACE.word()));
    };
    let Asked {
        operation,
        sink,
        cancel,
        finish,
    } = asked;
    let place = tokio::select! {
        biased;
        place = place(&linked, &sandbox) => place?,
        () = cancel.cancelled() => return Err(CallError::Cancelled),
    };
    let clock = CallClock::new(sandbox.limits.call_time, sandbox.limits.cpu_time);
    let client = ClientState::new(
        sink,
        Arc::clone(&sandbox.roots),
        cancel.clone(),
        operation.context().wants_progress,
        sandbox.limits.log,
    );
    let run = async {
        let made = sandbox.spare.take(sandbox.view);
        let mut made = match made {
            Some(made) => made,
            None => Made::started(&linked, &sandbox, Arc::clone(&clock)).await?,
        };
        let most = O::most(&sandbox.limits);
        made.begin(Arc::clone(&clock), client, most);
        let answer = export.call(&mut made, operation.takes()).await;
        match answer {
            Ok((answer,)) => Ok(answer),
            Err(error) if is_fuel_exhausted(&error) => Err(CallError::Limit(Limit::Output(most))),
            Err(error) => Err(classify(error, Stage::Running, &made.store, &sandbox)),
        }
    };
    let outcome = within(&linked, &sandbox, Arc::clone(&clock), &cancel, run).await?;
    let large = size::is_large(&outcome);
    let finish = {
        let sandbox = Arc::clone(&sandbox);
        move || O::check(&outcome, &sandbox.limits).map(|()| finish(outcome))
    };
    if !large {
        return finish();
    }
    // One of a plugin's at a time: its neighbours have the other threads. The
    // place is free when the work is done, also if nobody waits for it.
    let finishing = async {
        let turn = Arc::clone(&sandbox.finishing).acquire_owned().await;
        aside(move || {
            let _held = (place, turn);
            finish()
        })
        .await
    };
    tokio::select! {
        biased;
        done = finishing => done,
        () = cancel.cancelled() => Err(CallError::Cancelled),
        () = tokio::time::sleep_until(clock.deadline().into()) => {
            Err(CallError::Limit(Limit::CallTime(clock.call_time())))
        }
    }
}

/// Makes an instance ahead of the next call, so that it need not wait for one.
/// An instance still serves a single call. One that takes long to start is made
/// when it is needed: until then there is nobody who could cancel it.
pub(crate) async fn prepare(linked: &Linked, sandbox: &Sandbox) {
    if sandbox.spare.is_there(sandbox.view) {
        return;
    }
    let clock = CallClock::new(sandbox.limits.call_time.min(AHEAD), sandbox.limits.cpu_time);
    let made = Made::started(linked, sandbox, Arc::clone(&clock));
    match within(linked, sandbox, clock, &CancellationToken::new(), async {
        made.await.map(Ok)
    })
    .await
    {
        Ok(made) => sandbox.spare.put(sandbox.view, made),
        // The next call will meet it, and has somebody to tell.
        Err(error) => tracing::debug!("no instance could be made ahead: {error}"),
    }
}

/// Asks a plugin what it offers, in a sandbox in which nothing is granted, after
/// its functions have been found to be of the types they should be.
pub(crate) async fn list(linked: &Linked, sandbox: &Sandbox) -> Result<Listing, LoadError> {
    let clock = CallClock::new(sandbox.limits.call_time, sandbox.limits.cpu_time);
    let run = async {
        let mut made = Made::new(linked, sandbox, Arc::clone(&clock)).await?;
        if let Err(error) = linked.exports.compare(&mut made) {
            return Ok(Ok(Err(error)));
        }
        made.start(linked, sandbox).await?;
        let listing = listing(linked, &mut made).await;
        match listing {
            Ok(listing) => Ok(listing.map(Ok)),
            Err(error) => Err(classify(error, Stage::Running, &made.store, sandbox)),
        }
    };
    let never = CancellationToken::new();
    within(linked, sandbox, Arc::clone(&clock), &never, run)
        .await
        .map_err(|error| LoadError::Listing(Cause::of(&error)))?
}

/// All its lists, from one instance.
async fn listing(
    linked: &Linked,
    made: &mut Made,
) -> wasmtime::Result<Result<Listing, contract::Error>> {
    /// One of them; empty where the plugin does not offer it.
    async fn ask<F, T>(
        export: Option<&Export<F>>,
        made: &mut Made,
    ) -> wasmtime::Result<Result<Vec<T>, contract::Error>>
    where
        F: for<'a> Function<Takes<'a> = (), Gives = (Result<Vec<T>, contract::Error>,)>,
    {
        match export {
            Some(export) => Ok(export.call(made, ()).await?.0),
            None => Ok(Ok(Vec::new())),
        }
    }
    let tools = match ask(linked.export::<ListTools>(), made).await? {
        Ok(tools) => tools,
        Err(error) => return Ok(Err(error)),
    };
    let templates = match ask(linked.export::<ListTemplates>(), made).await? {
        Ok(templates) => templates,
        Err(error) => return Ok(Err(error)),
    };
    let prompts = match ask(linked.export::<ListPrompts>(), made).await? {
        Ok(prompts) => prompts,
        Err(error) => return Ok(Err(error)),
    };
    Ok(Ok(Listing {
        tools,
        templates,
        prompts,
    }))
}

/// Runs a guest within its time.
async fn within<T>(
    linked: &Linked,
    sandbox: &Sandbox,
    clock: Arc<CallClock>,
    cancel: &CancellationToken,
    run: impl Future<Output = Result<Result<T, contract::Error>, CallError>>,
) -> Result<T, CallError> {
    let running = linked.engine.ticker().run();
    let _running =
        running.map_err(|error| CallError::Host(Box::new(EngineError::Ticker(error))))?;
    let mut metered = Metered {
        clock: Arc::clone(&clock),
        future: Box::pin(run),
    };
    tokio::select! {
        biased;
        answer = &mut metered => answer
            .map_err(CallError::Limit)??
            .map_err(|error| plugin_error(error, sandbox)),
        () = cancel.cancelled() => Err(CallError::Cancelled),
        () = tokio::time::sleep_until(clock.deadline().into()) => {
            Err(CallError::Limit(Limit::CallTime(clock.call_time())))
        }
    }
}

/// An instance that no operation has been run in.
pub(crate) struct Made {
    pub(crate) store: Store<State>,
    pub(crate) instance: Instance,
}

impl Made {
    async fn new(
        linked: &Linked,
        sandbox: &Sandbox,
        clock: Arc<CallClock>,
    ) -> Result<Self, CallError> {
        let mut store = store(linked, sandbox, clock);
        match linked.pre.instantiate_async(&mut store).await {
            Ok(instance) => Ok(Self { store, instance }),
            Err(error) => Err(classify(error, Stage::Instantiating, &store, sandbox)),
        }
    }

    /// Makes one and tells it its configuration.
    async fn started(
        linked: &Linked,
        sandbox: &Sandbox,
        clock: Arc<CallClock>,
    ) -> Result<Self, CallError> {
        let mut made = Self::new(linked, sandbox, clock).await?;
        made.start(linked, sandbox).await?;
        Ok(made)
    }

    /// Tells the instance its configuration, if it wants to know.
    async fn start(&mut self, linked: &Linked, sandbox: &Sandbox) -> Result<(), CallError> {
        let Some(start) = linked.export::<Start>() else {
            return Ok(());
        };
        match start.call(self, (&sandbox.config,)).await {
            Ok((Ok(()),)) => Ok(()),
            Ok((Err(mut reason),)) => {
                reason.truncate(reason.floor_char_boundary(REASON));
                Err(CallError::Start(reason))
            }
            Err(error) => Err(classify(error, Stage::Running, &self.store, sandbox)),
        }
    }

    /// Gives the instance to a call, from which no more than `most` bytes are
    /// taken at once.
    fn begin(&mut self, clock: Arc<CallClock>, client: ClientState, most: u64) {
        self.store.set_hostcall_fuel(handed_over(most));
        let state = self.store.data_mut();
        state.clock = clock;
        state.client = client;
        self.store.set_epoch_deadline(1);
    }
}

/// Room for one instance made ahead, with the number of the view it was made
/// for. One for all views of a sandbox, however many clients there are: it has
/// a place in the engine's pool.
#[derive(Default)]
pub(crate) struct Spare(Mutex<Option<(u64, Made)>>);

impl Spare {
    // What a lock holds is an option, whole whatever happened to its holder.
    fn slot(&self) -> MutexGuard<'_, Option<(u64, Made)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The instance, if it sees what this view shows and nothing else.
    fn take(&self, view: u64) -> Option<Made> {
        let made = self.slot().take_if(|(of, _)| *of == view);
        made.map(|(_, made)| made)
    }

    fn is_there(&self, view: u64) -> bool {
        self.slot().as_ref().is_some_and(|(of, _)| *of == view)
    }

    fn put(&self, view: u64, made: Made) {
        let old = self.slot().replace((view, made));
        drop(old);
    }
}

fn store(linked: &Linked, sandbox: &Sandbox, clock: Arc<CallClock>) -> Store<State> {
    let handles = linked.engine.handles(&sandbox.limits);
    let mut table = ResourceTable::new();
    table.set_max_capacity(handles as usize);
    let network = InstanceNetwork {
        network: Arc::clone(&sandbox.network),
        remembered: Arc::default(),
    };
    let mut store = Store::new(
        linked.engine.wasmtime(),
        State {
            wasi: sandbox.context(&network),
            table,
            handles,
            preopens: Arc::clone(&sandbox.preopens),
            inline_files: sandbox.inline_files,
            places: Places::new(sandbox.moves.clone()),
            listed: Listed::new(&sandbox.limits),
            hooks: Hooks(Arc::clone(&network.network)),
            network,
            http: network::http_limits(),
            client: ClientState::unheard(Arc::clone(&sandbox.roots)),
            limiter: Limiter::new(&sandbox.limits),
            clock,
        },
    );
    store.limiter(|state| &mut state.limiter);
    // Each may be lent to the host as well, as to a `poll` of all of them.
    store.set_max_component_handles(2 * handles as usize);
    store.set_hostcall_fuel(handed_over(sandbox.limits.output));
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(|store| match store.data().clock.verdict() {
        Verdict::Over(limit) => Err(Exceeded(limit).into()),
        Verdict::Pause => Ok(UpdateDeadline::Yield(1)),
        Verdict::GoOn => Ok(UpdateDeadline::Continue(1)),
    });
    store
}

/// What a guest hands over is counted while it is copied, so that many
/// references to one long string can't become many long strings here.
fn handed_over(most: u64) -> usize {
    usize::try_from(most.saturating_add(LIFT_OVERHEAD)).unwrap_or(usize::MAX)
}

/// How far an instance had come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Instantiating,
    Running,
}

fn classify(
    error: wasmtime::Error,
    stage: Stage,
    store: &Store<State>,
    sandbox: &Sandbox,
) -> CallError {
    if let Some(Exceeded(limit)) = error.downcast_ref::<Exceeded>() {
        return CallError::Limit(*limit);
    }
    if is_fuel_exhausted(&error) {
        return CallError::Limit(Limit::Output(sandbox.limits.output));
    }
    if let Some(I32Exit(code)) = error.downcast_ref::<I32Exit>() {
        return CallError::Exit(*code);
    }
    if is_out_of_handles(&error) {
        return CallError::Limit(Limit::Handles(store.data().handles));
    }
    if matches!(error.downcast_ref::<Trap>(), Some(Trap::StackOverflow)) {
        return CallError::Limit(Limit::Stack(WASM_STACK as u64));
    }
    // Of these, only what is too much ends a call.
    if error.downcast_ref::<FieldMapError>().is_some() {
        return CallError::Limit(Limit::Headers(network::HEADERS as u64));
    }
    if is_too_random(&error) {
        return CallError::Limit(Limit::RandomBytes(sandbox.limits.random));
    }
    if error.downcast_ref::<PoolConcurrencyLimitError>().is_some() {
        return CallError::NoRoom;
    }
    if let Some(limit) = store.data().limiter.refused() {
        return CallError::Limit(limit);
    }
    match stage {
        Stage::Running => CallError::Trap(error),
        Stage::Instantiating => CallError::Instantiate(error),
    }
}

/// wasmtime keeps the type of this error to itself; a test holds the words.
fn is_fuel_exhausted(error: &wasmtime::Error) -> bool {
    error
        .root_cause()
        .to_string()
        .contains("fuel allocated for hostcalls")
}

/// The host's own table is full, or wasmtime's of what the guest holds and lends.
fn is_out_of_handles(error: &wasmtime::Error) -> bool {
    let cause = error.root_cause();
    matches!(
        cause.downcast_ref::<ResourceTableError>(),
        Some(ResourceTableError::Full)
    ) || cause.to_string().contains("store handle limit exceeded")
}

/// So it is with what `wasi:random` says of a length.
fn is_too_random(error: &wasmtime::Error) -> bool {
    let text = error.root_cause().to_string();
    text.starts_with("requested len") && text.contains("exceeds limit")
}

fn plugin_error(error: contract::Error, sandbox: &Sandbox) -> CallError {
    if let Err(over) = size::check(error.size(), &sandbox.limits) {
        return over;
    }
    CallError::Plugin {
        kind: error.kind,
        message: error.message,
        data: error.data,
    }
}
