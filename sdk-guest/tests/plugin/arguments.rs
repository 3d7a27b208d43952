//! Arguments that do not fit. The host checks them before the plugin is
//! called; a plugin that is given some all the same says what is wrong.

use palisade_sdk::bindings::types::ErrorKind;
use palisade_sdk::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{call, failure, text};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Point {
    x: i32,
    y: i32,
}

#[derive(Default)]
struct Picky;

#[plugin]
impl Picky {
    /// Greets.
    #[tool]
    fn greet(&self, name: String, times: Option<u8>) -> String {
        format!("{name} {times:?}")
    }

    /// Takes nothing.
    #[tool]
    fn nothing(&self) {}

    /// Adds.
    #[tool]
    fn add(&self, Args(point): Args<Point>) -> String {
        (i64::from(point.x) + i64::from(point.y)).to_string()
    }

    /// Takes anything.
    #[tool]
    fn anything(&self, value: serde_json::Value) -> String {
        value.to_string()
    }
}

#[test]
fn what_is_wrong_is_said_in_plain_words() {
    let cases = [
        ("greet", r#"{"times":1}"#, "`name` is missing"),
        (
            "greet",
            r#"{"name":7}"#,
            "`name`: invalid type: integer `7`, expected a string",
        ),
        (
            "greet",
            r#"{"name":"a","times":300}"#,
            "`times`: invalid value: integer `300`, expected u8",
        ),
        (
            "greet",
            r#"{"name":"a","time":3}"#,
            "`time` is not known; there is `name`, `times`",
        ),
        (
            "greet",
            r#"{"name":"a","name":"b"}"#,
            "`name` is there twice",
        ),
        (
            "greet",
            r#"[]"#,
            "invalid type: sequence, expected a JSON object",
        ),
        (
            "greet",
            "null",
            "invalid type: null, expected a JSON object",
        ),
        (
            "nothing",
            r#"{"a":1}"#,
            "`a` is not known; this tool takes no arguments",
        ),
        ("add", r#"{"x":1}"#, "missing field `y`"),
        (
            "add",
            r#"{"x":1,"y":2,"z":3}"#,
            "unknown field `z`, expected `x` or `y`",
        ),
    ];
    for (name, arguments, why) in cases {
        assert_eq!(
            failure::<Picky>(name, arguments),
            format!("wrong arguments: {why}")
        );
    }
}

#[test]
fn text_that_is_no_json_is_a_failure_too() {
    let deep = format!(r#"{{"value":{}"#, "[".repeat(100_000));
    for broken in [
        "",
        "{",
        r#"{"name":"#,
        r#"{"name":"\ud800"}"#,
        "{}{}",
        "\u{0}",
        &deep,
    ] {
        for tool in ["greet", "nothing", "add", "anything"] {
            let why = failure::<Picky>(tool, broken);
            assert!(why.starts_with("wrong arguments: "), "{broken:.20}: {why}");
        }
    }
}

#[test]
fn names_may_be_escaped() {
    assert_eq!(
        text::<Picky>("greet", r#"{"\u006eame":"\u0041da"}"#),
        "Ada None"
    );
}

#[test]
fn a_tool_that_is_not_there_is_not_found() {
    let error = call::<Picky>("gre\u{202e}et", "{}").unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotFound);
    assert_eq!(error.message, r#"there is no tool called "gre\u{202e}et""#);
}
