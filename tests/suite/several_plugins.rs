//! Several plugins are one server, in which each is found by its name.

use std::collections::BTreeSet;

use palisade_tests::{Palisade, Session, guest, plugin, rpc};
use serde_json::{Value, json};

use crate::sandbox_stage::open;

/// A smallest plugin, one with everything, and one that says where requests
/// came to it.
fn three() -> Palisade {
    Palisade::run_several([
        plugin("hello"),
        plugin("everything"),
        guest("all-interfaces"),
    ])
}

/// The values of a field in a list.
#[track_caller]
fn all(session: &mut Session, method: &str, list: &str, field: &str) -> Vec<String> {
    let response = session.ask(method, json!({}));
    let listed = rpc::result(&response)[list].as_array().unwrap();
    let field = |one: &Value| one[field].as_str().unwrap().to_owned();
    listed.iter().map(field).collect()
}

#[test]
fn the_server_says_who_is_in_it() {
    let mut session = three().start();
    let hello = session.initialize("2025-11-25");
    assert_eq!(hello["serverInfo"]["name"], "palisade");
    let instructions = hello["instructions"].as_str().unwrap();
    for name in ["hello: ", "everything: ", "all-interfaces: "] {
        assert!(instructions.contains(name), "{instructions}");
    }
    assert!(!instructions.contains("left out"), "{instructions}");
}

#[test]
fn tools_of_one_name_are_two() {
    let mut session = open(&three());
    let names = all(&mut session, "tools/list", "tools", "name");
    for name in ["hello__greet", "everything__greet", "all-interfaces__told"] {
        assert!(names.contains(&name.to_owned()), "{names:?}");
    }
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    // Only one of the two greets as often as is wanted.
    let twice = session.call("hello__greet", json!({"name": "Ada", "times": 2}));
    assert_eq!(rpc::tool_text(&twice), "Hello, Ada! Hello, Ada!");
    let once = session.call("everything__greet", json!({"name": "Ada"}));
    assert_eq!(rpc::tool_text(&once), "Hello, Ada!");
    for name in ["greet", "hello__told", "nobody__greet", "hello__"] {
        let unknown = session.ask("tools/call", rpc::tool(name, json!({"name": "Ada"})));
        assert_eq!(rpc::error_code(&unknown), -32602, "{name}");
    }
}

/// Clients and models take no longer names, and no dots.
#[test]
fn every_name_is_one_that_clients_take() {
    let long = "x".repeat(48);
    let again = format!("{long}={}", plugin("everything").display());
    let mut session = open(&three().arg(again));
    let names = all(&mut session, "tools/list", "tools", "name");
    for name in &names {
        let fits = name.len() <= 64
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
        assert!(fits, "{name}");
    }
    let shortened: Vec<_> = names
        .iter()
        .filter(|name| name.starts_with(&long) && !name.contains("__greet"))
        .collect();
    assert!(shortened.len() > 20, "{names:?}");
    assert_eq!(
        shortened.iter().collect::<BTreeSet<_>>().len(),
        shortened.len()
    );
    // The first tool of the plugin, by the name the client has for it.
    let result = session.call(shortened[0], json!({}));
    assert_eq!(
        rpc::tool_text(&result),
        "This is a simple text response for testing."
    );
}

#[test]
fn prompts_and_what_completes_them() {
    let mut session = open(&three());
    let names = all(&mut session, "prompts/list", "prompts", "name");
    assert!(names.contains(&"everything__test_simple_prompt".to_owned()));
    assert!(names.contains(&"all-interfaces__greeting".to_owned()));
    let greeting = json!({"name": "all-interfaces__greeting", "arguments": {"who": "Ada"}});
    let response = session.ask("prompts/get", greeting);
    let text = &rpc::result(&response)["messages"][0]["content"]["text"];
    assert_eq!(text, "who=Ada");
    let unknown = session.ask("prompts/get", json!({"name": "greeting"}));
    assert_eq!(rpc::error_code(&unknown), -32602);

    let mut complete = |reference: Value| {
        session.ask(
            "completion/complete",
            json!({"ref": reference, "argument": {"name": "who", "value": "A"}}),
        )
    };
    let values = |response: &Value| rpc::result(response)["completion"]["values"][0].clone();
    // The plugin is asked under the names it gave itself.
    let of_prompt = complete(json!({"type": "ref/prompt", "name": "all-interfaces__greeting"}));
    assert_eq!(values(&of_prompt), "greeting who A");
    let uri = "palisade://all-interfaces/test://{name}";
    let of_template = complete(json!({"type": "ref/resource", "uri": uri}));
    assert_eq!(values(&of_template), "test://{name} who A");
    for unknown in [
        json!({"type": "ref/prompt", "name": "greeting"}),
        json!({"type": "ref/resource", "uri": "test://{name}"}),
        json!({"type": "ref/resource", "uri": "palisade://nobody/test://{name}"}),
    ] {
        rpc::error_code(&complete(unknown));
    }
}

#[test]
fn resources_are_addressed_by_plugin() {
    let mut session = open(&three());
    let uris = all(&mut session, "resources/list", "resources", "uri");
    assert!(uris.contains(&"palisade://everything/test://static-text".to_owned()));
    assert!(uris.contains(&"palisade://all-interfaces/test://one".to_owned()));
    let templates = all(
        &mut session,
        "resources/templates/list",
        "resourceTemplates",
        "uriTemplate",
    );
    assert!(templates.contains(&"palisade://everything/test://template/{id}/data".to_owned()));

    let uri = "palisade://everything/test://template/7/data";
    let response = session.ask("resources/read", json!({"uri": uri}));
    let contents = &rpc::result(&response)["contents"][0];
    assert_eq!(contents["uri"], uri);
    assert!(
        contents["text"]
            .as_str()
            .unwrap()
            .contains("Data for ID: 7")
    );
    for unknown in [
        "test://one",
        "palisade://nobody/test://one",
        "palisade://everything/test://one",
        "palisade://hello/test://one",
    ] {
        let response = session.ask("resources/read", json!({"uri": unknown}));
        assert_eq!(rpc::error_code(&response), -32002, "{unknown}");
        assert_eq!(response["error"]["data"]["uri"], unknown);
    }
    // What a tool embeds can be read again.
    let embedded = session.call("everything__test_embedded_resource", json!({}));
    let uri = embedded["content"][0]["resource"]["uri"].as_str().unwrap();
    assert!(uri.starts_with("palisade://everything/"), "{uri}");
}

#[test]
fn a_subscription_hears_of_its_plugin_only() {
    let mut session = open(&three());
    let uri = "palisade://all-interfaces/test://7";
    rpc::result(&session.ask("resources/subscribe", json!({"uri": uri})));
    // The same address, of another plugin.
    let other = "palisade://everything/test://7";
    rpc::result(&session.ask("resources/subscribe", json!({"uri": other})));
    for unknown in ["test://7", "palisade://nobody/test://7"] {
        let response = session.ask("resources/subscribe", json!({"uri": unknown}));
        assert_eq!(rpc::error_code(&response), -32002, "{unknown}");
    }
    session.call("all-interfaces__announce", json!({}));
    let told = loop {
        let message = session.receive().unwrap();
        if message["method"] == "notifications/resources/updated" {
            break message;
        }
    };
    assert_eq!(told["params"]["uri"], uri);
}

/// One that lists more than it may does not hide what others have.
#[test]
fn one_that_can_not_list_does_not_hide_the_others() {
    let mut session = open(&three());
    let many = json!({"_meta": {"list": "many"}});
    let response = session.ask("resources/list", many);
    let listed = rpc::result(&response)["resources"].as_array().unwrap();
    assert_eq!(listed.len(), 3, "{listed:?}");
    session.until_stderr(|said| said.contains("the resources of all-interfaces are left out"));
}

/// Nor does one that never answers, though its call might go on for longer.
#[test]
fn one_that_does_not_list_in_time_is_left_out() {
    let mut session = open(&three());
    let never = json!({"_meta": {"list": "never"}});
    let listing = session.request("resources/list", never);
    let greeted = session.call("hello__greet", json!({"name": "Ada"}));
    assert_eq!(rpc::tool_text(&greeted), "Hello, Ada!");
    let response = session.answer(listing);
    let listed = rpc::result(&response)["resources"].as_array().unwrap();
    assert_eq!(listed.len(), 3, "{listed:?}");
    session.until_stderr(|said| said.contains("the resources of all-interfaces are left out"));
}

#[test]
fn one_that_is_busy_holds_up_nobody() {
    let plugins = [guest("loops-forever"), guest("sleeps"), plugin("hello")];
    let mut session = open(&Palisade::run_several(plugins));
    for _ in 0..8 {
        session.request("tools/call", rpc::tool("loops-forever__spin", json!({})));
    }
    let nap = rpc::tool("sleeps__nap", json!({"ms": 10_000}));
    session.request("tools/call", nap);
    // None of these has ended when these are answered.
    rpc::result(&session.ask("ping", Value::Null));
    let greeted = session.call("hello__greet", json!({"name": "Ada"}));
    assert_eq!(rpc::tool_text(&greeted), "Hello, Ada!");
    assert_eq!(session.take_others(), [Value::Null; 0]);
}

#[test]
fn over_http_as_well() {
    let server = three().serve();
    assert!(server.process.stderr().contains("serving palisade at "));
    let mut session = server.session("2025-11-25");
    let result = session.call("hello__greet", json!({"name": "Ada"}));
    assert_eq!(rpc::tool_text(&result), "Hello, Ada!");
    let greet = rpc::tool("everything__greet", json!({"name": "Bob"}));
    let answer = server.stateless(1, "tools/call", greet).send().answer();
    assert_eq!(rpc::tool_text(rpc::result(&answer)), "Hello, Bob!");
}
