//! `palisade dev`: what a client sees while its server is being written.

use std::fs;
use std::path::{Path, PathBuf};

use palisade_tests::{Palisade, Session, Signal, author, guest, plugin, rpc};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::questions_stage::{accept, everything};

const CHANGED: &str = "notifications/tools/list_changed";

/// A folder with a component that is exchanged for another one, as by a build
/// in some other language.
fn folder(component: PathBuf) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let manifest = "[plugin]\nname = \"in-the-making\"\n";
    fs::write(folder.path().join("palisade.toml"), manifest).unwrap();
    put(folder.path(), component);
    folder
}

/// As compilers do it: the file is there as a whole.
fn put(folder: &Path, component: PathBuf) {
    fs::copy(component, folder.join("new")).unwrap();
    fs::rename(folder.join("new"), folder.join("plugin.wasm")).unwrap();
}

fn dev(folder: &Path) -> Palisade {
    Palisade::new(["dev"]).arg(folder)
}

fn names(list: &Value) -> Vec<&str> {
    let tools = rpc::result(list)["tools"].as_array().unwrap();
    let names = tools.iter().map(|tool| tool["name"].as_str());
    names.map(Option::unwrap).collect()
}

/// Everything that comes until this does.
fn until(session: &mut Session, method: &str) -> Vec<Value> {
    let mut before = Vec::new();
    loop {
        let message = session.receive().unwrap();
        if message["method"] == method {
            return before;
        }
        before.push(message);
    }
}

#[test]
fn a_session_goes_on_with_what_was_saved() {
    let folder = folder(plugin("hello"));
    let mut session = dev(folder.path()).start();
    let hello = session.initialize("2025-11-25");
    assert_eq!(hello["serverInfo"]["name"], "in-the-making");
    let list = session.ask("tools/list", Value::Null);
    assert_eq!(names(&list), ["greet"]);
    session.call("greet", json!({"name": "Ada", "times": 2}));

    put(folder.path(), guest("all-interfaces"));
    until(&mut session, CHANGED);
    let list = session.ask("tools/list", Value::Null);
    assert!(names(&list).contains(&"announce"), "{list}");
    session
        .until_stderr(|said| said.contains("learns of what is new (") && said.contains("prompts"));

    let done = session.finish().success();
    for says in [
        "→ greet {\"name\":\"Ada\",\"times\":2}",
        "← greet ",
        "serving in-the-making",
    ] {
        assert!(done.stderr.contains(says), "{says}: {}", done.stderr);
    }
}

#[test]
fn a_client_without_a_session_is_told_where_it_listens() {
    let folder = folder(plugin("hello"));
    let mut session = dev(folder.path()).start();
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let id = session.request("subscriptions/listen", rpc::stateless(filter));
    assert_eq!(
        until(&mut session, "notifications/subscriptions/acknowledged"),
        [Value::Null; 0]
    );
    for component in ["all-interfaces", "shows-roots"] {
        put(folder.path(), guest(component));
        let news = session.receive().unwrap();
        assert_eq!(news["method"], CHANGED, "{news}");
        let of = &news["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
        assert_eq!(*of, json!(id));
        let list = session.ask("tools/list", rpc::stateless(Value::Null));
        assert!(!names(&list).is_empty(), "{component}: {list}");
        assert!(!names(&list).contains(&"greet"), "{list}");
    }
    assert_eq!(session.take_others(), [Value::Null; 0]);
    session.finish().success();
}

#[test]
fn a_call_ends_on_the_version_it_began_on() {
    let folder = folder(guest("sleeps"));
    let mut session = dev(folder.path()).start();
    session.initialize("2025-11-25");
    let id = session.request("tools/call", rpc::tool("nap", json!({"ms": 3000})));
    session.until_stderr(|said| said.contains("→ "));
    put(folder.path(), plugin("hello"));
    until(&mut session, CHANGED);
    let list = session.ask("tools/list", Value::Null);
    assert_eq!(names(&list), ["greet"]);
    let called = session.call("greet", json!({"name": "Ada"}));
    assert_eq!(rpc::tool_text(&called), "Hello, Ada!");
    let answer = session.answer(id);
    assert_ne!(rpc::result(&answer)["isError"], true, "{answer}");
    session.finish().success();
}

#[test]
fn what_does_not_load_leaves_what_there_was() {
    let folder = folder(plugin("hello"));
    let mut session = dev(folder.path()).start();
    session.initialize("2025-11-25");
    let told = |session: &mut Session, says: &str, times: usize| {
        session.until_stderr(|said| said.matches(says).count() >= times);
        let called = session.call("greet", json!({"name": "Ada"}));
        assert_eq!(rpc::tool_text(&called), "Hello, Ada!");
    };
    let stays = "what was served before stays";
    // What is no component, a manifest with a slip, and what nothing is served of.
    fs::write(folder.path().join("plugin.wasm"), "no component").unwrap();
    told(&mut session, stays, 1);
    fs::write(folder.path().join("palisade.toml"), "[plugin]\nnmae = 1\n").unwrap();
    told(&mut session, stays, 2);
    let manifest = "[plugin]\nname = \"in-the-making\"\n";
    fs::write(folder.path().join("palisade.toml"), manifest).unwrap();
    told(&mut session, stays, 3);
    put(folder.path(), guest("unknown-import"));
    told(&mut session, stays, 4);
    assert_eq!(session.take_others(), [Value::Null; 0]);
    let done = session.finish().success();
    assert!(
        done.stderr.contains("line 2: unknown key"),
        "{}",
        done.stderr
    );
}

#[test]
fn a_client_may_come_before_there_is_anything() {
    let folder = folder(plugin("hello"));
    fs::rename(
        folder.path().join("plugin.wasm"),
        folder.path().join("later"),
    )
    .unwrap();
    let mut session = dev(folder.path()).start();
    let id = session.request("initialize", rpc::hello("2025-11-25"));
    session.until_stderr(|said| said.contains("nothing is served until it builds"));
    put(folder.path(), plugin("hello"));
    rpc::result(&session.answer(id));
    session.notify("notifications/initialized", Value::Null);
    session.call("greet", json!({"name": "Ada"}));
    session.finish().success();
}

/// Two hosts number their questions alike, and each gets its own answer.
#[test]
fn what_is_asked_is_answered_to_whoever_asked() {
    const ASKS: &str = "test_input_required_result_elicitation";
    let folder = folder(plugin("everything"));
    let mut session = dev(folder.path()).start();
    let mut hello = rpc::hello("2025-11-25");
    hello["capabilities"] = everything();
    rpc::result(&session.ask("initialize", hello));
    session.notify("notifications/initialized", Value::Null);

    let first = session.request("tools/call", rpc::tool(ASKS, json!({})));
    let of_first = session.receive().unwrap();
    assert_eq!(of_first["method"], "elicitation/create");
    let manifest = "[plugin]\nname = \"in-the-making\"\nversion = \"2\"\n";
    fs::write(folder.path().join("palisade.toml"), manifest).unwrap();
    until(&mut session, CHANGED);
    let second = session.request("tools/call", rpc::tool(ASKS, json!({})));
    let of_second = loop {
        let message = session.receive().unwrap();
        if message["method"] == "elicitation/create" {
            break message;
        }
    };
    assert_ne!(of_first["id"], of_second["id"]);
    for (asked, call, name) in [(of_second, second, "Grace"), (of_first, first, "Ada")] {
        let answer = accept(json!({ "name": name }));
        session.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer}));
        let told = rpc::tool_text(rpc::result(&session.answer(call)));
        assert_eq!(told, format!("Hello, {name}!"));
    }
    session.finish().success();
}

#[test]
fn it_ends_with_all_it_started() {
    let folder = folder(guest("sleeps"));
    let mut session = dev(folder.path()).start();
    session.initialize("2025-11-25");
    session.request("tools/call", rpc::tool("nap", json!({"ms": 600_000})));
    session.until_stderr(|said| said.contains("→ nap"));
    session.process.signal(Signal::TERM);
    // Standard error ends when the last process that has it does.
    assert_eq!(session.until_end().code, Some(0));
}

#[test]
fn flags_are_those_of_run() {
    let folder = folder(guest("shows-roots"));
    let refused = |flags: &[&str], code: i32, says: &str| {
        let command = flags
            .iter()
            .fold(dev(folder.path()), |dev, flag| dev.arg(flag));
        let done = command.output();
        assert_eq!(done.code, Some(code), "{flags:?}: {done:?}");
        assert!(done.stderr.contains(says), "{flags:?}: {}", done.stderr);
    };
    refused(&["--rot", "x"], 2, "--rot");
    refused(
        &["--http", "127.0.0.1:0", "--no-auth"],
        2,
        "over stdio alone",
    );
    refused(&["other.wasm"], 2, "one project");
    refused(&["--root", "notes=/no/such/folder"], 1, "it does not start");
    let nothing = tempfile::tempdir().unwrap();
    let done = dev(nothing.path()).output();
    assert!(done.stderr.contains("there is no"), "{done:?}");
}

/// The whole way: a project in Rust, a tool that is added, and a slip.
#[test]
fn a_tool_that_is_written_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let project = author::project(folder.path(), "dev-in-rust");
    let code = project.join("src/lib.rs");
    let mut session = author::author(&project, &["dev", "."]).start();
    // Compiling may take longer than anything else that is waited for.
    session.until_built("serving dev-in-rust 0.1.0", 1);
    session.initialize("2025-11-25");

    let first = fs::read_to_string(&code).unwrap();
    let more = first.replace(
        "    /// Greets somebody",
        "    /// Takes leave.\n    #[tool]\n    fn part(&self, name: String) -> String {\n        \
         format!(\"Farewell, {name}!\")\n    }\n\n    /// Greets somebody",
    );
    fs::write(&code, &more).unwrap();
    session.until_built("serving dev-in-rust 0.1.0", 2);
    until(&mut session, CHANGED);
    // Whatever it makes of an argument it does not have.
    session.ask(
        "tools/call",
        rpc::tool("part", json!({"name": "Ada", "apiToken": "t0k3n"})),
    );
    let called = session.call("part", json!({"name": "Ada"}));
    assert_eq!(rpc::tool_text(&called), "Farewell, Ada!");

    fs::write(
        &code,
        more.replace("format!(\"Farewell", "fromat!(\"Farewell"),
    )
    .unwrap();
    session.until_built("what was served before stays", 1);
    let said = session.stderr();
    assert!(said.contains("cannot find macro `fromat`"), "{said}");
    assert!(
        said.contains("\"apiToken\":\"***\"") && !said.contains("t0k3n"),
        "{said}"
    );
    let called = session.call("part", json!({"name": "Ada"}));
    assert_eq!(rpc::tool_text(&called), "Farewell, Ada!");
    session.finish().success();
}
