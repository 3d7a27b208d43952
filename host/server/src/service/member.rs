//! One of the plugins that are served.

use std::sync::Arc;

use arc_swap::ArcSwap;
use palisade_policy::{ToolDecision, ToolRules};
use palisade_runtime::contract::{
    CompletionArgument, CompletionReference, CompletionValues, Context, ErrorKind, Prompt,
    PromptOutcome, ReadOutcome, ResourceContents, ResourceInfo, TaskSupport, ToolOutcome,
    ToolResult,
};
use palisade_runtime::{
    Asked, CallError, Complete, GetPrompt, ListResources, Operation, Placement, Plugin, Pool,
    ReadResource, Sandbox, ToolCall, is_large, result_size,
};
use serde_json::Value;

use super::consent::{self, Consent};
use super::definitions::{Agreement, Defined, Said};
use super::live::Live;
use super::refresh::{Changes, Listed};
use super::{Offered, PluginSetup, Refusal, Reply, Run, View};
use crate::gate::ToolGate;
use crate::outcome::{self, Checked, CheckedPrompt, Over};

pub(super) struct Member {
    /// Its place among those that are served.
    place: usize,
    name: Arc<str>,
    plugin: Plugin,
    live: ArcSwap<Live>,
    /// Shared by all that are served: threads are for what the machine can
    /// do at once, however many plugins there are.
    pool: Arc<Pool>,
    /// What it says it has, and what of that is served.
    said: ArcSwap<Said>,
    defined: ArcSwap<Defined>,
    agreement: Option<Arc<dyn Agreement>>,
    changes: Arc<Changes>,
    offered: Offered,
    /// As they were at the start: what clients know tools as does not change.
    names: ToolRules,
    /// Tools that a client wanted to run that can't ask the person.
    unasked: consent::Told,
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
            agreement,
        } = setup;
        let metadata = plugin.metadata();
        let said = Said {
            tools: metadata.tools.as_slice().into(),
            prompts: metadata.prompts.as_slice().into(),
            templates: metadata.templates.as_slice().into(),
        };
        let nothing = Defined::default();
        let defined = Defined::of(&said, &rules, agreement.as_deref(), &nothing)?;
        let changes = Changes::default();
        if let Some(agreement) = agreement.as_deref()
            && !defined.is_all(agreement)
        {
            // What was recorded is not what it had when somebody looked at it.
            changes.note_all();
        }
        let offers = metadata.offers;
        let offered = Offered {
            tools: offers.tools,
            resources: offers.resources,
            prompts: offers.prompts,
            completion: offers.completion,
            tasks: (defined.tools)
                .iter()
                .any(|tool| tool.task_support != TaskSupport::Forbidden),
        };
        Ok(Self {
            place,
            name: name.into(),
            plugin,
            live: ArcSwap::from_pointee(Live::new(0, sandbox, rules.clone())),
            pool,
            said: ArcSwap::from_pointee(said),
            defined: ArcSwap::from_pointee(defined),
            agreement,
            changes: Arc::new(changes),
            offered,
            names: rules,
            unasked: consent::Told::default(),
        })
    }

    pub(super) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// What holds now.
    pub(super) fn live(&self) -> Arc<Live> {
        self.live.load_full()
    }

    /// Puts something else in its place, and stops what runs under it.
    pub(super) fn replace(&self, sandbox: Sandbox, rules: ToolRules) {
        Live::replace(&self.live, sandbox, rules);
    }

    pub(super) fn digest(&self) -> String {
        self.plugin.digest()
    }

    pub(super) fn offered(&self) -> Offered {
        self.offered
    }

    /// What of what it says it has is served.
    pub(super) fn defined(&self) -> Arc<Defined> {
        self.defined.load_full()
    }

    /// What it has said has changed.
    pub(super) fn changes(&self) -> &Arc<Changes> {
        &self.changes
    }

    /// Takes note of what it says it has now. Whether that is something else.
    pub(super) fn says(&self, list: Listed) -> bool {
        let mut said = Said::clone(&self.said.load());
        let differs = list.put(&mut said);
        if differs {
            self.said.store(Arc::new(said));
        }
        differs
    }

    /// Whether it has something else than was agreed to.
    pub(super) fn is_not_all(&self) -> bool {
        let agreement = self.agreement.as_deref();
        agreement.is_some_and(|agreement| !self.defined.load().is_all(agreement))
    }

    /// Decides what of it is served, by what holds now. One at a time.
    pub(super) fn define(&self) {
        let (said, live, before) = (self.said.load(), self.live(), self.defined.load());
        match Defined::of(&said, live.rules(), self.agreement.as_deref(), &before) {
            Ok(now) => {
                if let Some(agreement) = &self.agreement {
                    agreement.withhold(&now.withheld);
                }
                self.defined.store(Arc::new(now));
            }
            // Its schemas have been read before.
            Err(error) => tracing::error!("the lists of {} stay as they are: {error}", self.name),
        }
    }

    /// What clients know one of its tools as.
    pub(super) fn name_of<'n>(&'n self, tool: &'n str) -> &'n str {
        self.names.name_of(tool)
    }

    pub(super) async fn prepare(&self, view: &View) {
        let live = self.live();
        self.plugin.prepare(view.sandbox(self.place, &live)).await;
    }

    /// Runs an operation, and makes of its outcome what a client may see, as
    /// part of the call.
    async fn run<O: Operation, T: Send + 'static>(
        &self,
        operation: O,
        run: Run,
        finish: impl FnOnce(O::Outcome) -> T + Send + 'static,
    ) -> Result<T, CallError> {
        let asked = Asked {
            operation,
            sink: run.sink,
            cancel: run.cancel,
            finish,
        };
        let live = self.live();
        let sandbox = run.view.sandbox(self.place, &live);
        let call = (self.plugin).run(sandbox, &self.pool, run.placement, asked);
        live.run(call).await
    }

    /// Asks it for a list.
    pub(super) async fn ask<O, F, T>(
        &self,
        asked: Asked<O, F>,
        placement: Placement,
        view: &View,
    ) -> Result<T, CallError>
    where
        O: Operation,
        F: FnOnce(O::Outcome) -> T + Send + 'static,
        T: Send + 'static,
    {
        let live = self.live();
        let sandbox = view.for_lists(&live);
        let call = self.plugin.run(sandbox, &self.pool, placement, asked);
        live.run(call).await
    }

    /// Runs a tool: gate, guest, checks of the outcome.
    pub(super) async fn call(
        &self,
        name: &str,
        arguments: &Value,
        context: Context,
        run: Run,
    ) -> Reply<Checked> {
        let defined = self.defined.load();
        let Some(gate) = defined.gates.get(name) else {
            let message = format!("there is no tool called {name:?}");
            return Reply::Refused(Refusal::new(ErrorKind::InvalidParams, message));
        };
        if let Err(problem) = gate.check_arguments(arguments) {
            return Reply::Done(Checked::failure(problem));
        }
        let mut context = context;
        let live = self.live();
        let refused = |why: String| Reply::Done(Checked::failure(why));
        match live.decide(name) {
            ToolDecision::Allow => {}
            ToolDecision::Deny => {
                return refused(format!("not permitted: {name} is not granted any more"));
            }
            ToolDecision::Ask => match self.consent(&live, name, arguments, &mut context) {
                Consent::Given => {}
                Consent::Ask(question) => return Reply::Ask(question),
                Consent::Refused(why) => return refused(why),
            },
        }
        let call = ToolCall {
            name: name.to_owned(),
            arguments: arguments.to_string(),
            context,
        };
        let gate = Arc::clone(gate);
        drop(defined);
        let limit = usize::try_from(live.granted().limits().output).unwrap_or(usize::MAX);
        let finish = move |outcome| match outcome {
            ToolOutcome::Complete(result) => Reply::Done(finished(&gate, result, limit)),
            ToolOutcome::InputRequired(questions) if consent::is_claimed(&questions) => {
                Reply::Done(Checked::failure(consent::CLAIMED.to_owned()))
            }
            ToolOutcome::InputRequired(questions) => Reply::Ask(questions),
        };
        match self.run(call, run, finish).await {
            Ok(reply) => reply,
            Err(error) => tool_failed(error),
        }
    }

    /// Whether the person wants this call, as far as that is known.
    fn consent(
        &self,
        live: &Live,
        name: &str,
        arguments: &Value,
        context: &mut Context,
    ) -> Consent {
        let defined = self.defined.load();
        let tool = defined.tool(name);
        let consent = consent::of(context, || {
            let shown = consent::Shown {
                plugin: &self.name,
                name: self.name_of(name),
                tool,
                arguments,
                hide: &|text| live.granted().hide_secrets(text),
            };
            shown.message()
        });
        if let Consent::Refused(_) = &consent
            && !consent::can_be_asked(context)
            && self.unasked.first(name)
        {
            tracing::warn!(
                "{} can't run {name}: its grant says to ask you first, and the client has no way \
                 to ask; to let it run without: {}",
                self.name,
                live.granted().granting().tool(name, ToolDecision::Allow)
            );
        }
        consent
    }

    /// Every resource there is now.
    pub(super) async fn resources(
        &self,
        context: Context,
        run: Run,
    ) -> Result<Vec<ResourceInfo>, Refusal> {
        self.run(ListResources { context }, run, outcome::check_resources)
            .await
            .map_err(refusal)?
            .map_err(|problem| self.broken(&problem))
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
        let finish = |outcome| match outcome {
            ReadOutcome::Complete(contents) => outcome::check_contents(contents).map(Reply::Done),
            ReadOutcome::InputRequired(questions) => Ok(Reply::Ask(questions)),
        };
        self.reply(self.run(read, run, finish).await)
    }

    /// Fills in a prompt.
    pub(super) async fn prompt(
        &self,
        name: &str,
        arguments: Vec<(String, String)>,
        context: Context,
        run: Run,
    ) -> Reply<CheckedPrompt> {
        let defined = self.defined.load_full();
        let known = (defined.prompts).iter().find(|prompt| prompt.name == name);
        if let Some(problem) = known.and_then(|prompt| wrong_arguments(prompt, &arguments)) {
            return Reply::Refused(Refusal::new(ErrorKind::InvalidParams, problem));
        }
        let get = GetPrompt {
            name: name.to_owned(),
            arguments,
            context,
        };
        let finish = |outcome| match outcome {
            PromptOutcome::Complete(result) => outcome::check_prompt(result).map(Reply::Done),
            PromptOutcome::InputRequired(questions) => Ok(Reply::Ask(questions)),
        };
        self.reply(self.run(get, run, finish).await)
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
        self.run(complete, run, outcome::check_completion)
            .await
            .map_err(refusal)
    }

    /// What comes of a request that is no tool's, if it ran and what it came to
    /// can be passed on.
    fn reply<T>(&self, ran: Result<Result<Reply<T>, String>, CallError>) -> Reply<T> {
        match ran {
            Ok(Ok(reply)) => reply,
            Ok(Err(problem)) => Reply::Refused(self.broken(&problem)),
            Err(error) => Reply::Refused(refusal(error)),
        }
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
fn finished(gate: &ToolGate, result: ToolResult, limit: usize) -> Checked {
    let over = (result_size(&result) > limit).then(|| Over {
        limit,
        demands_structured: gate.demands_structured(),
    });
    let large = is_large(&result);
    let checked = outcome::check(result).and_then(|checked| {
        if !checked.is_error {
            gate.check_structured(checked.structured.as_ref())?;
        }
        Ok(checked)
    });
    match checked {
        Ok(checked) => Checked {
            over,
            large,
            ..checked
        },
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
