//! What a call knows about itself, and what it can tell the client.

use std::fmt::Display;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::bindings::types;
use crate::client;
use crate::schema::text_of;

pub use crate::bindings::types::{
    ClientCapabilities as Capabilities, Implementation as Client, LogLevel as Level, Root,
};

/// One call, apart from its arguments. A tool that wants it takes
/// `ctx: &Context`.
///
/// Outside of a plugin, in a `cargo test` on the author's machine,
/// [`Context::default`] stands in: what it is told goes nowhere, it has no
/// roots and is never cancelled.
#[derive(Debug)]
pub struct Context(types::Context);

impl Context {
    pub(crate) fn new(context: types::Context) -> Self {
        Self(context)
    }

    /// Tells the client how far the call is. `progress` must rise from call
    /// to call; `total` is what it rises to, where known. Does nothing when
    /// the client did not ask for progress.
    pub fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        if self.0.wants_progress {
            client::progress(progress, total, message);
        }
    }

    /// Whether [`progress`](Self::progress) reaches anybody.
    #[must_use]
    pub fn wants_progress(&self) -> bool {
        self.0.wants_progress
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

    /// The request's `_meta`, without the protocol's own keys.
    #[must_use]
    pub fn meta(&self) -> Option<Map<String, Value>> {
        serde_json::from_str(self.0.meta.as_deref()?).ok()
    }

    /// What the client says it is. For display only: a client can claim to be
    /// anyone.
    #[must_use]
    pub fn client(&self) -> Option<&Client> {
        self.0.client.as_ref()
    }

    /// What the client can be asked for.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        self.0.capabilities
    }
}

impl Default for Context {
    fn default() -> Self {
        Self(types::Context {
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
