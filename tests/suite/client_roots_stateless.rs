//! A stateless client says its roots with each call that may use a folder.

use palisade_tests::{Palisade, Session, guest, rpc};
use serde_json::{Value, json};

use crate::client_roots_stage::{Folders, list};

const KEY: &str = "palisade/client-roots";

/// What a client declares that has roots and can be asked.
fn with_roots(params: Value) -> Value {
    let mut params = rpc::stateless(params);
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        json!({"roots": {}, "elicitation": {}});
    params
}

/// One round of a request; what is null is left out.
#[track_caller]
fn round(
    session: &mut Session,
    method: &str,
    params: &Value,
    answers: &Value,
    state: &Value,
) -> Value {
    let mut params = with_roots(params.clone());
    if !answers.is_null() {
        params["inputResponses"] = answers.clone();
    }
    if !state.is_null() {
        params["requestState"] = state.clone();
    }
    rpc::result(&session.ask(method, params)).clone()
}

/// The state of a round that asks for the roots and for nothing else.
#[track_caller]
fn asks(result: &Value) -> Value {
    assert_eq!(result["resultType"], "input_required", "{result}");
    let requests = result["inputRequests"].as_object().unwrap();
    let keys: Vec<_> = requests.keys().collect();
    assert_eq!(keys, [KEY], "{result}");
    assert_eq!(requests[KEY]["method"], "roots/list", "{result}");
    let state = &result["requestState"];
    assert!(state.is_string(), "{result}");
    state.clone()
}

/// A request with the answer that it needs.
#[track_caller]
fn told(session: &mut Session, method: &str, params: &Value, roots: &Value) -> Value {
    let state = asks(&round(session, method, params, &Value::Null, &Value::Null));
    round(session, method, params, &json!({ KEY: roots }), &state)
}

#[track_caller]
fn mounts(session: &mut Session, roots: &Value) -> String {
    let params = rpc::tool("mounts", json!({}));
    rpc::tool_text(&told(session, "tools/call", &params, roots))
}

#[test]
fn a_call_begins_with_the_question() {
    let folders = Folders::new();
    let mut session = folders.command().start();
    assert_eq!(mounts(&mut session, &folders.list(&["desk/a"])), "/desk/a");
    assert_eq!(mounts(&mut session, &folders.list(&["other"])), "/other");
    assert_eq!(mounts(&mut session, &folders.list(&[""])), "/desk /other");
    assert_eq!(mounts(&mut session, &folders.list(&[])), "none");
    assert_eq!(mounts(&mut session, &list(&["file://host/", "x"])), "none");
    let read = |path: &str| rpc::tool("read", json!({ "path": path }));
    let roots = folders.list(&["desk/a"]);
    let inside = told(&mut session, "tools/call", &read("/desk/a/one.txt"), &roots);
    assert_eq!(rpc::tool_text(&inside), "one");
    let beside = told(&mut session, "tools/call", &read("/desk/top.txt"), &roots);
    rpc::tool_error(&beside);
    let end = session.finish().success();
    // Once for the process, whoever asks.
    let lines = end
        .stderr
        .lines()
        .filter(|line| line.contains("other is not available"));
    assert_eq!(lines.count(), 1, "{}", end.stderr);
}

#[test]
fn so_do_resources_and_prompts() {
    let folders = Folders::new();
    let mut session = folders.command().start();
    let roots = folders.list(&["desk/b"]);
    let params = json!({"uri": "roots://all"});
    let read = told(&mut session, "resources/read", &params, &roots);
    assert_eq!(read["contents"][0]["text"], "/desk/b", "{read}");
    let params = json!({"name": "prompt"});
    let prompt = told(&mut session, "prompts/get", &params, &roots);
    let text = &prompt["messages"][0]["content"]["text"];
    assert_eq!(text, "/desk/b", "{prompt}");
}

/// Where nothing can be asked, there are no folders.
#[test]
fn what_cannot_ask_has_none() {
    let folders = Folders::new();
    let mut session = folders.command().start();
    let complete = json!({
        "ref": {"type": "ref/prompt", "name": "prompt"},
        "argument": {"name": "what", "value": ""},
    });
    for (with, expected) in [(true, "none"), (false, "/desk /other")] {
        let params = |params: Value| match with {
            true => with_roots(params),
            false => rpc::stateless(params),
        };
        let completed = session.ask("completion/complete", params(complete.clone()));
        let values = &rpc::result(&completed)["completion"]["values"];
        assert_eq!(*values, json!([expected]));
        let listed = session.ask("resources/list", params(Value::Null));
        let none = listed.to_string().contains("mount:none");
        assert_eq!(none, with, "{listed}");
    }
}

#[test]
fn who_has_no_roots_is_not_asked() {
    let folders = Folders::new();
    let mut session = folders.command().start();
    let params = rpc::stateless(rpc::tool("mounts", json!({})));
    let result = session.ask("tools/call", params);
    assert_eq!(rpc::tool_text(rpc::result(&result)), "/desk /other");
    // Nor is anybody where there is nothing to narrow.
    let mut session = Palisade::run(guest("shows-roots")).start();
    let params = with_roots(rpc::tool("mounts", json!({})));
    let result = session.ask("tools/call", params);
    assert_eq!(rpc::tool_text(rpc::result(&result)), "none");
}

/// The plugin's own question, though it has the same key; and the roots hold
/// for all rounds.
#[test]
fn a_plugin_asks_after_the_host() {
    let folders = Folders::new();
    let mut session = folders.command().start();
    let yes = json!({KEY: {"action": "accept", "content": {"now": true}}});
    for (roots, works) in [(&["desk"][..], true), (&["other"], false)] {
        let params = rpc::tool("read_when_told", json!({"path": "/desk/top.txt"}));
        let asked = told(&mut session, "tools/call", &params, &folders.list(roots));
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        let question = &asked["inputRequests"][KEY]["method"];
        assert_eq!(question, "elicitation/create", "{asked}");
        let state = &asked["requestState"];
        let done = round(&mut session, "tools/call", &params, &yes, state);
        match works {
            true => assert_eq!(rpc::tool_text(&done), "top"),
            false => drop(rpc::tool_error(&done)),
        }
    }
}

#[test]
fn what_is_no_answer_is_asked_again() {
    let folders = Folders::new();
    let mut session = folders.command().start();
    let params = rpc::tool("mounts", json!({}));
    let mut state = asks(&round(
        &mut session,
        "tools/call",
        &params,
        &Value::Null,
        &Value::Null,
    ));
    for answers in [
        Value::Null,
        json!({}),
        json!({"other": folders.list(&["desk"])}),
        json!({KEY: {}}),
        json!({KEY: {"roots": [{"uri": 7}]}}),
        json!({KEY: {"action": "accept"}}),
    ] {
        let again = round(&mut session, "tools/call", &params, &answers, &state);
        state = asks(&again);
    }
    let answers = json!({KEY: folders.list(&["desk"])});
    let done = round(&mut session, "tools/call", &params, &answers, &state);
    assert_eq!(rpc::tool_text(&done), "/desk");
    // An answer to what was not asked is none.
    let done = round(&mut session, "tools/call", &params, &answers, &Value::Null);
    asks(&done);
    // And not for ever.
    let mut result = done;
    for _ in 0..100 {
        let mut next = with_roots(params.clone());
        next["requestState"] = asks(&result);
        let response = session.ask("tools/call", next);
        if response.get("error").is_some() {
            assert!(response.to_string().contains("roots"), "{response}");
            return;
        }
        result = rpc::result(&response).clone();
    }
    panic!("it asks for ever");
}

#[test]
fn an_answer_belongs_to_its_call() {
    let folders = Folders::new();
    let mut session = folders.command().start();
    let params = rpc::tool("mounts", json!({}));
    let state = asks(&round(
        &mut session,
        "tools/call",
        &params,
        &Value::Null,
        &Value::Null,
    ));
    let mut other = with_roots(rpc::tool("uris", json!({})));
    other["requestState"] = state;
    other["inputResponses"] = json!({KEY: folders.list(&["desk"])});
    assert_eq!(rpc::error_code(&session.ask("tools/call", other)), -32602);
}

#[test]
fn a_task_has_the_roots_of_its_call() {
    let folders = Folders::new();
    let mut session = folders.command().start();
    let declares = |mut params: Value| {
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"] =
            json!({"io.modelcontextprotocol/tasks": {}});
        params
    };
    for (roots, expected) in [(&["desk"][..], Some("top")), (&["other"], None)] {
        let call = || {
            declares(with_roots(rpc::tool(
                "read_as_task",
                json!({"path": "/desk/top.txt"}),
            )))
        };
        let asked = session.ask("tools/call", call());
        let state = asks(rpc::result(&asked));
        let mut retry = call();
        retry["requestState"] = state;
        retry["inputResponses"] = json!({KEY: folders.list(roots)});
        let begun = session.ask("tools/call", retry);
        let begun = rpc::result(&begun);
        assert_eq!(begun["resultType"], "task", "{begun}");
        let task = loop {
            let get = declares(with_roots(json!({"taskId": begun["taskId"]})));
            let task = session.ask("tasks/get", get);
            let task = rpc::result(&task).clone();
            if task["status"] != "working" {
                break task;
            }
        };
        assert_eq!(task["status"], "completed", "{task}");
        match expected {
            Some(text) => assert_eq!(rpc::tool_text(&task["result"]), text),
            None => drop(rpc::tool_error(&task["result"])),
        }
    }
}

/// Both kinds of client on one stream.
#[test]
fn a_session_beside_it_has_its_own() {
    let folders = Folders::new();
    let roots = folders.list(&["desk"]);
    let mut session = crate::client_roots_stage::opened(&folders.command(), "2025-11-25", &roots);
    assert_eq!(mounts(&mut session, &folders.list(&["other"])), "/other");
    assert_eq!(crate::client_roots_stage::mounts(&mut session), "/desk");
    let params = rpc::stateless(rpc::tool("mounts", json!({})));
    let result = session.ask("tools/call", params);
    assert_eq!(rpc::tool_text(rpc::result(&result)), "/desk /other");
}
