//! From the exported interface to a plugin's methods and back.

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::thread::LocalKey;

use crate::bindings::tools::exports::palisade::mcp::tools::{Guest, ToolOutcome};
use crate::bindings::types;
use crate::{Context, Error, Result, ToolResult};

/// A plugin that offers tools. `#[plugin]` implements it.
pub trait Tools: Sized + 'static {
    /// What an instance starts from.
    fn fresh() -> Self;

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

    /// Where the plugin's value is kept.
    fn state() -> &'static LocalKey<State<Self>>;
}

/// Where a plugin's value comes from.
#[diagnostic::on_unimplemented(
    message = "the plugin `{Self}` has no `Default`",
    label = "needs `Default`",
    note = "every instance of a plugin starts with its default: put `#[derive(Default)]` on it"
)]
pub trait Fresh: Default {}

#[diagnostic::do_not_recommend]
impl<T: Default> Fresh for T {}

/// What an instance starts from.
#[must_use]
pub fn fresh<T: Fresh>() -> T {
    T::default()
}

/// The one value of an instance, made when it is first needed.
///
/// It is never dropped: the host throws the whole instance away, and a
/// destructor would have to be registered in every call.
pub struct State<T>(RefCell<Option<ManuallyDrop<T>>>);

impl<T> State<T> {
    /// Not made yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(RefCell::new(None))
    }
}

impl<T> Default for State<T> {
    fn default() -> Self {
        Self::new()
    }
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
        let result = T::state().with(|state| {
            // Components are not entered twice; if one ever is, say so.
            let mut state = state
                .0
                .try_borrow_mut()
                .map_err(|_| Error::internal("the plugin is already running a tool"))?;
            state
                .get_or_insert_with(|| ManuallyDrop::new(T::fresh()))
                .call(&name, &arguments, &Context::new(context))
        });
        match result {
            Ok(result) => Ok(ToolOutcome::Complete(result.0)),
            Err(error) => error.into_protocol().map_or_else(
                |message| Ok(ToolOutcome::Complete(ToolResult::error(message).0)),
                Err,
            ),
        }
    }
}

fn refusal(error: Error) -> types::Error {
    error
        .into_protocol()
        .unwrap_or_else(|message| types::Error {
            kind: types::ErrorKind::Internal,
            message,
            data: None,
        })
}

/// The answer to a call of a tool that is not there.
#[must_use]
pub fn unknown_tool(name: &str) -> Error {
    Error::not_found(format_args!("there is no tool called {name:?}"))
}

/// What the attributes and comments say about a tool.
#[derive(Clone, Copy, Debug)]
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
            icons: Vec::new(),
            task_support: types::TaskSupport::Forbidden,
            meta: None,
        }
    }
}
