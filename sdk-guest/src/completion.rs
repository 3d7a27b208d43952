//! From the exported interface to the methods that complete, and back.

use crate::bindings::completion::exports::palisade::mcp::completion as exported;
use crate::bindings::types;
use crate::plugin::{self, Plugin, refusal};
use crate::{Context, Error, Result};

/// A plugin that completes arguments. `#[plugin]` implements it.
pub trait Completes: Plugin {
    /// Proposes values.
    ///
    /// # Errors
    /// What the method returned.
    fn complete(&mut self, wanted: Wanted<'_>, context: &Context) -> Result<Completion>;
}

/// What is to be completed.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// What the argument belongs to.
    pub of: Of<'a>,
    /// Its name.
    pub argument: &'a str,
    /// What there is of it.
    pub value: &'a str,
    /// The arguments that are already there.
    pub filled: &'a [(String, String)],
}

/// What an argument belongs to.
#[derive(Clone, Copy, Debug)]
pub enum Of<'a> {
    /// The prompt of this name.
    Prompt(&'a str),
    /// This template.
    Template(&'a str),
}

impl<T: Completes> exported::Guest for T {
    fn complete(
        reference: exported::CompletionReference,
        argument: exported::CompletionArgument,
        context: types::Context,
    ) -> Result<exported::CompletionValues, types::Error> {
        let context = Context::new(context);
        let wanted = Wanted {
            of: match &reference {
                exported::CompletionReference::Prompt(name) => Of::Prompt(name),
                exported::CompletionReference::Template(uri) => Of::Template(uri),
            },
            argument: &argument.name,
            value: &argument.value,
            filled: &argument.filled,
        };
        plugin::with(|plugin: &mut T| Completes::complete(plugin, wanted, &context))
            .map(|completion| completion.0)
            .map_err(refusal)
    }
}

/// Values for an argument, best first; clients see the first 100.
#[derive(Clone, Debug)]
pub struct Completion(exported::CompletionValues);

impl Completion {
    /// These values, which are all there are.
    pub fn new<V: Into<String>>(values: impl IntoIterator<Item = V>) -> Self {
        Self(exported::CompletionValues {
            values: values.into_iter().map(Into::into).collect(),
            total: None,
            has_more: false,
        })
    }

    /// Those of these values that start with what there is, in whatever case.
    pub fn starting_with<V: AsRef<str>>(value: &str, values: impl IntoIterator<Item = V>) -> Self {
        let wanted = value.to_lowercase();
        let fits = |value: &V| value.as_ref().to_lowercase().starts_with(&wanted);
        let values = values.into_iter().filter(fits);
        Self::new(values.map(|value| value.as_ref().to_owned()))
    }

    /// How many there are in all.
    #[must_use]
    pub fn total(mut self, total: u32) -> Self {
        self.0.total = Some(total);
        self
    }

    /// There are more than these.
    #[must_use]
    pub fn has_more(mut self) -> Self {
        self.0.has_more = true;
        self
    }
}

/// What a method marked `#[complete]` may return: a `Vec<String>`, a
/// [`Completion`], or a `Result` of one of these.
#[diagnostic::on_unimplemented(
    message = "a completion cannot be `{Self}`",
    label = "not a list of values",
    note = "it can be `Vec<String>`, `Completion`, or a `Result` of one of these"
)]
pub trait IntoCompletion {
    /// The values.
    ///
    /// # Errors
    /// What the method returned.
    fn into_completion(self) -> Result<Completion>;
}

impl IntoCompletion for Completion {
    fn into_completion(self) -> Result<Completion> {
        Ok(self)
    }
}

impl IntoCompletion for Vec<String> {
    fn into_completion(self) -> Result<Completion> {
        Ok(Completion::new(self))
    }
}

impl<T: IntoCompletion, E: Into<Error>> IntoCompletion for std::result::Result<T, E> {
    fn into_completion(self) -> Result<Completion> {
        self.map_err(Into::into)?.into_completion()
    }
}
