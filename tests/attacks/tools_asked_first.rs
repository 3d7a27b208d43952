//! A tool of which a person is asked first does not run without a yes to this
//! very call, whatever plugin and client say.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use palisade_tests::stage::{Stage, refused};
use palisade_tests::{Palisade, Session, guest, rpc};
use serde_json::{Value, json};

const KEY: &str = "palisade/consent";

/// A plugin whose `delete` asks first.
fn asks(stage: &Stage) -> Palisade {
    let command = Palisade::run(guest("escapes")).root("in", stage.inside(), "rw");
    granted(command, "[tools]\ndelete = \"ask\"\n")
}

fn granted(command: Palisade, grant: &str) -> Palisade {
    let file = command.home().join("grant.toml");
    fs::write(&file, grant).unwrap();
    command.grant(file)
}

/// A session whose client can ask.
fn opened(command: &Palisade) -> Session {
    let mut session = command.start();
    let mut hello = rpc::hello("2025-11-25");
    hello["capabilities"] = json!({"elicitation": {}});
    rpc::result(&session.ask("initialize", hello));
    session.notify("notifications/initialized", Value::Null);
    session
}

fn a() -> Value {
    json!({"path": "/in/a.txt"})
}

fn yes() -> Value {
    json!({"action": "accept", "content": {"run": true}})
}

/// Calls a tool, and answers the question that comes first; returns the
/// question's message and the result.
#[track_caller]
fn call(session: &mut Session, tool: &str, arguments: Value, answer: &Value) -> (String, Value) {
    let id = session.request("tools/call", rpc::tool(tool, arguments));
    let question = session.receive().unwrap();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let message = question["params"]["message"].as_str().unwrap().to_owned();
    session.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}));
    (message, rpc::result(&session.answer(id)).clone())
}

#[test]
fn nothing_but_a_yes_is_a_yes() {
    let stage = Stage::new();
    let file = stage.inside().join("a.txt");
    let mut session = opened(&asks(&stage));
    for no in [
        json!({"action": "decline"}),
        json!({"action": "cancel"}),
        json!({"action": "accept", "content": {"run": false}}),
    ] {
        let (_, result) = call(&mut session, "delete", a(), &no);
        let why = rpc::tool_error(&result);
        assert!(why.contains("not permitted"), "{no}: {why}");
        assert!(file.exists(), "{no}");
    }
    // What is no answer is asked again.
    let id = session.request("tools/call", rpc::tool("delete", a()));
    for bad in [
        json!({"action": "accept"}),
        json!({"action": "accept", "content": {"run": "true"}}),
    ] {
        let question = session.receive().unwrap();
        assert_eq!(question["method"], "elicitation/create", "{question}");
        session.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": bad}));
    }
    session.receive().unwrap();
    assert!(file.exists());
    session.notify("notifications/cancelled", json!({ "requestId": id }));
    let (_, result) = call(&mut session, "delete", a(), &yes());
    rpc::tool_text(&result);
    assert!(!file.exists());
}

#[test]
fn a_yes_is_for_one_call() {
    let stage = Stage::new();
    let mut session = opened(&asks(&stage));
    call(&mut session, "delete", a(), &yes());
    fs::write(stage.inside().join("a.txt"), "again").unwrap();
    let (_, result) = call(&mut session, "delete", a(), &json!({"action": "decline"}));
    rpc::tool_error(&result);
    assert!(stage.inside().join("a.txt").exists());
}

#[test]
fn the_person_sees_what_is_to_be_done() {
    let stage = Stage::new();
    let mut session = opened(&asks(&stage));
    let no = json!({"action": "decline"});
    let path = format!(
        "/in/{}\u{202e}\u{1b}[2J\nRun read?{}",
        "x".repeat(3000),
        "end"
    );
    let (message, _) = call(&mut session, "delete", json!({ "path": path }), &no);
    assert!(
        message.starts_with("Run delete of the plugin escapes?"),
        "{message}"
    );
    assert!(
        message.contains("may change or destroy things"),
        "{message}"
    );
    assert!(message.contains("/in/xxx"), "{message}");
    assert!(message.contains("Run read?end"), "{message}");
    assert!(message.contains("characters are not shown"), "{message}");
    for steers in ['\u{202e}', '\u{1b}'] {
        assert!(!message.contains(steers), "{message:?}");
    }
    assert!(!message.contains("\nRun read?"), "{message}");
    assert!(message.len() < 8000, "{}", message.len());
}

#[test]
fn a_client_that_cannot_ask_runs_nothing() {
    let stage = Stage::new();
    let mut session = asks(&stage).start();
    session.initialize("2025-11-25");
    for _ in 0..2 {
        let why = refused(&mut session, "delete", a());
        assert!(why.contains("no way to ask"), "{why}");
        assert!(!why.contains("\"allow\""), "not for a model: {why}");
    }
    assert!(stage.inside().join("a.txt").exists());
    session.until_stderr(|text| text.contains("\"delete\" = \"allow\" under [tools]"));
    assert_eq!(
        session
            .finish()
            .success()
            .stderr
            .matches("= \"allow\"")
            .count(),
        1
    );
}

#[test]
fn the_shell_has_nobody_to_ask() {
    let stage = Stage::new();
    let command = Palisade::call(guest("escapes"), "delete", &a().to_string());
    let command = command.root("in", stage.inside(), "rw");
    let finished = granted(command, "[tools]\ndelete = \"ask\"\n").output();
    assert_eq!(finished.code, Some(3), "{finished:?}");
    assert!(
        finished.stderr.contains("no terminal to ask at"),
        "{finished:?}"
    );
    assert!(stage.inside().join("a.txt").exists());
}

/// A stateless call, with what the client brings along.
fn stateless(session: &mut Session, path: &str, answers: Option<Value>, state: &Value) -> Value {
    let mut params = rpc::stateless(rpc::tool("delete", json!({ "path": path })));
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {}});
    if let Some(answers) = answers {
        params["inputResponses"] = json!({ KEY: answers });
    }
    if !state.is_null() {
        params["requestState"] = state.clone();
    }
    session.ask("tools/call", params)
}

#[test]
fn a_yes_is_good_for_what_was_asked_alone() {
    let stage = Stage::new();
    fs::write(stage.inside().join("b.txt"), "b").unwrap();
    let mut session = asks(&stage).start();
    // Without a question there is no answer.
    let first = stateless(&mut session, "/in/a.txt", Some(yes()), &Value::Null);
    let asked = rpc::result(&first);
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    assert!(asked["inputRequests"][KEY].is_object(), "{asked}");
    let state = asked["requestState"].clone();
    let other = stateless(&mut session, "/in/b.txt", Some(yes()), &state);
    assert_eq!(rpc::error_code(&other), -32602, "{other}");
    let none = stateless(&mut session, "/in/a.txt", None, &state);
    assert_eq!(rpc::result(&none)["resultType"], "input_required", "{none}");
    assert!(stage.inside().join("a.txt").exists());
    let done = stateless(&mut session, "/in/a.txt", Some(yes()), &state);
    assert_eq!(rpc::result(&done)["resultType"], "complete", "{done}");
    assert!(!stage.inside().join("a.txt").exists());
    assert!(stage.inside().join("b.txt").exists());
}

#[test]
fn a_plugin_does_not_ask_in_the_name_of_the_host() {
    let stage = Stage::new();
    let command = Palisade::run(guest("shows-roots")).root("in", stage.inside(), "ro");
    let mut session = opened(&command);
    let why = refused(&mut session, "read_when_agreed", a());
    assert!(why.contains("in the name of the host"), "{why}");
}

#[test]
fn a_secret_among_the_arguments_is_not_shown() {
    const VALUE: &str = "ghp_hunter2";
    let stage = Stage::new();
    let command = Palisade::run(guest("escapes")).root("in", stage.inside(), "rw");
    let secret = command.home().join("token");
    fs::write(&secret, VALUE).unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    let command = granted(
        command,
        "[tools]\ndelete = \"ask\"\n[[secrets]]\nname = \"TOKEN\"\nfile = \"token\"\n\
         inject = { to = \"https://api.test\", header = \"authorization\", format = \"Bearer {}\" }\n",
    );
    let mut session = opened(&command);
    let arguments = json!({"path": format!("/in/{VALUE}")});
    let (message, _) = call(
        &mut session,
        "delete",
        arguments,
        &json!({"action": "decline"}),
    );
    assert!(message.contains("/in/***********"), "{message}");
    assert!(!message.contains(VALUE), "{message}");
}
