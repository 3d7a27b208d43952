//! A plugin that exports the tools interface and has no tool.

use palisade_sdk::bindings::tools::exports::palisade::mcp::tools::{Guest, ToolOutcome};
use palisade_sdk::bindings::types::{Context, Error, ErrorKind, Tool};

struct EmptyList;

impl Guest for EmptyList {
    fn list_tools() -> Result<Vec<Tool>, Error> {
        Ok(Vec::new())
    }

    fn call_tool(name: String, _: String, _: Context) -> Result<ToolOutcome, Error> {
        Err(Error {
            kind: ErrorKind::NotFound,
            message: format!("there is no tool called {name:?}"),
            data: None,
        })
    }
}

palisade_sdk::bindings::tools::export!(EmptyList);
