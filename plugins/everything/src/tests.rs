//! What the suite asks for, asked without a host.
#![allow(
    clippy::unwrap_used,
    reason = "a test says where it failed by panicking"
)]

use palisade_sdk::bindings::prompts::exports::palisade::mcp::prompts::Guest as Prompts;
use palisade_sdk::bindings::resources::exports::palisade::mcp::resources::Guest as Resources;
use palisade_sdk::bindings::tools::exports::palisade::mcp::tools::Guest as Tools;
use palisade_sdk::bindings::types::TaskSupport;
use palisade_sdk::prelude::*;
use serde_json::{Value, json};

use crate::{Everything, schema};

fn keys(error: &Error) -> Vec<&str> {
    error.asks().collect()
}

fn round<'a>(answers: impl IntoIterator<Item = (&'a str, Answer)>) -> Context {
    answers
        .into_iter()
        .fold(Context::default(), |ctx, (key, answer)| {
            ctx.answering(key, answer)
        })
}

fn ada() -> Answer {
    Answer::accept(json!({ "name": "Ada" }))
}

#[test]
fn the_simple_tool_is_first_and_everything_is_described() {
    let tools = <Everything as Tools>::list_tools().unwrap();
    assert_eq!(tools[0].name, "test_simple_text");
    for tool in &tools {
        assert!(tool.description.is_some(), "{}", tool.name);
        let schema: Value = serde_json::from_str(&tool.input_schema).unwrap();
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            assert!(
                property.get("description").is_some(),
                "{}: {name}",
                tool.name
            );
        }
    }
    for prompt in <Everything as Prompts>::list_prompts().unwrap() {
        assert!(prompt.description.is_some(), "{}", prompt.name);
        for argument in prompt.arguments {
            assert!(argument.description.is_some(), "{}", prompt.name);
        }
    }
    assert_eq!(
        <Everything as Resources>::list_templates().unwrap().len(),
        1
    );
}

#[test]
fn what_the_host_has_to_know_of_tools_is_said() {
    let tools = <Everything as Tools>::list_tools().unwrap();
    let tool = |name| tools.iter().find(|tool| tool.name == name).unwrap();
    assert_eq!(
        tool("json_schema_2020_12_tool").input_schema,
        schema::CONTACT
    );
    let header: Value = serde_json::from_str(&tool("test_custom_header").input_schema).unwrap();
    assert_eq!(header["properties"]["value"]["x-mcp-header"], "Value");
    assert!(matches!(tool("greet").task_support, TaskSupport::Forbidden));
    assert!(matches!(
        tool("slow_compute").task_support,
        TaskSupport::Optional
    ));
    assert!(matches!(
        tool("failing_job").task_support,
        TaskSupport::Required
    ));
    assert!(matches!(
        tool("test_tool_with_task").task_support,
        TaskSupport::Required
    ));
}

#[test]
fn one_question_leads_to_one_answer() {
    let first = Everything.test_input_required_result_elicitation(&Context::default());
    assert_eq!(keys(&first.unwrap_err()), ["user_name"]);
    let ctx = round([("user_name", ada())]);
    let text = Everything.test_input_required_result_elicitation(&ctx);
    assert_eq!(text.unwrap(), "Hello, Ada!");
}

#[test]
fn three_questions_are_asked_at_once_and_two_one_after_the_other() {
    let first = Everything.test_input_required_result_multiple_inputs(&Context::default());
    assert_eq!(
        keys(&first.unwrap_err()),
        ["user_name", "greeting", "client_roots"]
    );

    let first = Everything.test_input_required_result_multi_round(&Context::default());
    assert_eq!(keys(&first.unwrap_err()), ["step1"]);
    let second = Everything.test_input_required_result_multi_round(&round([("step1", ada())]));
    assert_eq!(keys(&second.unwrap_err()), ["step2"]);
    let color = Answer::accept(json!({ "color": "blue" }));
    let ctx = round([("step1", ada()), ("step2", color)]);
    let text = Everything.test_input_required_result_multi_round(&ctx);
    assert_eq!(text.unwrap(), "Ada likes blue.");
}

#[test]
fn a_confirmation_needs_the_state_too() {
    let ctx = round([("confirm", Answer::accept(json!({ "ok": true })))]);
    assert!(
        Everything
            .test_input_required_result_request_state(&ctx)
            .is_err()
    );
    ctx.keep(&"state").unwrap();
    let text = Everything.test_input_required_result_request_state(&ctx);
    assert_eq!(text.unwrap(), "state-ok");
}

#[test]
fn a_client_that_can_answer_nothing_is_asked_nothing() {
    let ctx = Context::default();
    assert!(
        Everything
            .test_input_required_result_capabilities(&ctx)
            .is_ok()
    );
    // And here the host says what is missing.
    let error = Everything.test_missing_capability(&ctx).unwrap_err();
    assert_eq!(keys(&error), ["completion"]);
}

#[test]
fn deleting_needs_a_yes() {
    let say = |answer| Everything.confirm_delete("a.txt".to_owned(), &round([("confirm", answer)]));
    let yes = say(Answer::accept(json!({ "confirm": true }))).unwrap();
    assert!(yes.starts_with("Deleted a.txt"), "{yes}");
    for no in [
        Answer::accept(json!({ "confirm": false })),
        Answer::decline(),
    ] {
        assert_eq!(say(no).unwrap(), "Kept a.txt.");
    }
}
