//! Arguments that a client repeats as HTTP headers (MCP `x-mcp-header`).
//!
//! Clients leave out a tool whose annotations break these rules, so its author
//! is told here.

use std::collections::HashSet;

use serde_json::{Map, Value};

/// The annotation: the name that follows `Mcp-Param-`.
const KEY: &str = "x-mcp-header";

/// Where a schema stands in the schema of all arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It is that of all arguments.
    Root,
    /// It is an argument's, reached by nothing but `properties`.
    Argument,
    /// A client can't tell which argument it is for.
    Elsewhere,
}

/// Checks an input schema.
pub(super) fn check(schema: &Map<String, Value>) -> Result<(), String> {
    walk(schema, Place::Root, "", &mut HashSet::new())
}

fn walk(
    schema: &Map<String, Value>,
    place: Place,
    name: &str,
    seen: &mut HashSet<String>,
) -> Result<(), String> {
    if let Some(header) = schema.get(KEY) {
        if place != Place::Argument {
            return Err(format!(
                "{KEY} may only be on an argument, or on a property of an argument \
                 that is reached by `properties` alone"
            ));
        }
        check_header(header, schema, name, seen)?;
    }
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                let place = match place {
                    Place::Root | Place::Argument => Place::Argument,
                    Place::Elsewhere => Place::Elsewhere,
                };
                for (name, property) in properties {
                    walk_value(property, place, name, seen)?;
                }
            }
            (
                "$defs" | "definitions" | "dependencies" | "dependentSchemas" | "patternProperties",
                Value::Object(schemas),
            ) => {
                for schema in schemas.values() {
                    walk_value(schema, Place::Elsewhere, name, seen)?;
                }
            }
            // Data and names, in which the key means nothing.
            (KEY | "const" | "default" | "dependentRequired" | "enum" | "examples", _) => {}
            (_, value) => walk_value(value, Place::Elsewhere, name, seen)?,
        }
    }
    Ok(())
}

fn walk_value(
    value: &Value,
    place: Place,
    name: &str,
    seen: &mut HashSet<String>,
) -> Result<(), String> {
    match value {
        Value::Object(schema) => walk(schema, place, name, seen),
        Value::Array(schemas) => schemas
            .iter()
            .try_for_each(|schema| walk_value(schema, Place::Elsewhere, name, seen)),
        _ => Ok(()),
    }
}

fn check_header(
    header: &Value,
    schema: &Map<String, Value>,
    name: &str,
    seen: &mut HashSet<String>,
) -> Result<(), String> {
    let Some(header) = header.as_str() else {
        return Err(format!("the {KEY} of {name:?} is no text"));
    };
    if header.is_empty() || !header.bytes().all(is_token) {
        return Err(format!(
            "the {KEY} of {name:?} is {header:?}, which is no name of an HTTP header"
        ));
    }
    if !seen.insert(header.to_ascii_lowercase()) {
        return Err(format!(
            "the {KEY} of {name:?}, {header:?}, is that of another argument as well"
        ));
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string" | "integer" | "boolean") => Ok(()),
        _ => Err(format!(
            "{name:?} has an {KEY}, so its type must be \"string\", \"integer\" or \"boolean\""
        )),
    }
}

/// `tchar` of RFC 9110.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::check;

    fn checked(schema: Value) -> Result<(), String> {
        match schema {
            Value::Object(schema) => check(&schema),
            other => panic!("{other} is no schema"),
        }
    }

    fn property(annotated: Value) -> Result<(), String> {
        checked(json!({"type": "object", "properties": {"a": annotated}}))
    }

    #[test]
    fn an_argument_may_have_a_header() {
        for ty in ["string", "integer", "boolean"] {
            assert_eq!(
                property(json!({"type": ty, "x-mcp-header": "Region"})),
                Ok(())
            );
        }
        let within = json!({
            "type": "object",
            "properties": {"b": {"type": "string", "x-mcp-header": "X_1!"}},
        });
        assert_eq!(property(within), Ok(()));
    }

    #[test]
    fn what_only_looks_like_an_annotation_is_none() {
        let schema = json!({
            "type": "object",
            "properties": {
                "x-mcp-header": {"type": "array"},
                "a": {"enum": [{"x-mcp-header": 7}], "default": {"x-mcp-header": ""}},
            },
            "$defs": {"x-mcp-header": {"type": "array"}},
        });
        assert_eq!(checked(schema), Ok(()));
    }

    #[test]
    fn a_name_must_be_one_of_a_header() {
        for header in [
            json!(""),
            json!("two words"),
            json!("é"),
            json!("a:b"),
            json!(7),
        ] {
            let problem = property(json!({"type": "string", "x-mcp-header": header}));
            assert!(problem.is_err_and(|why| why.contains("\"a\"")), "{header}");
        }
    }

    #[test]
    fn a_value_must_fit_into_a_header() {
        for ty in [json!("number"), json!("object"), json!(["string", "null"])] {
            let problem = property(json!({"type": ty, "x-mcp-header": "A"}));
            assert!(problem.is_err_and(|why| why.contains("type")), "{ty}");
        }
        assert!(property(json!({"x-mcp-header": "A"})).is_err());
    }

    #[test]
    fn a_header_is_for_one_argument() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": {"type": "string", "x-mcp-header": "Region"},
                "b": {"type": "object", "properties": {
                    "c": {"type": "string", "x-mcp-header": "REGION"},
                }},
            },
        });
        assert!(checked(schema).is_err_and(|why| why.contains("another argument")));
    }

    #[test]
    fn a_client_must_know_which_argument_it_is_for() {
        let annotated = json!({"type": "string", "x-mcp-header": "A"});
        let properties = json!({"a": annotated});
        for (keyword, value) in [
            ("x-mcp-header", json!("A")),
            ("items", annotated.clone()),
            ("allOf", json!([{"properties": properties}])),
            ("if", json!({"properties": properties})),
            ("$defs", properties.clone()),
            ("patternProperties", properties.clone()),
            ("additionalProperties", annotated.clone()),
        ] {
            let problem = checked(json!({"type": "object", keyword: value}));
            assert!(
                problem.is_err_and(|why| why.contains("`properties`")),
                "{keyword}"
            );
        }
        let below_items = json!({"type": "array", "items": {"properties": properties}});
        assert!(property(below_items).is_err());
    }
}
