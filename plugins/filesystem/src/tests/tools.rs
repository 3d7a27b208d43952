use palisade_sdk::bindings::tools::exports::palisade::mcp::tools::Guest;
use palisade_sdk::bindings::types::Tool;
use serde_json::{Map, Value, json};

use crate::Filesystem;

/// Recorded from the reference server, version 2026.8.31: what a client sees
/// of its tools, without the descriptions.
const REFERENCE: &str = include_str!("reference-tools.json");

fn tools() -> Vec<Tool> {
    <Filesystem as Guest>::list_tools().unwrap()
}

/// What a schema asks for, without its words.
fn shape(schema: &Value, whole: &Value) -> Value {
    let schema = match schema["$ref"].as_str() {
        Some(reference) => whole.pointer(reference.trim_start_matches('#')).unwrap(),
        None => schema,
    };
    let mut shape = Map::from_iter([("type".to_owned(), schema["type"].clone())]);
    for key in ["enum", "default", "minItems"] {
        if let Some(value) = schema.get(key) {
            shape.insert(key.to_owned(), value.clone());
        }
    }
    if let Some(items) = schema.get("items") {
        shape.insert("items".to_owned(), self::shape(items, whole));
    }
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        let properties = properties
            .iter()
            .map(|(name, value)| (name.clone(), self::shape(value, whole)));
        shape.insert("properties".to_owned(), Value::Object(properties.collect()));
        let mut required: Vec<&str> = schema["required"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap())
            .collect();
        required.sort_unstable();
        shape.insert("required".to_owned(), json!(required));
    }
    Value::Object(shape)
}

#[test]
fn clients_of_the_reference_server_find_the_same_tools() {
    let reference: Vec<Value> = serde_json::from_str(REFERENCE).unwrap();
    let names = |tools: &[Value]| {
        tools
            .iter()
            .map(|tool| tool["name"].clone())
            .collect::<Vec<_>>()
    };
    let ours: Vec<Value> = tools()
        .into_iter()
        .map(|tool| {
            let input: Value = serde_json::from_str(&tool.input_schema).unwrap();
            let hints = tool.annotations.unwrap();
            let hints = [
                ("readOnlyHint", hints.read_only_hint),
                ("idempotentHint", hints.idempotent_hint),
                ("destructiveHint", hints.destructive_hint),
                ("openWorldHint", hints.open_world_hint),
            ];
            let hints = hints
                .into_iter()
                .filter_map(|(name, hint)| Some((name.to_owned(), json!(hint?))));
            let mut shape = shape(&input, &input);
            if tool.name == "list_allowed_directories" {
                shape = json!({"type": "object", "properties": {}, "required": []});
            }
            json!({
                "name": tool.name,
                "title": tool.title,
                "annotations": Value::Object(hints.collect()),
                "input": shape,
            })
        })
        .collect();
    assert_eq!(names(&ours), names(&reference));
    for (ours, reference) in ours.iter().zip(&reference) {
        assert_eq!(ours, reference);
    }
}

#[test]
fn structured_content_is_the_content_once_more() {
    for tool in tools() {
        let schema: Value = serde_json::from_str(&tool.output_schema.unwrap()).unwrap();
        assert_eq!(schema["required"], json!(["content"]), "{}", tool.name);
        let kind = if tool.name == "read_media_file" {
            "array"
        } else {
            "string"
        };
        assert_eq!(
            schema["properties"]["content"]["type"], kind,
            "{}",
            tool.name
        );
    }
}
