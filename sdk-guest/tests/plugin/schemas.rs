//! What arguments and results look like to a client.

use std::collections::BTreeMap;

use palisade_sdk::bindings::tools::exports::palisade::mcp::tools::Guest as _;
use palisade_sdk::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{input_schema, tool};

/// One change.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct Edit {
    /// What is there.
    old: String,
    new: String,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Sort {
    Name,
    Size,
}

type Maybe = Option<i64>;

/// All of it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Many {
    path: String,
    edits: Vec<Edit>,
}

#[derive(Serialize, JsonSchema)]
struct Entry {
    name: String,
    children: Vec<Entry>,
}

#[derive(Default)]
struct Shapes;

#[plugin]
impl Shapes {
    /// Takes nothing.
    #[tool]
    fn nothing(&self, _ctx: &Context) {}

    /// Takes several things.
    #[tool]
    #[expect(clippy::too_many_arguments, reason = "one of every kind")]
    fn several(
        &self,
        /// Where it is,
        /// as the client sees it.
        zone: String,
        amount: u32,
        ctx: &Context,
        /// How many of them.
        limit: Option<u64>,
        maybe: Maybe,
        #[arg(name = "dryRun", default)] dry_run: bool,
        /// The order.
        #[arg(default = Sort::Size)]
        sort: Sort,
        #[arg(default = 2.5)] factor: f64,
    ) -> Result<String> {
        ctx.progress(1.0, None, None);
        let sort = serde_json::to_string(&sort)?;
        Ok(format!(
            "{zone} {amount} {limit:?} {maybe:?} {dry_run} {sort} {factor}"
        ))
    }

    /// Takes structures.
    #[tool]
    fn structures(&self, edits: Vec<Edit>, one: Option<Edit>, counts: BTreeMap<String, u8>) {
        let _ = (edits, one, counts);
    }

    /// Takes one structure.
    #[tool]
    fn whole(&self, args: Args<Many>) -> Result<Json<Entry>> {
        Ok(Json::new(Entry {
            name: format!("{} {}", args.path, args.edits.len()),
            children: Vec::new(),
        }))
    }

    /// Returns a list.
    #[tool]
    fn list(&self) -> Json<Vec<u32>> {
        Json::new(vec![1])
    }
}

#[derive(Default)]
struct NoObject;

#[plugin]
impl NoObject {
    /// Takes something that is no object.
    #[tool]
    fn wrong(&self, args: Args<Vec<String>>) {
        let _ = args;
    }
}

#[test]
fn a_tool_without_arguments_takes_an_empty_object() {
    assert_eq!(
        tool::<Shapes>("nothing").input_schema,
        r#"{"type":"object","additionalProperties":false}"#
    );
}

#[test]
fn parameters_are_properties_in_the_order_in_which_they_are_written() {
    let names = [
        "zone", "amount", "limit", "maybe", "dryRun", "sort", "factor",
    ];
    let text = tool::<Shapes>("several").input_schema;
    let places = names.map(|name| text.find(&format!("\"{name}\":")).unwrap());
    assert!(places.is_sorted(), "{text}");

    assert_eq!(
        input_schema::<Shapes>("several"),
        json!({
            "type": "object",
            "properties": {
                "zone": { "type": "string", "description": "Where it is, as the client sees it." },
                "amount": { "type": "integer", "minimum": 0 },
                "limit": { "type": "integer", "minimum": 0, "description": "How many of them." },
                "maybe": { "type": "integer" },
                "dryRun": { "type": "boolean", "default": false },
                "sort": { "$ref": "#/$defs/Sort", "description": "The order.", "default": "size" },
                "factor": { "type": "number", "default": 2.5 },
            },
            "required": ["zone", "amount"],
            "additionalProperties": false,
            "$defs": { "Sort": { "type": "string", "enum": ["name", "size"] } },
        })
    );
}

#[test]
fn structures_are_defined_once_and_referred_to() {
    let schema = input_schema::<Shapes>("structures");
    let edit = json!({ "$ref": "#/$defs/Edit" });
    assert_eq!(
        schema["properties"]["edits"],
        json!({ "type": "array", "items": edit })
    );
    // Not `null`: leaving it out says that.
    assert_eq!(schema["properties"]["one"], edit);
    assert_eq!(schema["required"], json!(["edits", "counts"]));
    assert_eq!(
        schema["$defs"]["Edit"],
        json!({
            "description": "One change.",
            "type": "object",
            "properties": {
                "old": { "description": "What is there.", "type": "string" },
                "new": { "type": "string" },
            },
            "required": ["old", "new"],
        })
    );
}

#[test]
fn one_structure_is_the_whole_schema() {
    let schema = input_schema::<Shapes>("whole");
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["required"], json!(["path", "edits"]));
    assert_eq!(schema["additionalProperties"], json!(false));
    assert_eq!(
        schema["properties"]["edits"]["items"],
        json!({ "$ref": "#/$defs/Edit" })
    );
    assert!(schema["$defs"]["Edit"].is_object());
    assert_eq!(
        schema.get("title"),
        None,
        "the name of a Rust type is no title"
    );
    assert_eq!(
        schema.get("$schema"),
        None,
        "draft 2020-12 goes without saying"
    );
}

#[test]
fn a_structured_result_has_an_output_schema() {
    let schema = |name| -> Value {
        serde_json::from_str(&tool::<Shapes>(name).output_schema.unwrap()).unwrap()
    };
    let entry = schema("whole");
    assert_eq!(entry["type"], "object");
    assert_eq!(entry["required"], json!(["name", "children"]));
    assert_eq!(
        schema("list"),
        json!({ "type": "array", "items": { "type": "integer", "minimum": 0 } })
    );
    assert_eq!(tool::<Shapes>("several").output_schema, None);
}

#[test]
fn args_that_are_no_object_are_refused_when_tools_are_listed() {
    let error = NoObject::list_tools().unwrap_err();
    assert!(
        error.message.contains("must be a struct"),
        "{}",
        error.message
    );
}

#[test]
fn arguments_that_are_left_out_have_their_defaults() {
    assert_eq!(
        crate::text::<Shapes>("several", r#"{"amount":1,"zone":"a"}"#),
        r#"a 1 None None false "size" 2.5"#
    );
    assert_eq!(
        crate::text::<Shapes>(
            "several",
            r#"{"sort":"name","factor":1,"dryRun":true,"maybe":-1,"limit":null,"amount":1,"zone":"a"}"#
        ),
        r#"a 1 None Some(-1) true "name" 1"#
    );
}
