//! From the exported interface to the methods that are tools, and back.

use crate::bindings::tools::exports::palisade::mcp::tools::{Guest, ToolOutcome};
use crate::bindings::types;
use crate::error::Failure;
use crate::plugin::{self, Plugin, refusal};
use crate::{Context, Error, Result, ToolResult};

/// A plugin that offers tools. `#[plugin]` implements it.
pub trait Tools: Plugin {
    /// Every tool, in the order in which they are written.
    ///
    /// # Errors
    /// A tool cannot be described, for example because [`Args`](crate::Args)
    /// holds no struct.
    fn list() -> Result<Vec<types::Tool>>;

    /// Runs a tool.
    ///
    /// # Errors
    /// What the tool returned, or an unknown tool, or unusable arguments.
    fn call(&mut self, name: &str, arguments: &str, context: &Context) -> Result<ToolResult>;
}

impl<T: Tools> Guest for T {
    fn list_tools() -> Result<Vec<types::Tool>, types::Error> {
        T::list().map_err(refusal)
    }

    fn call_tool(
        name: String,
        arguments: String,
        context: types::Context,
    ) -> Result<ToolOutcome, types::Error> {
        let context = Context::new(context);
        match plugin::with(|plugin: &mut T| plugin.call(&name, &arguments, &context)) {
            Ok(result) => Ok(ToolOutcome::Complete(result.0)),
            Err(error) => match error.into_failure() {
                Failure::Tool(message) => Ok(ToolOutcome::Complete(ToolResult::error(message).0)),
                Failure::Protocol(error) => Err(error),
                Failure::Ask(questions) => Ok(ToolOutcome::InputRequired(
                    context.input_required(questions),
                )),
            },
        }
    }
}

/// The answer to a call of a tool that is not there.
#[must_use]
pub fn unknown_tool(name: &str) -> Error {
    Error::not_found(format_args!("there is no tool called {name:?}"))
}

/// What the attributes and comments say about a tool.
#[derive(Clone, Debug)]
pub struct ToolInfo {
    /// Its name in the protocol.
    pub name: &'static str,
    /// Its name for people.
    pub title: Option<&'static str>,
    /// Its doc comment.
    pub description: &'static str,
    /// `read_only`
    pub read_only: Option<bool>,
    /// `destructive`
    pub destructive: Option<bool>,
    /// `idempotent`
    pub idempotent: Option<bool>,
    /// `open_world`
    pub open_world: Option<bool>,
    /// `task`
    pub task_support: types::TaskSupport,
    /// `icons`
    pub icons: Vec<types::Icon>,
    /// `meta`
    pub meta: Option<String>,
}

impl ToolInfo {
    /// The tool as clients see it.
    #[must_use]
    #[inline(never)]
    pub fn tool(self, input_schema: String, output_schema: Option<String>) -> types::Tool {
        let hints = [
            self.read_only,
            self.destructive,
            self.idempotent,
            self.open_world,
        ];
        types::Tool {
            name: self.name.to_owned(),
            title: self.title.map(str::to_owned),
            description: Some(self.description.to_owned()),
            input_schema,
            output_schema,
            annotations: hints
                .iter()
                .any(Option::is_some)
                .then_some(types::ToolAnnotations {
                    title: None,
                    read_only_hint: self.read_only,
                    destructive_hint: self.destructive,
                    idempotent_hint: self.idempotent,
                    open_world_hint: self.open_world,
                }),
            icons: self.icons,
            task_support: self.task_support,
            meta: self.meta,
        }
    }
}
