//! What a plugin can be asked to do for a client.

use palisade_policy::Limits;

use crate::answer;
use crate::bindings::contract::{
    CompletionArgument, CompletionReference, CompletionValues, Context, Error, PromptOutcome,
    ReadOutcome, ResourceInfo, ToolOutcome,
};
use crate::error::CallError;
use crate::function::{self, Function};
use crate::size::{self, Size};

mod lists;

pub use lists::{ListPrompts, ListTemplates, ListTools};

/// A request that a plugin answers, with what it answers as `Outcome`. These
/// are [`ToolCall`], [`ListResources`], [`ReadResource`], [`GetPrompt`],
/// [`Complete`], [`ListTools`], [`ListPrompts`] and [`ListTemplates`]; there can be
/// no others.
pub trait Operation: sealed::Runs {}

impl<O: sealed::Runs> Operation for O {}

mod sealed {
    use super::{CallError, Context, Error, Function, Limits, Size};

    /// How an operation becomes a call of an exported function.
    pub trait Runs: Send + Sync + 'static {
        /// What the plugin answers.
        type Outcome: Size + Send + Sync + 'static;
        /// The function that does it.
        type Function: Function<Gives = (Result<Self::Outcome, Error>,)>;

        /// Everything about the call that is not its arguments.
        fn context(&self) -> &Context;
        /// The function's arguments.
        fn takes(&self) -> <Self::Function as Function>::Takes<'_>;
        /// How much of it is taken from the guest, in bytes.
        fn most(limits: &Limits) -> u64 {
            limits.output
        }
        /// Refuses an outcome that is too large, or that no client could use.
        fn check(outcome: &Self::Outcome, limits: &Limits) -> Result<(), CallError>;
    }
}

/// Runs a tool (MCP `tools/call`).
#[derive(Debug, Clone)]
pub struct ToolCall {
    /// The tool's name.
    pub name: String,
    /// A JSON object that satisfies the tool's input schema.
    pub arguments: String,
    /// Everything else about the call.
    pub context: Context,
}

impl sealed::Runs for ToolCall {
    type Outcome = ToolOutcome;
    type Function = function::CallTool;

    fn context(&self) -> &Context {
        &self.context
    }

    fn takes(&self) -> <Self::Function as Function>::Takes<'_> {
        (&self.name, &self.arguments, &self.context)
    }

    fn most(limits: &Limits) -> u64 {
        limits.result_ceiling()
    }

    fn check(outcome: &ToolOutcome, limits: &Limits) -> Result<(), CallError> {
        match outcome {
            // What is above the limit itself is not sent, but kept for the
            // client.
            ToolOutcome::Complete(result) => size::within(result.size(), limits.result_ceiling()),
            ToolOutcome::InputRequired(input) => {
                size::check(input.size(), limits)?;
                answer::check_input_required(input)
            }
        }
    }
}

/// Lists the resources that exist now (MCP `resources/list`, all pages).
#[derive(Debug, Clone)]
pub struct ListResources {
    /// Everything about the call.
    pub context: Context,
}

impl sealed::Runs for ListResources {
    type Outcome = Vec<ResourceInfo>;
    type Function = function::ListResources;

    fn context(&self) -> &Context {
        &self.context
    }

    fn takes(&self) -> <Self::Function as Function>::Takes<'_> {
        (&self.context,)
    }

    fn check(outcome: &Vec<ResourceInfo>, limits: &Limits) -> Result<(), CallError> {
        size::check(outcome.size(), limits)?;
        answer::check_resources(outcome)
    }
}

/// Reads a resource (MCP `resources/read`).
#[derive(Debug, Clone)]
pub struct ReadResource {
    /// Its address.
    pub uri: String,
    /// Everything else about the call.
    pub context: Context,
}

impl sealed::Runs for ReadResource {
    type Outcome = ReadOutcome;
    type Function = function::ReadResource;

    fn context(&self) -> &Context {
        &self.context
    }

    fn takes(&self) -> <Self::Function as Function>::Takes<'_> {
        (&self.uri, &self.context)
    }

    fn check(outcome: &ReadOutcome, limits: &Limits) -> Result<(), CallError> {
        size::check(outcome.size(), limits)?;
        match outcome {
            ReadOutcome::Complete(_) => Ok(()),
            ReadOutcome::InputRequired(input) => answer::check_input_required(input),
        }
    }
}

/// Fills in a prompt (MCP `prompts/get`).
#[derive(Debug, Clone)]
pub struct GetPrompt {
    /// The prompt's name.
    pub name: String,
    /// Its arguments; those that are required are there.
    pub arguments: Vec<(String, String)>,
    /// Everything else about the call.
    pub context: Context,
}

impl sealed::Runs for GetPrompt {
    type Outcome = PromptOutcome;
    type Function = function::GetPrompt;

    fn context(&self) -> &Context {
        &self.context
    }

    fn takes(&self) -> <Self::Function as Function>::Takes<'_> {
        (&self.name, &self.arguments, &self.context)
    }

    fn check(outcome: &PromptOutcome, limits: &Limits) -> Result<(), CallError> {
        size::check(outcome.size(), limits)?;
        match outcome {
            PromptOutcome::Complete(_) => Ok(()),
            PromptOutcome::InputRequired(input) => answer::check_input_required(input),
        }
    }
}

/// Proposes values for an argument (MCP `completion/complete`).
#[derive(Debug, Clone)]
pub struct Complete {
    /// The prompt or template that the argument belongs to.
    pub reference: CompletionReference,
    /// What has been typed.
    pub argument: CompletionArgument,
    /// Everything else about the call.
    pub context: Context,
}

impl sealed::Runs for Complete {
    type Outcome = CompletionValues;
    type Function = function::Complete;

    fn context(&self) -> &Context {
        &self.context
    }

    fn takes(&self) -> <Self::Function as Function>::Takes<'_> {
        (&self.reference, &self.argument, &self.context)
    }

    fn check(outcome: &CompletionValues, limits: &Limits) -> Result<(), CallError> {
        size::check(outcome.size(), limits)
    }
}
