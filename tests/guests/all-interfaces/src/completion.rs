//! Completion: what was typed, and more.

use crate::bindings::exports::palisade::mcp::completion::{
    CompletionArgument, CompletionReference, CompletionValues, Guest,
};
use crate::bindings::palisade::mcp::types::{Context, Error};
use crate::{AllInterfaces, large};

impl Guest for AllInterfaces {
    fn complete(
        reference: CompletionReference,
        argument: CompletionArgument,
        _: Context,
    ) -> Result<CompletionValues, Error> {
        let belongs_to = match reference {
            CompletionReference::Prompt(name) | CompletionReference::Template(name) => name,
        };
        let values = match argument.value.as_str() {
            "large" => vec![large()],
            value => vec![format!("{belongs_to} {} {value}", argument.name)],
        };
        Ok(CompletionValues {
            values,
            total: Some(1),
            has_more: false,
        })
    }
}
