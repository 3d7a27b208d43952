//! A plugin whose lists of prompts and resource templates are wrong, each time
//! in another way.
//!
//! A list may depend on nothing a plugin is given, so the test writes the case
//! into a copy of the component, over [`CASE`].

use std::hint::black_box;

#[allow(
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::allow_attributes_without_reason,
    clippy::undocumented_unsafe_blocks,
    clippy::cast_possible_truncation,
    reason = "generated from wit/"
)]
mod bindings {
    wit_bindgen::generate!({
        path: "../../../wit",
        inline: "
            package palisade:guests;
            world bad-offers {
                include palisade:mcp/resources-plugin@0.1.0;
                include palisade:mcp/prompts-plugin@0.1.0;
            }
        ",
        world: "palisade:guests/bad-offers",
        generate_all,
        additional_derives: [Clone],
    });
}

use bindings::exports::palisade::mcp::prompts::{self, Prompt, PromptArgument, PromptOutcome};
use bindings::exports::palisade::mcp::resources::{self, ReadOutcome, ResourceTemplate};
use bindings::palisade::mcp::types::{Annotations, Context, Error, ErrorKind, ResourceInfo};

/// A marker that tests look for, and after it the case, filled up with dots.
static CASE: [u8; 48] = *b"offering-case:good..............................";

struct BadOffers;

fn case() -> String {
    let case = String::from_utf8_lossy(&black_box(CASE)).into_owned();
    let case = case.trim_start_matches("offering-case:");
    case.trim_end_matches('.').to_owned()
}

impl resources::Guest for BadOffers {
    fn list_resources(_: Context) -> Result<Vec<ResourceInfo>, Error> {
        Ok(Vec::new())
    }

    fn list_templates() -> Result<Vec<ResourceTemplate>, Error> {
        let good = template("test://good/{id}");
        let mut bad = template("test://bad/{id}");
        match case().as_str() {
            "template-error" => return Err(error("no templates today")),
            "template-two-alike" => return Ok(vec![good.clone(), good]),
            "template-thousands" => {
                let many = (0..5_000).map(|n| template(&format!("test://{n}/{{id}}")));
                return Ok(many.collect());
            }
            "template-empty" => bad.uri_template.clear(),
            "template-long" => bad.uri_template = format!("test://{}", "x".repeat(9 << 10)),
            "template-open" => bad.uri_template = "test://bad/{id".into(),
            "template-closed" => bad.uri_template = "test://bad/id}".into(),
            "template-nested" => bad.uri_template = "test://bad/{{id}}".into(),
            "template-line" => bad.uri_template = "test://bad/\n{id}".into(),
            "template-meta" => bad.meta = Some("[]".into()),
            "template-priority" => {
                bad.annotations = Some(Annotations {
                    audience: Vec::new(),
                    priority: Some(f64::NAN),
                    last_modified: None,
                });
            }
            _ => return Ok(vec![good]),
        }
        Ok(vec![good, bad])
    }

    fn read_resource(_: String, _: Context) -> Result<ReadOutcome, Error> {
        Err(error("it is only there to be listed"))
    }
}

impl prompts::Guest for BadOffers {
    #[allow(clippy::panic, reason = "a list that crashes is one of the cases")]
    fn list_prompts() -> Result<Vec<Prompt>, Error> {
        let good = prompt("good");
        let mut bad = prompt("bad");
        match case().as_str() {
            "prompt-error" => return Err(error("no prompts today")),
            "prompt-trap" => panic!("no prompts today"),
            "prompt-two-alike" => return Ok(vec![good.clone(), good]),
            "prompt-thousands" => {
                return Ok((0..5_000).map(|n| prompt(&format!("prompt-{n}"))).collect());
            }
            "prompt-large" => bad.description = Some("x".repeat(9 << 19)),
            "prompt-name-empty" => bad.name.clear(),
            "prompt-name-escape" => bad.name = "\u{1b}[2Jbad".into(),
            "prompt-name-long" => bad.name = "x".repeat(129),
            "argument-empty" => bad.arguments = vec![argument("")],
            "argument-two-alike" => bad.arguments = vec![argument("who"), argument("who")],
            "prompt-meta" => bad.meta = Some("oops".into()),
            _ => return Ok(vec![good]),
        }
        Ok(vec![good, bad])
    }

    fn get_prompt(_: String, _: Vec<(String, String)>, _: Context) -> Result<PromptOutcome, Error> {
        Err(error("it is only there to be listed"))
    }
}

fn template(uri_template: &str) -> ResourceTemplate {
    ResourceTemplate {
        uri_template: uri_template.into(),
        name: "thing".into(),
        title: None,
        description: Some("Nothing of interest.".into()),
        mime_type: None,
        annotations: None,
        icons: Vec::new(),
        meta: None,
    }
}

fn prompt(name: &str) -> Prompt {
    Prompt {
        name: name.into(),
        title: None,
        description: Some("Nothing of interest.".into()),
        arguments: vec![argument("who")],
        icons: Vec::new(),
        meta: None,
    }
}

fn argument(name: &str) -> PromptArgument {
    PromptArgument {
        name: name.into(),
        title: None,
        description: None,
        required: true,
    }
}

fn error(message: &str) -> Error {
    Error {
        kind: ErrorKind::Internal,
        message: message.into(),
        data: None,
    }
}

bindings::export!(BadOffers with_types_in bindings);
