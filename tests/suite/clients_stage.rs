//! What a driver of a real client must have seen of the plugin that has
//! everything, whatever language it is written in.

use std::env::consts::ARCH;
use std::path::PathBuf;
use std::process::Command;

use palisade_tests::http::Server;
use palisade_tests::{Palisade, client, drive, plugin, rpc};
use serde_json::{Value, json};

/// The way to the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    Stdio,
    Http,
}

/// The Node.js that was installed for the clients that need a newer one than
/// a machine may have.
#[track_caller]
pub(crate) fn node() -> PathBuf {
    let machine = match ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => panic!("no Node.js was installed for {other}"),
    };
    client(&format!("node/node_modules/node-linux-{machine}/bin/node"))
}

/// A conversation that was had.
pub(crate) struct Seen {
    all: Value,
    revision: &'static str,
    over: Over,
}

/// Runs a driver on a host of its own. It gets one argument, JSON: how to
/// reach the host, and what is in `also`.
#[track_caller]
pub(crate) fn converse(
    mut driver: Command,
    revision: &'static str,
    over: Over,
    also: Value,
) -> Seen {
    let command = Palisade::run(plugin("everything"));
    let served: Option<Server> = (over == Over::Http).then(|| command.serve());
    let mut config = match &served {
        Some(served) => json!({"url": served.url}),
        None => command.entry(),
    };
    config["revision"] = json!(revision);
    if let Value::Object(also) = also {
        config.as_object_mut().unwrap().extend(also);
    }
    let all = drive(driver.arg(config.to_string()));
    assert!(all.get("failed").is_none(), "{:#}", all);
    Seen {
        all,
        revision,
        over,
    }
}

impl Seen {
    /// Checks the whole conversation.
    #[track_caller]
    pub(crate) fn is_all_there(&self) {
        self.opened();
        self.lists_are_whole();
        self.tools_answered();
        self.resources_were_read();
        self.prompts_were_filled_in();
        self.questions_were_answered();
        self.notifications_came();
        self.what_was_cancelled_never_answered();
        assert_eq!(
            self["strays"],
            json!([]),
            "the client could make no sense of this"
        );
    }

    fn is_stateless(&self) -> bool {
        self.revision == rpc::STATELESS
    }

    /// The texts of a tool's result.
    #[track_caller]
    fn said(&self, step: &str) -> String {
        rpc::tool_text(&self[step])
    }

    #[track_caller]
    fn opened(&self) {
        assert_eq!(self["revision"], self.revision);
        assert_eq!(self["server"], "everything");
        let capabilities = &self["capabilities"];
        for (kind, key) in [
            ("tools", "listChanged"),
            ("prompts", "listChanged"),
            ("resources", "listChanged"),
            ("resources", "subscribe"),
        ] {
            assert_eq!(capabilities[kind][key], true, "{capabilities}");
        }
        assert!(capabilities["logging"].is_object(), "{capabilities}");
        // The first revision has completion and no capability for it; its
        // clients may drop what they do not know.
        if self.revision > "2024-11-05" {
            assert!(capabilities["completions"].is_object(), "{capabilities}");
        }
        if let Some(session) = self.all.get("session") {
            let expected = self.over == Over::Http && !self.is_stateless();
            assert_eq!(*session, expected, "a session of HTTP");
        }
    }

    #[track_caller]
    fn lists_are_whole(&self) {
        let tools = self["tools"].as_array().unwrap();
        assert_eq!(tools[0], "test_simple_text", "the plugin's own order");
        for name in [
            "test_image_content",
            "test_error_handling",
            "greet",
            "slow_compute",
        ] {
            assert!(
                tools.contains(&json!(name)),
                "{name} is not among {tools:?}"
            );
        }
        let lists = [
            ("resources", json!("test://static-text")),
            ("resources", json!("test://static-binary")),
            ("templates", json!("test://template/{id}/data")),
            ("prompts", json!("test_simple_prompt")),
            ("prompts", json!("test_prompt_with_arguments")),
        ];
        for (list, item) in lists {
            let all = self[list].as_array().unwrap();
            assert!(all.contains(&item), "{item} is not among {all:?}");
        }
    }

    #[track_caller]
    fn tools_answered(&self) {
        assert_eq!(
            self.said("call test_simple_text"),
            "This is a simple text response for testing."
        );
        assert_eq!(self.said("call greet"), "Hello, Ada!");
        assert_eq!(self.said("call test_custom_header"), "a header");
        let failed = &self["call test_error_handling"];
        assert_eq!(
            rpc::tool_error(failed),
            "This tool intentionally returns an error for testing"
        );

        let block = |step: &str, number: usize| self[step]["content"][number].clone();
        is_png(&block("call test_image_content", 0));
        let audio = block("call test_audio_content", 0);
        if self.revision == "2024-11-05" {
            // It has no such content: there it is told in words.
            assert_eq!(audio["type"], "text", "{audio}");
        } else {
            assert_eq!(audio["type"], "audio", "{audio}");
            assert_eq!(audio["mimeType"], "audio/wav", "{audio}");
            assert!(starts_with(&audio["data"], "UklGR"), "{audio}");
        }
        let embedded = block("call test_embedded_resource", 0);
        assert_eq!(embedded["type"], "resource", "{embedded}");
        assert_eq!(embedded["resource"]["uri"], "test://embedded-resource");
        assert_eq!(embedded["resource"]["mimeType"], "text/plain");
        let kinds: Vec<_> = (0..3)
            .map(|number| block("call test_multiple_content_types", number)["type"].clone())
            .collect();
        assert_eq!(kinds, ["text", "image", "resource"]);
    }

    #[track_caller]
    fn resources_were_read(&self) {
        let contents = |uri: &str| {
            let contents = self[format!("read {uri}").as_str()]["contents"].clone();
            assert_eq!(contents.as_array().map(Vec::len), Some(1), "{uri}");
            assert_eq!(contents[0]["uri"], uri);
            contents[0].clone()
        };
        let text = contents("test://static-text");
        assert_eq!(text["mimeType"], "text/plain");
        assert_eq!(
            text["text"],
            "This is the content of the static text resource."
        );
        let binary = contents("test://static-binary");
        assert_eq!(binary["mimeType"], "image/png");
        assert!(starts_with(&binary["blob"], "iVBOR"), "{binary}");
        let filled_in = contents("test://template/123/data");
        let data: Value = serde_json::from_str(filled_in["text"].as_str().unwrap()).unwrap();
        assert_eq!(data["id"], "123");

        let missing = &self["read test://nowhere"];
        let code = if self.is_stateless() { -32602 } else { -32002 };
        // Older Python clients keep the words and drop the code.
        if !missing["code"].is_null() {
            assert_eq!(missing["code"], code, "{missing}");
        }
        let words = missing["error"].as_str().expect("it is no resource");
        assert!(words.contains("test://nowhere"), "{words}");
    }

    #[track_caller]
    fn prompts_were_filled_in(&self) {
        let prompt = |name: &str| self[format!("prompt {name}").as_str()]["messages"].clone();
        let simple = prompt("test_simple_prompt");
        assert_eq!(simple[0]["role"], "user", "{simple}");
        assert_eq!(
            simple[0]["content"]["text"],
            "This is a simple prompt for testing."
        );
        assert_eq!(
            prompt("test_prompt_with_arguments")[0]["content"]["text"],
            "Prompt with arguments: arg1='one', arg2='two'"
        );
        let contents = |name: &str| -> Vec<Value> {
            let messages = prompt(name);
            let messages = messages.as_array().unwrap().iter();
            messages.map(|message| message["content"].clone()).collect()
        };
        let embedded = contents("test_prompt_with_embedded_resource");
        let resource = embedded
            .iter()
            .find(|content| content["type"] == "resource");
        assert_eq!(resource.unwrap()["resource"]["uri"], "test://static-text");
        let images = contents("test_prompt_with_image");
        is_png(
            images
                .iter()
                .find(|content| content["type"] == "image")
                .unwrap(),
        );
        assert_eq!(
            self["completion"]["completion"]["values"],
            json!(["test", "text"])
        );
    }

    /// The plugin asks, the host carries it over in the way of the revision,
    /// the client's own callback answers, and the plugin gets that.
    #[track_caller]
    fn questions_were_answered(&self) {
        let asked = &self["asked"];
        let message = &asked["sampling"]["messages"][0];
        assert_eq!(message["role"], "user", "{asked}");
        if self.is_stateless() {
            assert_eq!(self.said("sampling"), "a model's words");
            assert_eq!(self.said("elicitation"), "Hello, Ada!");
            assert_eq!(self.said("rounds"), "Ada likes blue.");
            assert_eq!(
                self["prompt asks"]["messages"][0]["content"]["text"],
                "Use the following context: a context"
            );
        } else {
            assert_eq!(self.said("sampling"), "LLM response: a model's words");
        }
        if !self.is_stateless() && self.revision >= "2025-06-18" {
            assert_eq!(asked["elicitation"]["message"], "Who are you?");
            let said = self.said("elicitation");
            assert!(
                said.contains("accept") && said.contains("ada@example.org"),
                "{said}"
            );
        }
        assert_eq!(asked["roots"], true, "{}", self["roots"]);
        assert_eq!(
            self.said("roots"),
            "The client has 1 roots: file:///somewhere/of/mine"
        );
    }

    #[track_caller]
    fn notifications_came(&self) {
        let progress = self["progress"].as_array().unwrap();
        let progress: Vec<_> = progress
            .iter()
            .map(|report| (report[0].as_f64(), report[1].as_f64()))
            .collect();
        let expected = [0.0, 50.0, 100.0].map(|done| (Some(done), Some(100.0)));
        assert_eq!(progress, expected);

        let logs = if self.is_stateless() {
            json!([["info", "This is a log message from the logging tool"]])
        } else {
            json!([
                ["info", "Tool execution started"],
                ["info", "Tool processing data"],
                ["info", "Tool execution completed"],
            ])
        };
        assert_eq!(self["logs"], logs);
        assert_eq!(self["updated"], json!(["test://watched-resource"]));
        assert_eq!(self["changed"], json!(["tools", "prompts"]));
    }

    #[track_caller]
    fn what_was_cancelled_never_answered(&self) {
        let answer = self.all.get("cancelled");
        assert!(
            answer.is_none(),
            "it was cancelled and answered: {answer:?}"
        );
        assert_eq!(self.said("after_cancelling"), "Hello, Ada!");
    }
}

impl std::ops::Index<&str> for Seen {
    type Output = Value;

    /// What a step returned.
    #[track_caller]
    fn index(&self, step: &str) -> &Value {
        let seen = self.all.get(step);
        seen.unwrap_or_else(|| panic!("there was no step {step:?}: {:#}", self.all))
    }
}

#[track_caller]
fn is_png(block: &Value) {
    assert_eq!(block["type"], "image", "{block}");
    assert_eq!(block["mimeType"], "image/png", "{block}");
    assert!(starts_with(&block["data"], "iVBOR"), "{block}");
}

fn starts_with(text: &Value, start: &str) -> bool {
    text.as_str().is_some_and(|text| text.starts_with(start))
}
