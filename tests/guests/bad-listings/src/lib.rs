//! A plugin whose list of tools is wrong, each time in another way.
//!
//! A list may depend on nothing a plugin is given, so the test writes the case
//! into a copy of the component, over [`CASE`].

use std::hint::black_box;

use palisade_sdk::bindings::tools::exports::palisade::mcp::tools::{Guest, ToolOutcome};
use palisade_sdk::bindings::types::{
    Context, Error, ErrorKind, Icon, TaskSupport, Tool, ToolAnnotations,
};

/// A marker that tests look for, and after it the case, filled up with dots.
static CASE: [u8; 48] = *b"listing-case:good...............................";

struct BadListings;

impl Guest for BadListings {
    fn list_tools() -> Result<Vec<Tool>, Error> {
        let case = String::from_utf8_lossy(&black_box(CASE)).into_owned();
        let case = case
            .trim_start_matches("listing-case:")
            .trim_end_matches('.');
        list(case)
    }

    fn call_tool(name: String, _: String, _: Context) -> Result<ToolOutcome, Error> {
        Err(error(format!("{name} is only there to be listed")))
    }
}

#[allow(clippy::panic, reason = "a list that crashes is one of the cases")]
fn list(case: &str) -> Result<Vec<Tool>, Error> {
    let good = tool("good");
    let mut bad = tool("bad");
    match case {
        "good" => return Ok(vec![good]),
        "error" => return Err(error("no list today".into())),
        "trap" => panic!("no list today"),
        "loop" => loop {
            black_box(case);
        },
        "two-of-one-name" => return Ok(vec![good.clone(), good]),
        "thousands" => return Ok((0..5_000).map(|n| tool(&format!("tool-{n}"))).collect()),
        "long" => bad.description = Some("x".repeat(8 << 20)),
        "name-empty" => bad.name.clear(),
        "name-space" => bad.name = "two words".into(),
        "name-line" => bad.name = "two\nlines".into(),
        "name-escape" => bad.name = "\u{1b}[2Jbad".into(),
        "name-lookalike" => bad.name = "gооd".into(),
        "name-slash" => bad.name = "../bad".into(),
        "name-long" => bad.name = "x".repeat(129),
        "input-empty" => bad.input_schema.clear(),
        "input-no-json" => bad.input_schema = "{\"type\": \"object\"".into(),
        "input-array" => bad.input_schema = "[]".into(),
        "input-true" => bad.input_schema = "true".into(),
        "input-no-object" => bad.input_schema = r#"{"type":"string"}"#.into(),
        "input-no-schema" => bad.input_schema = r#"{"type":"object","required":7}"#.into(),
        "input-remote" => {
            bad.input_schema = r#"{"type":"object","$ref":"http://127.0.0.1:9/schema"}"#.into();
        }
        "input-file" => {
            bad.input_schema = r#"{"type":"object","$ref":"file:///etc/passwd"}"#.into();
        }
        "input-pattern" => {
            bad.input_schema =
                r#"{"type":"object","properties":{"a":{"type":"string","pattern":"("}}}"#.into();
        }
        "input-dialect" => {
            bad.input_schema = r#"{"type":"object","$schema":"https://example.com/mine"}"#.into();
        }
        "input-deep" => {
            bad.input_schema = format!(
                r#"{{"type":"object","properties":{}{{}}{}}}"#,
                r#"{"a":"#.repeat(100_000),
                "}".repeat(100_000)
            );
        }
        "output-no-json" => bad.output_schema = Some("oops".into()),
        "output-no-object" => bad.output_schema = Some(r#""array""#.into()),
        // Not wrong.
        "output-array" => bad.output_schema = Some(r#"{"type":"array"}"#.into()),
        "header-name" => {
            bad.input_schema = annotated(r#""a":{"type":"string","x-mcp-header":"two words"}"#);
        }
        "header-type" => {
            bad.input_schema = annotated(r#""a":{"type":"number","x-mcp-header":"A"}"#);
        }
        "header-twice" => {
            bad.input_schema = annotated(
                r#""a":{"type":"string","x-mcp-header":"A"},
                   "b":{"type":"string","x-mcp-header":"a"}"#,
            );
        }
        "header-items" => {
            bad.input_schema =
                annotated(r#""a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}"#);
        }
        "meta-no-json" => bad.meta = Some("oops".into()),
        "meta-no-object" => bad.meta = Some("[]".into()),
        // Not wrong, but nothing of it may reach a client as it is.
        "icons" => {
            bad.icons = [
                "javascript:alert(1)",
                "file:///etc/passwd",
                "https://example.com/i",
            ]
            .map(icon)
            .into();
        }
        "text-escape" => {
            bad.title = Some("\u{1b}[2Jtitle".into());
            bad.description = Some("\u{1b}[2Jdescription".into());
            bad.annotations = Some(ToolAnnotations {
                title: Some("\u{1b}[2Jhint".into()),
                read_only_hint: None,
                destructive_hint: None,
                idempotent_hint: None,
                open_world_hint: None,
            });
        }
        other => return Err(error(format!("there is no case called {other:?}"))),
    }
    Ok(vec![good, bad])
}

fn annotated(properties: &str) -> String {
    format!(r#"{{"type":"object","properties":{{{properties}}}}}"#)
}

fn tool(name: &str) -> Tool {
    Tool {
        name: name.into(),
        title: None,
        description: Some("Nothing of interest.".into()),
        input_schema: r#"{"type":"object"}"#.into(),
        output_schema: None,
        annotations: None,
        icons: Vec::new(),
        task_support: TaskSupport::Forbidden,
        meta: None,
    }
}

fn icon(src: &str) -> Icon {
    Icon {
        src: src.into(),
        mime_type: None,
        sizes: Vec::new(),
        theme: None,
    }
}

fn error(message: String) -> Error {
    Error {
        kind: ErrorKind::Internal,
        message,
        data: None,
    }
}

palisade_sdk::bindings::tools::export!(BadListings);
