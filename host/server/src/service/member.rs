//! One of the plugins that are served.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use palisade_policy::{ToolDecision, ToolRules};
use palisade_runtime::contract::{
    CompletionArgument, CompletionReference, CompletionValues, Context, ErrorKind, Prompt,
    PromptOutcome, ReadOutcome, ResourceContents, ResourceInfo, ResourceTemplate, TaskSupport,
    Tool, ToolOutcome, ToolResult,
};
use palisade_runtime::{
    CallError, Complete, GetPrompt, ListResources, Operation, Plugin, Pool, ReadResource, Sandbox,
    ToolCall, result_size,
};
use serde_json::Value;

use super::{Offered, PluginSetup, Refusal, Reply, Run, View};
use crate::gate::ToolGate;
use crate::outcome::{self, Checked, CheckedPrompt, Over};

pub(super) struct Member {
    /// Its place among those that are served.
    place: usize,
    name: Arc<str>,
    plugin: Plugin,
    granted: Arc<Sandbox>,
    /// The same without directories, if it has been needed.
    without_directories: OnceLock<Arc<Sandbox>>,
    /// Shared by all that are served: threads are for what the machine can
    /// do at once, however many plugins there are.
    pool: Arc<Pool>,
    /// The tools a person did not deny, in the plugin's order.
    tools: Vec<Tool>,
    offered: Offered,
    rules: ToolRules,
    gates: HashMap<String, ToolGate>,
}

impl Member {
    pub(super) fn new(
        place: usize,
        setup: PluginSetup,
        pool: Arc<Pool>,
    ) -> serde_json::Result<Self> {
        let PluginSetup {
            name,
            plugin,
            sandbox,
            rules,
        } = setup;
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
        let offers = plugin.metadata().offers;
        let offered = Offered {
            tools: offers.tools,
            resources: offers.resources,
            prompts: offers.prompts,
            completion: offers.completion,
            tasks: tools
                .iter()
                .any(|tool| tool.task_support != TaskSupport::Forbidden),
        };
        Ok(Self {
            place,
            name: name.into(),
            plugin,
            granted: Arc::new(sandbox),
            without_directories: OnceLock::new(),
            pool,
            tools,
            offered,
            rules,
            gates,
        })
    }

    pub(super) fn name(&self) -> &Arc<str> {
        &self.name
    }

    pub(super) fn place(&self) -> usize {
        self.place
    }

    /// What it may use where no client's roots narrow it.
    pub(super) fn granted(&self) -> &Arc<Sandbox> {
        &self.granted
    }

    /// The same without directories.
    pub(super) fn without_directories(&self) -> &Arc<Sandbox> {
        if !self.granted.has_directories() {
            return &self.granted;
        }
        self.without_directories
            .get_or_init(|| Arc::new(self.granted.without_directories()))
    }

    pub(super) fn digest(&self) -> String {
        self.plugin.digest()
    }

    pub(super) fn offered(&self) -> Offered {
        self.offered
    }

    pub(super) fn tools(&self) -> &[Tool] {
        &self.tools
    }

    pub(super) fn prompts(&self) -> &[Prompt] {
        &self.plugin.metadata().prompts
    }

    pub(super) fn templates(&self) -> &[ResourceTemplate] {
        &self.plugin.metadata().templates
    }

    pub(super) async fn prepare(&self, view: &View) {
        self.plugin.prepare(self.sandbox(view)).await;
    }

    async fn run<O: Operation>(&self, operation: O, run: Run) -> Result<O::Outcome, CallError> {
        self.plugin
            .run(
                self.sandbox(&run.view),
                &self.pool,
                run.placement,
                operation,
                run.sink,
                run.cancel,
            )
            .await
    }

    /// Runs a tool: gate, guest, checks of the outcome.
    pub(super) async fn call(
        &self,
        name: &str,
        arguments: &Value,
        context: Context,
        run: Run,
    ) -> Reply<Checked> {
        let Some(gate) = self.gates.get(name) else {
            let message = format!("there is no tool called {name:?}");
            return Reply::Refused(Refusal::new(ErrorKind::InvalidParams, message));
        };
        if self.rules.decide(name) == ToolDecision::Ask {
            return Reply::Done(Checked::failure(format!(
                "not permitted: the grant says that a person must be asked before {name} runs, \
                 which this version can't do yet"
            )));
        }
        if let Err(problem) = gate.check_arguments(arguments) {
            return Reply::Done(Checked::failure(problem));
        }
        let call = ToolCall {
            name: name.to_owned(),
            arguments: arguments.to_string(),
            context,
        };
        match self.run(call, run).await {
            Ok(ToolOutcome::Complete(result)) => {
                let limit = usize::try_from(self.granted.limits().output).unwrap_or(usize::MAX);
                let over = (result_size(&result) > limit).then(|| Over {
                    limit,
                    demands_structured: gate.demands_structured(),
                });
                Reply::Done(Checked {
                    over,
                    ..checked(gate, result)
                })
            }
            Ok(ToolOutcome::InputRequired(questions)) => Reply::Ask(questions),
            Err(error) => tool_failed(error),
        }
    }

    /// Every resource there is now.
    pub(super) async fn resources(
        &self,
        context: Context,
        run: Run,
    ) -> Result<Vec<ResourceInfo>, Refusal> {
        let listed = self
            .run(ListResources { context }, run)
            .await
            .map_err(refusal)?;
        outcome::check_resources(listed).map_err(|problem| self.broken(&problem))
    }

    /// Reads a resource.
    pub(super) async fn read(
        &self,
        uri: &str,
        context: Context,
        run: Run,
    ) -> Reply<Vec<ResourceContents>> {
        let read = ReadResource {
            uri: uri.to_owned(),
            context,
        };
        match self.run(read, run).await {
            Ok(ReadOutcome::Complete(contents)) => match outcome::check_contents(contents) {
                Ok(contents) => Reply::Done(contents),
                Err(problem) => Reply::Refused(self.broken(&problem)),
            },
            Ok(ReadOutcome::InputRequired(questions)) => Reply::Ask(questions),
            Err(error) => Reply::Refused(refusal(error)),
        }
    }

    /// Fills in a prompt.
    pub(super) async fn prompt(
        &self,
        name: &str,
        arguments: Vec<(String, String)>,
        context: Context,
        run: Run,
    ) -> Reply<CheckedPrompt> {
        let known = self.prompts().iter().find(|prompt| prompt.name == name);
        if let Some(problem) = known.and_then(|prompt| wrong_arguments(prompt, &arguments)) {
            return Reply::Refused(Refusal::new(ErrorKind::InvalidParams, problem));
        }
        let get = GetPrompt {
            name: name.to_owned(),
            arguments,
            context,
        };
        match self.run(get, run).await {
            Ok(PromptOutcome::Complete(result)) => match outcome::check_prompt(result) {
                Ok(prompt) => Reply::Done(prompt),
                Err(problem) => Reply::Refused(self.broken(&problem)),
            },
            Ok(PromptOutcome::InputRequired(questions)) => Reply::Ask(questions),
            Err(error) => Reply::Refused(refusal(error)),
        }
    }

    /// Proposes values.
    pub(super) async fn complete(
        &self,
        reference: CompletionReference,
        argument: CompletionArgument,
        context: Context,
        run: Run,
    ) -> Result<CompletionValues, Refusal> {
        if !self.offered().completion {
            // The capability is there because of another plugin.
            return Ok(CompletionValues {
                values: Vec::new(),
                total: None,
                has_more: false,
            });
        }
        let complete = Complete {
            reference,
            argument,
            context,
        };
        let values = self.run(complete, run).await.map_err(refusal)?;
        Ok(outcome::check_completion(values))
    }

    fn broken(&self, problem: &str) -> Refusal {
        Refusal::new(
            ErrorKind::Internal,
            format!("what {} returned can't be passed on: {problem}", self.name),
        )
    }
}

/// What is wrong with a prompt's arguments.
fn wrong_arguments(prompt: &Prompt, given: &[(String, String)]) -> Option<String> {
    for known in &prompt.arguments {
        if known.required && !given.iter().any(|(name, _)| *name == known.name) {
            return Some(format!(
                "the prompt {:?} needs the argument {:?}",
                prompt.name, known.name
            ));
        }
    }
    let unknown = given
        .iter()
        .find(|(name, _)| !prompt.arguments.iter().any(|known| known.name == *name));
    unknown.map(|(name, _)| format!("the prompt {:?} has no argument {name:?}", prompt.name))
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

/// A tool's failure is something a model can act on, unless the request itself
/// was no good.
fn tool_failed(error: CallError) -> Reply<Checked> {
    match error {
        CallError::Plugin {
            kind: ErrorKind::Denied,
            message,
            ..
        } => Reply::Done(Checked::failure(format!("not permitted: {message}"))),
        CallError::Plugin { .. } => Reply::Refused(refusal(error)),
        error => {
            tracing::debug!(error = &error as &dyn std::error::Error, "a call failed");
            Reply::Done(Checked::failure(outcome::clean(error.to_string())))
        }
    }
}

fn refusal(error: CallError) -> Refusal {
    match error {
        CallError::Plugin {
            kind,
            message,
            data,
        } => Refusal {
            kind,
            message: outcome::clean(message),
            data: data.and_then(|data| serde_json::from_str(&data).ok()),
        },
        error => {
            tracing::debug!(error = &error as &dyn std::error::Error, "a request failed");
            Refusal::new(ErrorKind::Internal, outcome::clean(error.to_string()))
        }
    }
}
