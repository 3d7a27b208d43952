//! The `client` interface: what a guest can tell the client behind its call.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use wasmtime::component::HasData;

use crate::bindings::{contract, imported_client, imported_types};

/// Log messages one call may send; the rest is dropped.
const LOG_MESSAGES: u32 = 1_000;

/// Longest progress message that is passed on, in bytes.
const PROGRESS_MESSAGE: usize = 1_024;

/// Progress notifications one call may send.
const PROGRESS_EVENTS: u32 = 10_000;

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
    /// MCP `notifications/resources/updated`.
    ResourceUpdated(String),
    /// MCP `notifications/*/list_changed`.
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
}

/// What is left of the fixed allowances of a call.
struct Budget {
    log_bytes: u64,
    log_messages: u32,
    progress_events: u32,
    last_progress: f64,
}

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
            },
        }
    }
}

impl ClientState {
    /// What an instance has before it belongs to a call: nobody listens.
    pub(crate) fn unheard() -> Self {
        Self::new(
            Arc::new(()),
            Arc::new([]),
            CancellationToken::new(),
            false,
            0,
        )
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
        self.sink.event(CallEvent::ResourceUpdated(uri));
        Ok(())
    }

    fn changed(&mut self, kind: contract::ListKind) -> wasmtime::Result<()> {
        self.sink.event(CallEvent::Changed(kind));
        Ok(())
    }

    fn cancelled(&mut self) -> wasmtime::Result<bool> {
        Ok(self.cancel.is_cancelled())
    }
}
