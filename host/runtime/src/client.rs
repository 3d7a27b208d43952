//! The `client` interface: what a guest can tell the client behind its call.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use wasmtime::component::HasData;

use crate::answer::MAX_URI;
use crate::bindings::{contract, imported_client, imported_types};

/// Log messages one call may send; the rest is dropped.
const LOG_MESSAGES: u32 = 1_000;

/// Longest progress message that is passed on, in bytes.
const PROGRESS_MESSAGE: usize = 1_024;

/// Progress notifications one call may send.
const PROGRESS_EVENTS: u32 = 10_000;

/// Resources one call may say have changed; the rest is dropped.
const RESOURCE_UPDATES: u32 = 1_000;

/// Something a guest said to the client while a call ran.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CallEvent {
    /// MCP `notifications/message`.
    Log {
        /// Severity.
        level: contract::LogLevel,
        /// The part of the plugin that speaks.
        logger: Option<String>,
        /// What it says; text that is no JSON becomes a JSON string.
        data: serde_json::Value,
    },
    /// MCP `notifications/progress`; strictly rising within a call.
    Progress {
        /// How far the call is.
        progress: f64,
        /// Where it ends, in the same unit.
        total: Option<f64>,
        /// For a person.
        message: Option<String>,
    },
    /// MCP `notifications/resources/updated`; at most 1,000 a call, and an
    /// address of at most 8 KiB.
    ResourceUpdated(String),
    /// MCP `notifications/*/list_changed`: at most twice a call for each list,
    /// at its first change and, if it changed again, at the end of the call.
    Changed(contract::ListKind),
}

/// Takes events as they come. Called from within the guest: must not block.
pub trait EventSink: Send + Sync + 'static {
    /// Passes on one event.
    fn event(&self, event: CallEvent);
}

/// A sink for calls nobody listens to.
impl EventSink for () {
    fn event(&self, _event: CallEvent) {}
}

/// What the `client` interface of one call works on.
pub(crate) struct ClientState {
    pub(crate) sink: Arc<dyn EventSink>,
    pub(crate) roots: Arc<[contract::Root]>,
    pub(crate) cancel: CancellationToken,
    pub(crate) wants_progress: bool,
    budget: Budget,
    /// One for each of [`KINDS`].
    told: [Told; KINDS.len()],
}

/// What is left of the fixed allowances of a call.
struct Budget {
    log_bytes: u64,
    log_messages: u32,
    progress_events: u32,
    last_progress: f64,
    resource_updates: u32,
}

/// What the client has been told of one list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Told {
    /// Nothing.
    #[default]
    Nothing,
    /// That it has changed.
    Once,
    /// That it has changed, and it has changed again since.
    TooEarly,
}

const KINDS: [contract::ListKind; 3] = [
    contract::ListKind::Tools,
    contract::ListKind::Resources,
    contract::ListKind::Prompts,
];

impl ClientState {
    pub(crate) fn new(
        sink: Arc<dyn EventSink>,
        roots: Arc<[contract::Root]>,
        cancel: CancellationToken,
        wants_progress: bool,
        log_bytes: u64,
    ) -> Self {
        Self {
            sink,
            roots,
            cancel,
            wants_progress,
            budget: Budget {
                log_bytes,
                log_messages: LOG_MESSAGES,
                progress_events: PROGRESS_EVENTS,
                last_progress: f64::NEG_INFINITY,
                resource_updates: RESOURCE_UPDATES,
            },
            told: [Told::default(); KINDS.len()],
        }
    }
}

impl ClientState {
    /// What an instance has before it belongs to a call: nobody listens.
    pub(crate) fn unheard(roots: Arc<[contract::Root]>) -> Self {
        Self::new(Arc::new(()), roots, CancellationToken::new(), false, 0)
    }
}

impl Drop for ClientState {
    /// The call is over: lists that changed more than once are done changing.
    fn drop(&mut self) {
        for (kind, told) in KINDS.into_iter().zip(self.told) {
            if told == Told::TooEarly {
                self.sink.event(CallEvent::Changed(kind));
            }
        }
    }
}

/// Tells wasmtime where in the store the `client` interface's state is.
pub(crate) struct HasClient;

impl HasData for HasClient {
    type Data<'a> = &'a mut ClientState;
}

impl imported_types::Host for ClientState {}

impl imported_client::Host for ClientState {
    fn log(
        &mut self,
        level: contract::LogLevel,
        logger: Option<String>,
        data: String,
    ) -> wasmtime::Result<()> {
        let size = (data.len() + logger.as_ref().map_or(0, String::len)) as u64;
        let budget = &mut self.budget;
        if budget.log_messages == 0 {
            return Ok(());
        }
        if size > budget.log_bytes || budget.log_messages == 1 {
            budget.log_messages = 0;
            self.sink.event(CallEvent::Log {
                level: contract::LogLevel::Warning,
                logger: Some("palisade".into()),
                data: "the plugin logs too much: further messages of this call are dropped".into(),
            });
            return Ok(());
        }
        budget.log_bytes -= size;
        budget.log_messages -= 1;
        let data = serde_json::from_str(&data).unwrap_or(serde_json::Value::String(data));
        self.sink.event(CallEvent::Log {
            level,
            logger,
            data,
        });
        Ok(())
    }

    fn progress(
        &mut self,
        progress: f64,
        total: Option<f64>,
        message: Option<String>,
    ) -> wasmtime::Result<()> {
        let budget = &mut self.budget;
        let rises = progress.is_finite() && progress > budget.last_progress;
        if !self.wants_progress || !rises || budget.progress_events == 0 {
            return Ok(());
        }
        budget.last_progress = progress;
        budget.progress_events -= 1;
        self.sink.event(CallEvent::Progress {
            progress,
            total: total.filter(|total| total.is_finite()),
            message: message.map(|mut message| {
                message.truncate(message.floor_char_boundary(PROGRESS_MESSAGE));
                message
            }),
        });
        Ok(())
    }

    fn roots(&mut self) -> wasmtime::Result<Vec<contract::Root>> {
        Ok(self.roots.to_vec())
    }

    fn resource_updated(&mut self, uri: String) -> wasmtime::Result<()> {
        let budget = &mut self.budget;
        if budget.resource_updates == 0 || uri.is_empty() || uri.len() > MAX_URI {
            return Ok(());
        }
        budget.resource_updates -= 1;
        self.sink.event(CallEvent::ResourceUpdated(uri));
        Ok(())
    }

    fn changed(&mut self, kind: contract::ListKind) -> wasmtime::Result<()> {
        // The first change is told at once; all that follow together, when the
        // call is over and nothing more can follow.
        let told = &mut self.told[kind as usize];
        if *told == Told::Nothing {
            *told = Told::Once;
            self.sink.event(CallEvent::Changed(kind));
        } else {
            *told = Told::TooEarly;
        }
        Ok(())
    }

    fn cancelled(&mut self) -> wasmtime::Result<bool> {
        Ok(self.cancel.is_cancelled())
    }
}
