//! The list of tools.

use std::collections::HashSet;

use serde_json::Value;

use super::{bad, check_meta, check_name, check_size, headers, object};
use crate::bindings::contract::Tool;
use crate::error::LoadError;

/// Checks the list; an error names the tool.
pub(crate) fn check(tools: &[Tool]) -> Result<(), LoadError> {
    check_size("tools", tools)?;
    let mut seen = HashSet::new();
    for tool in tools {
        check_name("tool", &tool.name)?;
        if !seen.insert(tool.name.as_str()) {
            return bad(format!("there are two tools called {:?}", tool.name));
        }
        check_input(tool)?;
        if let Some(schema) = &tool.output_schema {
            check_output(tool, schema)?;
        }
        check_meta(&tool.name, tool.meta.as_ref())?;
    }
    Ok(())
}

/// MCP: arguments are an object, so the schema's root has `"type": "object"`.
fn check_input(tool: &Tool) -> Result<(), LoadError> {
    let schema = object("input schema", &tool.name, &tool.input_schema)?;
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return bad(format!(
            "the input schema of {:?} does not have \"type\": \"object\" at its root",
            tool.name
        ));
    }
    headers::check(&schema)
        .or_else(|problem| bad(format!("the input schema of {:?}: {problem}", tool.name)))
}

/// Structured content may be any JSON, so any schema will do.
fn check_output(tool: &Tool, schema: &str) -> Result<(), LoadError> {
    match serde_json::from_str(schema) {
        Ok(Value::Object(_) | Value::Bool(_)) => Ok(()),
        Ok(_) => bad(format!(
            "the output schema of {:?} is neither a JSON object nor true or false",
            tool.name
        )),
        Err(error) => bad(format!(
            "the output schema of {:?} is no JSON ({error})",
            tool.name
        )),
    }
}
