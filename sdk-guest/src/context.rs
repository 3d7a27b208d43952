//! What a call knows about itself, and what it can tell the client.

use std::cell::RefCell;
use std::fmt::Display;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::bindings::types;
use crate::client;
use crate::elicit::Answer;
use crate::schema::text_of;

pub use crate::bindings::types::{
    ClientCapabilities as Capabilities, Implementation as Client, ListKind as List,
    LogLevel as Level, Root, TraceContext as Trace,
};

/// One call, apart from its arguments. A tool that wants it takes
/// `ctx: &Context`.
///
/// Outside of a plugin, in a `cargo test` on the author's machine,
/// [`Context::default`] stands in: what it is told goes nowhere, it has no
/// roots, is never cancelled, and has the answers it is given by
/// [`answering`](Self::answering).
#[derive(Debug)]
pub struct Context {
    call: types::Context,
    // Changes while the call borrows it. Nothing borrows it for longer than a
    // read or a write takes.
    state: RefCell<Option<Vec<u8>>>,
}

impl Context {
    pub(crate) fn new(mut call: types::Context) -> Self {
        let state = RefCell::new(call.state.take());
        Self { call, state }
    }

    pub(crate) fn answers(&self) -> &[types::Answer] {
        &self.call.answers
    }

    pub(crate) fn set_state(&self, state: Vec<u8>) {
        self.state.replace(Some(state));
    }

    pub(crate) fn with_state<R>(&self, read: impl FnOnce(Option<&[u8]>) -> R) -> R {
        read(self.state.borrow().as_deref())
    }

    /// What to send where answers are missing.
    pub(crate) fn input_required(self, requests: Vec<types::InputRequest>) -> types::InputRequired {
        types::InputRequired {
            requests,
            state: self.state.into_inner(),
        }
    }

    /// The same call with one more answer, for the unit tests of a plugin that
    /// [asks](Self::ask): `Context::default().answering("name", Answer::decline())`.
    #[must_use]
    pub fn answering(mut self, key: impl Into<String>, answer: Answer) -> Self {
        self.call.answers.push(types::Answer {
            key: key.into(),
            value: answer.0,
        });
        self
    }

    /// Tells the client how far the call is. `progress` must rise from call
    /// to call; `total` is what it rises to, where known. Does nothing when
    /// the client did not ask for progress.
    pub fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        if self.call.wants_progress {
            client::progress(progress, total, message);
        }
    }

    /// Whether [`progress`](Self::progress) reaches anybody.
    #[must_use]
    pub fn wants_progress(&self) -> bool {
        self.call.wants_progress
    }

    /// Writes a message to the client's log.
    pub fn log(&self, level: Level, message: impl Display) {
        let message = Value::String(message.to_string());
        client::log(level, None, &text_of(&message));
    }

    /// Writes a value to the client's log, under the name of a logger if one
    /// is given. A value that has no JSON is dropped.
    pub fn log_value(&self, level: Level, logger: Option<&str>, value: &impl Serialize) {
        if let Ok(value) = serde_json::to_string(value) {
            client::log(level, logger, &value);
        }
    }

    /// [`log`](Self::log) at level debug.
    pub fn debug(&self, message: impl Display) {
        self.log(Level::Debug, message);
    }

    /// [`log`](Self::log) at level info.
    pub fn info(&self, message: impl Display) {
        self.log(Level::Info, message);
    }

    /// [`log`](Self::log) at level warning.
    pub fn warn(&self, message: impl Display) {
        self.log(Level::Warning, message);
    }

    /// [`log`](Self::log) at level error.
    pub fn error(&self, message: impl Display) {
        self.log(Level::Error, message);
    }

    /// The directories this call can use: asked for, granted, and inside what
    /// the client's own roots allow.
    #[must_use]
    pub fn roots(&self) -> Vec<Root> {
        client::roots()
    }

    /// True once the client has cancelled the call. The host stops a plugin
    /// that runs on in any case; asking lets it stop at a clean point.
    #[must_use]
    pub fn cancelled(&self) -> bool {
        client::cancelled()
    }

    /// Says that a resource has changed, to whoever watches it.
    pub fn resource_updated(&self, uri: &str) {
        client::resource_updated(uri);
    }

    /// Says that one of the plugin's lists has changed.
    pub fn changed(&self, list: List) {
        client::changed(list);
    }

    /// The trace that the call belongs to (W3C trace context), to be passed on
    /// as it is.
    #[must_use]
    pub fn trace(&self) -> Option<&Trace> {
        self.call.trace.as_ref()
    }

    /// The request's `_meta`, without the protocol's own keys.
    #[must_use]
    pub fn meta(&self) -> Option<Map<String, Value>> {
        serde_json::from_str(self.call.meta.as_deref()?).ok()
    }

    /// What the client says it is. For display only: a client can claim to be
    /// anyone.
    #[must_use]
    pub fn client(&self) -> Option<&Client> {
        self.call.client.as_ref()
    }

    /// What the client can be asked for.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        self.call.capabilities
    }
}

impl Default for Context {
    fn default() -> Self {
        Self::new(types::Context {
            meta: None,
            trace: None,
            client: None,
            capabilities: Capabilities::empty(),
            wants_progress: false,
            answers: Vec::new(),
            state: None,
        })
    }
}
