//! Tools are listed as they are, and called only with what they ask for.

use std::collections::BTreeSet;
use std::fs;

use palisade_tests::{Client, Palisade, Session, guest, plugin, rpc};
use serde_json::{Value, json};

fn hello() -> Session {
    let mut session = Palisade::run(plugin("hello")).start();
    session.initialize("2025-11-25");
    session
}

fn listed(session: &mut Session) -> Vec<Value> {
    let response = session.ask("tools/list", Value::Null);
    rpc::result(&response)["tools"].as_array().unwrap().clone()
}

#[test]
fn a_client_sees_the_tools_that_inspect_shows() {
    for file in [plugin("hello"), plugin("filesystem"), guest("chatty")] {
        let shown = Palisade::inspect(&file)
            .arg("--json")
            .output()
            .success()
            .json();
        let mut session = Palisade::run(&file).start();
        session.initialize("2025-11-25");
        assert_eq!(
            json!(listed(&mut session)),
            shown["tools"],
            "{}",
            file.display()
        );
    }
}

#[test]
fn a_tool_says_all_about_itself() {
    let tools = listed(&mut hello());
    assert_eq!(tools.len(), 1);
    let greet = &tools[0];
    assert_eq!(greet["name"], "greet");
    assert_eq!(greet["title"], "Greet");
    assert_eq!(
        greet["description"],
        "Greets somebody by name, for example \"Hello, Ada!\"."
    );
    assert_eq!(
        greet["annotations"],
        json!({"readOnlyHint": true, "idempotentHint": true, "openWorldHint": false})
    );
    let schema = &greet["inputSchema"];
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["required"], json!(["name"]));
    assert_eq!(schema["properties"]["name"]["type"], "string");
    assert_eq!(
        schema["properties"]["name"]["description"],
        "Whom to greet."
    );
}

#[test]
fn the_order_of_tools_does_not_change() {
    let mut session = Palisade::run(plugin("filesystem")).start();
    session.initialize("2025-11-25");
    let names = |tools: Vec<Value>| -> Vec<String> {
        tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let first = names(listed(&mut session));
    let distinct: BTreeSet<_> = first.iter().collect();
    assert_eq!(distinct.len(), first.len());
    for _ in 0..3 {
        assert_eq!(names(listed(&mut session)), first);
    }
}

#[test]
fn a_real_client_works_on_real_files() {
    let folder = tempfile::tempdir().unwrap();
    let command = Palisade::run(plugin("filesystem")).root("notes", folder.path(), "rw");
    let client = Client::connect(&command);
    let written = client.call(
        "write_file",
        json!({"path": "/notes/a.md", "content": "one\ntwo\n"}),
    );
    rpc::tool_text(&written);
    assert_eq!(
        fs::read_to_string(folder.path().join("a.md")).unwrap(),
        "one\ntwo\n"
    );

    let read = client.call("read_text_file", json!({"path": "/notes/a.md", "head": 1}));
    assert_eq!(rpc::tool_text(&read).trim_end(), "one");
    assert_eq!(client.close(), Some(0));
}

/// A tool with an output schema answers in both forms, for clients that know
/// the one and for those that know only the other.
#[test]
fn structured_content_comes_with_the_same_as_text() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.md"), "one").unwrap();
    let mut session = Palisade::run(plugin("filesystem"))
        .root("notes", folder.path(), "ro")
        .start();
    session.initialize("2025-06-18");
    let tools = listed(&mut session);
    let tool = tools
        .iter()
        .find(|tool| tool["name"] == "read_text_file")
        .unwrap();
    assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
    let result = session.call("read_text_file", json!({"path": "/notes/a.md"}));
    assert_eq!(result["structuredContent"]["content"], "one", "{result}");
    assert_eq!(rpc::tool_text(&result), "one");
}

#[test]
fn wrong_arguments_are_named_and_never_reach_the_guest() {
    let mut session = Palisade::run(guest("loops-forever")).start();
    session.initialize("2025-11-25");
    // A guest that ran would not come back.
    let told = rpc::tool_error(&session.call("spin", json!({"sped": 3})));
    assert!(told.contains("sped"), "{told}");

    let mut session = hello();
    for (arguments, named) in [
        (json!({}), "name"),
        (json!({"name": 7}), "name"),
        (json!({"name": null}), "name"),
        (json!({"name": "Ada", "times": "many"}), "times"),
        (json!({"name": "Ada", "times": 1000}), "times"),
        (json!({"name": "Ada", "tmes": 2}), "tmes"),
    ] {
        let told = rpc::tool_error(&session.call("greet", arguments.clone()));
        assert!(told.contains(named), "{arguments}: {told}");
    }
}

/// A model need not be shown again what it sent.
#[test]
fn what_is_wrong_with_large_arguments_is_said_in_few_words() {
    let mut session = hello();
    for wrong in [json!(vec!["x"; 100_000]), json!({"x".repeat(100_000): 1})] {
        let told = rpc::tool_error(&session.call("greet", json!({"name": wrong})));
        assert!(told.contains("name"), "{}", &told[..100]);
        assert!(told.len() < 4_000, "{} bytes", told.len());
    }
    let mut arguments = json!({"name": "Ada"});
    for number in 0..10_000 {
        arguments[format!("unknown {number}")] = json!(number);
    }
    let told = rpc::tool_error(&session.call("greet", arguments));
    assert!(told.len() < 4_000, "{} bytes", told.len());
}

/// Missing arguments are an empty object, which may or may not do.
#[test]
fn arguments_may_be_left_out() {
    let mut session = hello();
    let response = session.ask("tools/call", json!({"name": "greet"}));
    assert!(
        rpc::tool_error(rpc::result(&response)).contains("name"),
        "{response}"
    );

    let mut session = Palisade::run(guest("chatty")).start();
    session.initialize("2025-11-25");
    let response = session.ask("tools/call", json!({"name": "log_levels"}));
    assert_eq!(rpc::tool_text(rpc::result(&response)), "eight levels");
}

#[test]
fn an_unknown_tool_is_an_error_of_the_protocol() {
    let mut session = hello();
    for name in ["no_such_tool", "Greet", "greet ", ""] {
        let response = session.ask("tools/call", rpc::tool(name, json!({"name": "Ada"})));
        assert_eq!(rpc::error_code(&response), -32602, "{name:?}: {response}");
    }
    let client = Client::connect(&Palisade::run(plugin("hello")));
    assert!(client.try_call("no_such_tool", json!({})).is_err());
}

/// What a model is told when a tool failed is what the tool said.
#[test]
fn a_tool_that_fails_says_why() {
    let mut session = hello();
    let told = rpc::tool_error(&session.call("greet", json!({"name": ""})));
    assert_eq!(told, "the name is empty: say whom to greet");
}

/// Sixteen run at a time and sixteen wait: a client may send that many.
#[test]
fn many_calls_at_once_are_answered_each_with_its_own() {
    let mut session = hello();
    let asked: Vec<_> = (0..32)
        .map(|number| {
            let name = format!("number {number}");
            let id = session.request("tools/call", rpc::tool("greet", json!({"name": name})));
            (id, format!("Hello, {name}!"))
        })
        .collect();
    for (id, greeting) in asked {
        assert_eq!(rpc::tool_text(rpc::result(&session.answer(id))), greeting);
    }
    assert_eq!(session.take_others(), [] as [Value; 0]);
}

/// A call that takes its time does not hold up the ones after it.
#[test]
fn a_slow_call_keeps_nobody_waiting() {
    let mut session = Palisade::run(guest("sleeps")).start();
    session.initialize("2025-11-25");
    let slow = session.request("tools/call", rpc::tool("nap", json!({"ms": 2_000})));
    let quick = session.request("tools/call", rpc::tool("nap", json!({"ms": 1})));
    let first = session.receive().unwrap();
    assert_eq!(first["id"], quick, "{first}");
    assert_eq!(rpc::tool_text(rpc::result(&session.answer(slow))), "slept");
}

#[test]
fn a_call_from_the_shell_prints_the_answer_and_nothing_else() {
    let done = Palisade::call(plugin("hello"), "greet", r#"{"name": "Ada"}"#).output();
    assert_eq!(
        (done.code, done.stdout.as_str()),
        (Some(0), "Hello, Ada!\n"),
        "{done:?}"
    );

    let json = Palisade::call(plugin("hello"), "greet", r#"{"name": "Ada"}"#).arg("--json");
    let json = json.output().success().json();
    assert_eq!(rpc::tool_text(&json), "Hello, Ada!");

    let failed = Palisade::call(plugin("hello"), "greet", r#"{"name": ""}"#).output();
    assert_eq!(
        (failed.code, failed.stdout.as_str()),
        (Some(1), ""),
        "{failed:?}"
    );
    assert!(failed.stderr.contains("the name is empty"), "{failed:?}");
}

#[test]
fn arguments_from_the_shell_may_come_over_standard_input() {
    let mut call = Palisade::call(plugin("hello"), "greet", "-").start();
    call.send_bytes(br#"{"name": "Ada"}"#);
    assert_eq!(call.finish().success().stdout, "Hello, Ada!\n");
}
