//! A plugin that exports every interface, and answers as it is asked to: well,
//! or in a way that no client could use.

mod completion;
mod lifecycle;
mod prompts;
mod resources;
mod tools;

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
        world: "palisade:mcp/plugin",
        generate_all,
    });
}

use bindings::palisade::mcp::types::{
    ContentBlock, Error, ErrorKind, FormElicitation, InputAsk, InputRequest, InputRequired,
    TextContent,
};

struct AllInterfaces;

/// A request that the plugin does not know.
fn unknown(what: &str) -> Error {
    Error {
        kind: ErrorKind::NotFound,
        message: format!("there is no {what:?}"),
        data: None,
    }
}

fn text(text: String) -> TextContent {
    TextContent {
        text,
        annotations: None,
        meta: None,
    }
}

fn text_block(words: impl Into<String>) -> ContentBlock {
    ContentBlock::Text(text(words.into()))
}

/// Something larger than the limit on output, but not by much.
fn large() -> String {
    "x".repeat(9 << 19)
}

/// Questions under these keys, each with `message`.
fn questions(keys: &[&str], message: &str) -> InputRequired {
    let one = |key: &&str| InputRequest {
        key: (*key).into(),
        ask: InputAsk::ElicitForm(FormElicitation {
            message: message.into(),
            requested_schema: r#"{"type":"object","properties":{}}"#.into(),
        }),
    };
    InputRequired {
        requests: keys.iter().map(one).collect(),
        state: None,
    }
}

bindings::export!(AllInterfaces with_types_in bindings);
