//! A stateless client gets a plugin's questions as a result, and comes back
//! with the answers and with what the host keeps at the client's.

use palisade_tests::{Palisade, Session, plugin, rpc};
use serde_json::{Value, json};

use crate::questions_stage::{accept, everything, roots, sampled, stateless};

const NAME: &str = "test_input_required_result_elicitation";
const INVALID_PARAMS: i64 = -32602;

fn session() -> Session {
    Palisade::run(plugin("everything")).start()
}

/// The answer to a request, with what it brings along.
fn send(
    session: &mut Session,
    method: &str,
    params: Value,
    answers: &Value,
    state: &Value,
) -> Value {
    let mut params = stateless(params, everything());
    if !answers.is_null() {
        params["inputResponses"] = answers.clone();
    }
    if !state.is_null() {
        params["requestState"] = state.clone();
    }
    session.ask(method, params)
}

fn call(session: &mut Session, tool: &str, answers: &Value, state: &Value) -> Value {
    let params = rpc::tool(tool, json!({}));
    send(session, "tools/call", params, answers, state)
}

/// The keys of what is asked, in order, and the state to come back with.
#[track_caller]
fn asked(response: &Value) -> (Vec<String>, Value) {
    let result = rpc::result(response);
    assert_eq!(result["resultType"], "input_required", "{result}");
    let requests = result["inputRequests"].as_object().unwrap();
    let mut keys: Vec<_> = requests.keys().cloned().collect();
    keys.sort();
    assert!(result["requestState"].is_string(), "{result}");
    (keys, result["requestState"].clone())
}

#[track_caller]
fn told(response: &Value) -> String {
    let result = rpc::result(response);
    assert_eq!(result["resultType"], "complete", "{result}");
    rpc::tool_text(result)
}

/// Asks for a name; returns the state.
#[track_caller]
fn first_round(session: &mut Session) -> Value {
    let response = call(session, NAME, &Value::Null, &Value::Null);
    let (keys, state) = asked(&response);
    assert_eq!(keys, ["user_name"]);
    let request = &rpc::result(&response)["inputRequests"]["user_name"];
    assert_eq!(request["method"], "elicitation/create", "{request}");
    let schema = &request["params"]["requestedSchema"];
    assert_eq!(schema["properties"]["name"]["type"], "string", "{request}");
    state
}

fn ada() -> Value {
    json!({"user_name": accept(json!({"name": "Ada"}))})
}

#[test]
fn an_answer_leads_to_the_result() {
    let mut session = session();
    let state = first_round(&mut session);
    assert_eq!(
        told(&call(&mut session, NAME, &ada(), &state)),
        "Hello, Ada!"
    );
    // Nothing of it is left at the host's: the same once more.
    assert_eq!(
        told(&call(&mut session, NAME, &ada(), &state)),
        "Hello, Ada!"
    );
    assert_eq!(session.finish().success().stdout, "");
}

#[test]
fn what_nobody_asked_for_is_ignored() {
    let mut session = session();
    let state = first_round(&mut session);
    let mut answers = ada();
    answers["another"] = accept(json!({"name": "Bob"}));
    answers["yet another"] = json!(7);
    assert_eq!(
        told(&call(&mut session, NAME, &answers, &state)),
        "Hello, Ada!"
    );
}

#[test]
fn what_is_no_answer_is_asked_again() {
    let mut session = session();
    let state = first_round(&mut session);
    for answers in [
        json!({}),
        json!({"name": accept(json!({"name": "Ada"}))}),
        json!({"user_name": accept(json!({}))}),
        json!({"user_name": accept(json!({"name": 7}))}),
        json!({"user_name": accept(Value::Null)}),
        json!({"user_name": {"action": "perhaps"}}),
        json!({"user_name": {}}),
        json!({"user_name": sampled("Ada")}),
    ] {
        let response = call(&mut session, NAME, &answers, &state);
        let (keys, again) = asked(&response);
        assert_eq!(keys, ["user_name"], "{answers}");
        assert_eq!(
            told(&call(&mut session, NAME, &ada(), &again)),
            "Hello, Ada!"
        );
    }
    // No object at all: asked again or refused.
    for answer in [json!(7), Value::Null, json!("Ada"), json!([])] {
        let answers = json!({ "user_name": answer });
        let response = call(&mut session, NAME, &answers, &state);
        if response.get("error").is_some() {
            assert_eq!(rpc::error_code(&response), INVALID_PARAMS, "{answers}");
        } else {
            asked(&response);
        }
    }
}

#[test]
fn a_person_may_decline_or_cancel() {
    let mut session = session();
    let state = first_round(&mut session);
    for action in ["decline", "cancel"] {
        let answers = json!({"user_name": {"action": action}});
        let response = call(&mut session, NAME, &answers, &state);
        let said = rpc::tool_error(rpc::result(&response));
        assert!(said.contains("nobody gave a name"), "{action}: {said}");
    }
}

#[test]
fn a_state_that_was_changed_is_refused() {
    let mut session = session();
    let state = first_round(&mut session);
    let whole = state.as_str().unwrap();
    let middle = whole.len() / 2;
    let other = if whole.as_bytes()[middle] == b'A' {
        "B"
    } else {
        "A"
    };
    for changed in [
        format!("{whole}-TAMPERED"),
        format!("A{whole}"),
        whole[..whole.len() - 1].to_owned(),
        format!("{}{other}{}", &whole[..middle], &whole[middle + 1..]),
        String::new(),
        "x".to_owned(),
        "x".repeat(2 << 20),
    ] {
        let response = call(&mut session, NAME, &ada(), &json!(changed));
        let code = rpc::error_code(&response);
        assert_eq!(
            code,
            INVALID_PARAMS,
            "{}",
            &changed[..changed.len().min(200)]
        );
    }
    assert_eq!(
        told(&call(&mut session, NAME, &ada(), &state)),
        "Hello, Ada!"
    );
}

#[test]
fn a_state_belongs_to_its_call() {
    let mut session = session();
    let state = first_round(&mut session);
    // Another tool, though it asks the same.
    let response = call(&mut session, "test_streaming_elicitation", &ada(), &state);
    assert_eq!(rpc::error_code(&response), INVALID_PARAMS);
    // Another method.
    let prompt = json!({"name": "test_input_required_result_prompt"});
    let response = send(&mut session, "prompts/get", prompt, &ada(), &state);
    assert_eq!(rpc::error_code(&response), INVALID_PARAMS);
    // Other arguments.
    let delete = |file: &str| rpc::tool("confirm_delete", json!({"filename": file}));
    let response = send(
        &mut session,
        "tools/call",
        delete("a"),
        &Value::Null,
        &Value::Null,
    );
    let (keys, state) = asked(&response);
    assert_eq!(keys, ["confirm"]);
    let yes = json!({"confirm": accept(json!({"confirm": true}))});
    let response = send(&mut session, "tools/call", delete("b"), &yes, &state);
    assert_eq!(rpc::error_code(&response), INVALID_PARAMS);
    let response = send(&mut session, "tools/call", delete("a"), &yes, &state);
    assert!(told(&response).starts_with("Deleted a"));
}

#[test]
fn a_state_belongs_to_its_process() {
    let state = first_round(&mut session());
    let response = call(&mut session(), NAME, &ada(), &state);
    assert_eq!(rpc::error_code(&response), INVALID_PARAMS);
}

#[test]
fn a_plugins_own_state_comes_back() {
    let mut session = session();
    let tool = "test_input_required_result_request_state";
    let (keys, state) = asked(&call(&mut session, tool, &Value::Null, &Value::Null));
    assert_eq!(keys, ["confirm"]);
    let yes = json!({"confirm": accept(json!({"ok": true}))});
    assert_eq!(told(&call(&mut session, tool, &yes, &state)), "state-ok");
    // Without the state nothing was asked yet.
    asked(&call(&mut session, tool, &yes, &Value::Null));
}

#[test]
fn round_after_round() {
    let mut session = session();
    let tool = "test_input_required_result_multi_round";
    let (keys, one) = asked(&call(&mut session, tool, &Value::Null, &Value::Null));
    assert_eq!(keys, ["step1"]);
    let name = json!({"step1": accept(json!({"name": "Ada"}))});
    let (keys, two) = asked(&call(&mut session, tool, &name, &one));
    assert_eq!(keys, ["step2"]);
    assert_ne!(one, two);
    let color = json!({"step2": accept(json!({"color": "blue"}))});
    assert_eq!(
        told(&call(&mut session, tool, &color, &two)),
        "Ada likes blue."
    );
}

#[test]
fn everything_at_once() {
    let mut session = session();
    let tool = "test_input_required_result_multiple_inputs";
    let (keys, state) = asked(&call(&mut session, tool, &Value::Null, &Value::Null));
    assert_eq!(keys, ["client_roots", "greeting", "user_name"]);
    let answers = json!({
        "user_name": accept(json!({"name": "Ada"})),
        "greeting": sampled("Good morning"),
        "client_roots": roots(),
    });
    assert_eq!(
        told(&call(&mut session, tool, &answers, &state)),
        "Good morning, Ada! There are 2 roots."
    );
}

#[test]
fn what_a_client_did_not_declare_it_is_not_asked() {
    let mut session = session();
    for (tool, can, needs) in [
        (NAME, json!({"sampling": {}}), json!({"elicitation": {}})),
        (
            "test_missing_capability",
            json!({"elicitation": {}}),
            json!({"sampling": {}}),
        ),
        (
            "test_input_required_result_list_roots",
            json!({}),
            json!({"roots": {}}),
        ),
    ] {
        let params = stateless(rpc::tool(tool, json!({})), can);
        let response = session.ask("tools/call", params);
        assert_eq!(rpc::error_code(&response), -32021, "{response}");
        let data = &response["error"]["data"];
        assert_eq!(data["requiredCapabilities"], needs, "{response}");
    }
}

#[test]
fn a_prompt_may_ask_too() {
    let mut session = session();
    let get = || json!({"name": "test_input_required_result_prompt"});
    let response = send(
        &mut session,
        "prompts/get",
        get(),
        &Value::Null,
        &Value::Null,
    );
    let (keys, state) = asked(&response);
    assert_eq!(keys, ["user_context"]);
    let answers = json!({"user_context": accept(json!({"context": "the sea"}))});
    let response = send(&mut session, "prompts/get", get(), &answers, &state);
    let text = &rpc::result(&response)["messages"][0]["content"]["text"];
    assert_eq!(text, "Use the following context: the sea");
    let changed = json!(format!("{}x", state.as_str().unwrap()));
    let response = send(&mut session, "prompts/get", get(), &answers, &changed);
    assert_eq!(rpc::error_code(&response), INVALID_PARAMS);
}
