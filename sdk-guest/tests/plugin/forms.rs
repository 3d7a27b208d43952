//! What forms and conversations look like to a client.

use palisade_sdk::bindings::tools::exports::palisade::mcp::tools::{Guest as _, ToolOutcome};
use palisade_sdk::bindings::types::{self, AnswerValue, InputAsk, SamplingContent};
use palisade_sdk::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{context, only_text};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Plain {
    Red,
    Blue,
}

#[derive(Deserialize, JsonSchema)]
enum Titled {
    /// The first
    One,
    /// The second
    Two,
}

/// Not shown.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only described")]
struct Typed {
    /// What it is called.
    zone: String,
    count: u32,
    plain: Plain,
    titled: Option<Titled>,
    several: Vec<Plain>,
    also: Vec<Titled>,
    maybe: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct City {
    city: String,
}

#[derive(Default)]
struct Forms;

#[plugin]
impl Forms {
    /// Asks for everything there is.
    #[tool]
    fn fields(&self, ctx: &Context) -> Result<()> {
        let form = Elicit::form("All of it")
            .field(
                "mail",
                Field::text()
                    .title("Mail")
                    .description("Where to")
                    .format(Format::Email)
                    .min_length(3)
                    .max_length(99)
                    .default("a@b.c"),
            )
            .optional("day", Field::text().format(Format::Date))
            .field("age", Field::integer().min(0).max(150).default(30))
            .field(
                "score",
                Field::number().min(0.5).max(f64::INFINITY).default(9.5),
            )
            .field("sure", Field::flag().default(true))
            .field("one", Field::one_of(["a", "b"]).default("a"))
            .field("titled", Field::one_of_titled([("a", "A")]))
            .field("named", Field::one_of_named([("a", "A"), ("b", "B")]))
            .field(
                "many",
                Field::any_of(["a", "b"])
                    .min_items(1)
                    .max_items(2)
                    .default(["b"]),
            )
            .optional("also", Field::any_of_titled([("a", "A")]));
        ctx.ask("form", form).map(drop)
    }

    /// Asks for a struct.
    #[tool]
    fn typed(&self, ctx: &Context) -> Result<()> {
        ctx.ask("form", Elicit::form_of::<Typed>("Typed")).map(drop)
    }

    /// Asks in its own words.
    #[tool]
    fn own(&self, ctx: &Context) -> Result<()> {
        ctx.ask("form", Elicit::form_with_schema("Own", "{ }"))
            .map(drop)
    }

    /// Talks to a model.
    #[tool]
    fn talk(&self, ctx: &Context) -> Result<String> {
        let question = Sample::new(50)
            .system("Be brief.")
            .user("Weather?")
            .models(["small"])
            .cost_priority(3.0)
            .temperature(0.5)
            .stop_at(["END"])
            .tool::<City>("weather", "Says the weather")?
            .tool_choice(ToolChoice::Required);
        let answer = ctx.ask("talk", question.clone())?;
        let results: Vec<Part> = answer
            .tool_uses()
            .map(|wanted| Part::tool_result(wanted, ["sunny"]))
            .collect();
        let last = ctx.ask("more", question.after(&answer).user(results))?;
        Ok(format!("{} says {}", last.model(), last.text()))
    }
}

fn ask(name: &str, answers: Vec<types::Answer>) -> InputAsk {
    let mut context = context();
    context.answers = answers;
    match Forms::call_tool(name.to_owned(), "{}".to_owned(), context).unwrap() {
        ToolOutcome::InputRequired(mut required) => required.requests.remove(0).ask,
        ToolOutcome::Complete(result) => panic!("{}", only_text(&result)),
    }
}

fn schema(name: &str) -> String {
    match ask(name, Vec::new()) {
        InputAsk::ElicitForm(form) => form.requested_schema,
        other => panic!("{other:?}"),
    }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn fields_are_flat_and_in_their_order() {
    let text = schema("fields");
    let names = [
        "mail", "day", "age", "score", "sure", "one", "titled", "named", "many",
    ];
    let places = names.map(|name| text.find(&format!("\"{name}\":")).unwrap());
    assert!(places.is_sorted(), "{text}");
    assert_eq!(
        parsed(&text),
        json!({
            "type": "object",
            "properties": {
                "mail": {
                    "type": "string", "title": "Mail", "description": "Where to",
                    "format": "email", "minLength": 3, "maxLength": 99, "default": "a@b.c",
                },
                "day": { "type": "string", "format": "date" },
                "age": { "type": "integer", "minimum": 0, "maximum": 150, "default": 30 },
                "score": { "type": "number", "minimum": 0.5, "default": 9.5 },
                "sure": { "type": "boolean", "default": true },
                "one": { "type": "string", "enum": ["a", "b"], "default": "a" },
                "titled": { "type": "string", "oneOf": [{ "const": "a", "title": "A" }] },
                "named": { "type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"] },
                "many": {
                    "type": "array", "items": { "type": "string", "enum": ["a", "b"] },
                    "minItems": 1, "maxItems": 2, "default": ["b"],
                },
                "also": {
                    "type": "array", "items": { "anyOf": [{ "const": "a", "title": "A" }] },
                },
            },
            "required":
                ["mail", "age", "score", "sure", "one", "titled", "named", "many"],
        })
    );
}

#[test]
fn a_struct_is_a_flat_form_too() {
    let titles = json!([
        { "const": "One", "title": "The first" },
        { "const": "Two", "title": "The second" },
    ]);
    assert_eq!(
        parsed(&schema("typed")),
        json!({
            "type": "object",
            "properties": {
                "zone": { "type": "string", "description": "What it is called." },
                "count": { "type": "integer", "minimum": 0 },
                "plain": { "type": "string", "enum": ["red", "blue"] },
                "titled": { "type": "string", "oneOf": titles },
                "several": {
                    "type": "array", "items": { "type": "string", "enum": ["red", "blue"] },
                },
                "also": { "type": "array", "items": { "anyOf": titles } },
                "maybe": { "type": "boolean" },
            },
            "required": ["zone", "count", "plain", "several", "also"],
        })
    );
}

#[test]
fn a_schema_of_ones_own_is_passed_on_as_it_is() {
    assert_eq!(schema("own"), "{ }");
}

#[test]
fn a_conversation_goes_on_with_what_tools_answered() {
    let InputAsk::Sample(first) = ask("talk", Vec::new()) else {
        panic!()
    };
    assert_eq!((first.max_tokens, first.messages.len()), (50, 1));
    assert_eq!(first.system_prompt.as_deref(), Some("Be brief."));
    assert_eq!(first.stop_sequences, ["END"]);
    let preferences = first.model_preferences.unwrap();
    assert_eq!(preferences.hints, ["small"]);
    assert_eq!(preferences.cost_priority, Some(1.0));
    assert_eq!(first.tools[0].name, "weather");
    assert_eq!(
        parsed(&first.tools[0].input_schema)["required"],
        json!(["city"])
    );

    let wanted = SamplingContent::ToolUse(types::ToolUse {
        id: "7".to_owned(),
        name: "weather".to_owned(),
        input: r#"{"city":"Rome"}"#.to_owned(),
    });
    let answer = types::Answer {
        key: "talk".to_owned(),
        value: AnswerValue::Sampling(types::SamplingAnswer {
            role: Role::Assistant,
            content: vec![wanted],
            model: "small-1".to_owned(),
            stop_reason: Some("toolUse".to_owned()),
        }),
    };
    let InputAsk::Sample(second) = ask("talk", vec![answer]) else {
        panic!()
    };
    let roles: Vec<Role> = second.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::User]);
    let SamplingContent::ToolResult(result) = &second.messages[2].content[0] else {
        panic!("{second:?}")
    };
    assert_eq!(result.tool_use_id, "7");
}
