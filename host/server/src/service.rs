//! What a session serves, in the house's own types.

use std::collections::HashMap;
use std::sync::Arc;

use palisade_policy::{ToolDecision, ToolRules};
use palisade_runtime::contract::{Context, ErrorKind, Tool, ToolOutcome, ToolResult};
use palisade_runtime::{CallError, EventSink, Placement, Plugin, Pool, Sandbox, ToolCall};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::gate::ToolGate;
use crate::outcome::{self, Checked};

/// MCP `Tool` as JSON, as a client gets it.
///
/// # Errors
///
/// If it can't be written as JSON, which no checked tool is.
pub fn tool_json(tool: &Tool) -> serde_json::Result<Value> {
    crate::adapter::tool_json(tool)
}

/// Who the server says it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// MCP `serverInfo.name`.
    pub name: String,
    /// MCP `serverInfo.version`.
    pub version: String,
    /// MCP `instructions`.
    pub instructions: Option<String>,
}

/// A plugin with what it may use. Cheap to clone; shared by all sessions.
#[derive(Clone)]
pub struct Service(Arc<Inner>);

struct Inner {
    identity: Identity,
    plugin: Plugin,
    sandbox: Arc<Sandbox>,
    pool: Pool,
    /// The tools a person did not deny, in the plugin's order.
    tools: Vec<Tool>,
    rules: ToolRules,
    gates: HashMap<String, ToolGate>,
}

/// A call as it came from a client.
#[derive(Debug)]
pub struct CallRequest {
    /// The tool's name.
    pub name: String,
    /// Its arguments, not yet checked.
    pub arguments: Map<String, Value>,
    /// Everything else about the call.
    pub context: Context,
}

/// How a call ends.
#[derive(Debug)]
#[non_exhaustive]
pub enum Reply {
    /// With a result, which may say that it did not work.
    Result(Checked),
    /// With a JSON-RPC error.
    Error {
        /// What kind of error.
        kind: ErrorKind,
        /// One sentence.
        message: String,
        /// More, if there is more.
        data: Option<Value>,
    },
}

impl Service {
    /// Serves `plugin` within `sandbox`, without the tools that `rules` deny.
    ///
    /// # Errors
    ///
    /// If a recorded schema is no JSON, which a loaded plugin's never is.
    pub fn new(
        identity: Identity,
        plugin: Plugin,
        sandbox: Sandbox,
        rules: ToolRules,
    ) -> serde_json::Result<Self> {
        let tools: Vec<Tool> = plugin
            .metadata()
            .tools
            .iter()
            .filter(|tool| rules.decide(&tool.name) != ToolDecision::Deny)
            .cloned()
            .collect();
        let gates = tools
            .iter()
            .map(|tool| Ok((tool.name.clone(), ToolGate::new(tool)?)))
            .collect::<serde_json::Result<_>>()?;
        Ok(Self(Arc::new(Inner {
            identity,
            plugin,
            sandbox: Arc::new(sandbox),
            pool: Pool::new(),
            tools,
            rules,
            gates,
        })))
    }

    /// Who this is.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.0.identity
    }

    /// The tools, as recorded when the plugin was first loaded, without those
    /// that are denied.
    #[must_use]
    pub fn tools(&self) -> &[Tool] {
        &self.0.tools
    }

    /// Gets ready for the next call, for a moment in which nothing else is to
    /// be done.
    pub async fn prepare(&self) {
        self.0.plugin.prepare(&self.0.sandbox).await;
    }

    /// Runs one call: gate, guest, checks of the outcome.
    pub async fn call(
        &self,
        request: CallRequest,
        sink: Arc<dyn EventSink>,
        cancel: CancellationToken,
        placement: Placement,
    ) -> Reply {
        let Some(gate) = self.0.gates.get(&request.name) else {
            return Reply::Error {
                kind: ErrorKind::InvalidParams,
                message: format!("there is no tool called {:?}", request.name),
                data: None,
            };
        };
        if self.0.rules.decide(&request.name) == ToolDecision::Ask {
            return Reply::Result(Checked::failure(format!(
                "not permitted: the grant says that a person must be asked before {} runs, \
                 which this version can't do yet",
                request.name
            )));
        }
        let arguments = Value::Object(request.arguments);
        if let Err(problem) = gate.check_arguments(&arguments) {
            return Reply::Result(Checked::failure(problem));
        }
        let call = ToolCall {
            name: request.name,
            arguments: arguments.to_string(),
            context: request.context,
        };
        let outcome = self
            .0
            .plugin
            .run(&self.0.sandbox, &self.0.pool, placement, call, sink, cancel)
            .await;
        match outcome {
            Ok(ToolOutcome::Complete(result)) => Reply::Result(checked(gate, result)),
            Ok(ToolOutcome::InputRequired(_)) => Reply::Result(Checked::failure(
                "the plugin asked a question, which this server can't pass on yet".into(),
            )),
            Err(error) => failed(error),
        }
    }
}

/// A result that a client may see, or the reason why this one may not be.
fn checked(gate: &ToolGate, result: ToolResult) -> Checked {
    let checked = match outcome::check(result) {
        Ok(checked) => checked,
        Err(problem) => return Checked::failure(problem),
    };
    if checked.is_error {
        return checked;
    }
    match gate.check_structured(checked.structured.as_ref()) {
        Ok(()) => checked,
        Err(problem) => Checked::failure(problem),
    }
}

fn failed(error: CallError) -> Reply {
    match error {
        // A denial is something a model can act on; the rest of the kinds say
        // that the request itself was no good.
        CallError::Plugin {
            kind: ErrorKind::Denied,
            message,
            ..
        } => Reply::Result(Checked::failure(format!("not permitted: {message}"))),
        CallError::Plugin {
            kind,
            message,
            data,
        } => Reply::Error {
            kind,
            message: outcome::clean(message),
            data: data.and_then(|data| serde_json::from_str(&data).ok()),
        },
        error => {
            tracing::debug!(error = &error as &dyn std::error::Error, "a call failed");
            Reply::Result(Checked::failure(outcome::clean(error.to_string())))
        }
    }
}
