//! The Inspector's command line, in both of its eras.

use std::process::Command;

use palisade_tests::{Palisade, client, drive, plugin, rpc};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::clients_stage::{Over, node};

const ENTRY: &str =
    "typescript/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";

/// One Inspector and its ways to a host.
struct Inspector {
    era: &'static str,
    home: TempDir,
    target: Vec<String>,
    /// Its home is there as long as this is.
    _command: Palisade,
    /// Serves as long as this is here.
    _served: Option<palisade_tests::http::Server>,
}

impl Inspector {
    #[track_caller]
    fn new(era: &'static str, over: Over) -> Self {
        let command = Palisade::run(plugin("everything"));
        let served = (over == Over::Http).then(|| command.serve());
        let target = match &served {
            Some(served) => ["--transport", "http", "--server-url", &served.url]
                .map(str::to_owned)
                .to_vec(),
            None => program(&command.entry()),
        };
        Self {
            era,
            home: tempfile::tempdir().unwrap(),
            target,
            _command: command,
            _served: served,
        }
    }

    /// What it prints of the result of a method.
    #[track_caller]
    fn result(&self, method: &str, arguments: &[&str]) -> Value {
        let mut command = Command::new(node());
        command
            .arg(client(ENTRY))
            .args(["--cli", "--format", "json", "--quiet"])
            .args(["--protocol-era", self.era, "--method", method])
            .args(arguments)
            .args(&self.target)
            // It keeps what it knows of servers there.
            .env("HOME", self.home.path());
        let said = drive(&mut command);
        assert!(said.get("error").is_none(), "{said}");
        said["result"].clone()
    }

    #[track_caller]
    fn sees_everything(&self) {
        let tools = self.result("tools/list", &[]);
        assert_eq!(tools["tools"][0]["name"], "test_simple_text", "{tools}");
        let arguments = ["--tool-name", "greet", "--tool-arg", "name=Ada"];
        let greeting = self.result("tools/call", &arguments);
        assert_eq!(rpc::tool_text(&greeting), "Hello, Ada!");
        let read = self.result("resources/read", &["--uri", "test://static-text"]);
        assert_eq!(
            read["contents"][0]["text"],
            "This is the content of the static text resource."
        );
        let name = ["--prompt-name", "test_prompt_with_arguments"];
        let arguments = ["--prompt-args", "arg1=one", "arg2=two"];
        let prompt = self.result("prompts/get", &[name.as_slice(), &arguments].concat());
        let said = prompt["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(said.contains("one") && said.contains("two"), "{said}");
    }
}

/// A command line that starts the host, with its environment.
fn program(entry: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut line = Vec::new();
    for (name, value) in entry["env"].as_object().unwrap() {
        line.extend(["-e".to_owned(), format!("{name}={}", text(value))]);
    }
    line.extend([
        "--cwd".to_owned(),
        text(&entry["cwd"]),
        text(&entry["command"]),
    ]);
    line.extend(entry["args"].as_array().unwrap().iter().map(text));
    line
}

#[test]
fn of_the_handshake_over_stdio() {
    Inspector::new("legacy", Over::Stdio).sees_everything();
}

#[test]
fn of_the_handshake_over_http() {
    Inspector::new("legacy", Over::Http).sees_everything();
}

#[test]
fn of_the_stateless_revision_over_stdio() {
    Inspector::new("modern", Over::Stdio).sees_everything();
}

#[test]
fn of_the_stateless_revision_over_http() {
    Inspector::new("modern", Over::Http).sees_everything();
}

/// It looks at every schema with the eyes of the clients there are.
#[test]
fn finds_no_fault_with_the_schemas_of_the_filesystem_plugin() {
    let mut inspector = Inspector::new("modern", Over::Stdio);
    let folder = tempfile::tempdir().unwrap();
    let command = Palisade::run(plugin("filesystem")).root("notes", folder.path(), "ro");
    inspector.target = program(&command.entry());
    let listed = inspector.result("tools/list", &["--strict"]);
    assert!(
        listed["tools"]
            .as_array()
            .is_some_and(|tools| tools.len() > 5),
        "{listed}"
    );
    assert_ne!(listed["tools"][0]["name"], json!(null));
}
