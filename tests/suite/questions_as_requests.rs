//! A client of a handshake revision gets a plugin's questions as requests,
//! while its call stays open.

use std::time::{Duration, Instant};

use palisade_tests::{Session, rpc};
use serde_json::{Value, json};

use crate::questions_stage::{accept, everything, opened, roots, sampled};

/// Calls a tool; returns the id of the call.
fn call(session: &mut Session, tool: &str) -> u64 {
    session.request("tools/call", rpc::tool(tool, json!({})))
}

/// The next request of the host, by its method.
#[track_caller]
fn request(session: &mut Session, method: &str) -> Value {
    let message = session.receive().unwrap();
    assert_eq!(message["method"], method, "{message}");
    assert!(!message["id"].is_null(), "{message}");
    message
}

fn answer(session: &mut Session, request: &Value, result: &Value) {
    session.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
}

fn refuse(session: &mut Session, request: &Value) {
    let error = json!({"code": -1, "message": "the person has gone home"});
    session.send(&json!({"jsonrpc": "2.0", "id": request["id"], "error": error}));
}

const NAME: &str = "test_input_required_result_elicitation";

#[test]
fn a_person_is_asked() {
    let mut session = opened(everything());
    let id = call(&mut session, NAME);
    let question = request(&mut session, "elicitation/create");
    let params = &question["params"];
    assert_eq!(params["message"], "What is your name?", "{question}");
    let properties = &params["requestedSchema"]["properties"];
    assert_eq!(properties["name"]["type"], "string", "{question}");
    answer(&mut session, &question, &accept(json!({"name": "Ada"})));
    let told = rpc::tool_text(rpc::result(&session.answer(id)));
    assert_eq!(told, "Hello, Ada!");
    assert_eq!(session.finish().success().stdout, "");
}

#[test]
fn a_person_may_decline_or_cancel() {
    let mut session = opened(everything());
    for action in ["decline", "cancel"] {
        let id = call(&mut session, NAME);
        let question = request(&mut session, "elicitation/create");
        answer(&mut session, &question, &json!({ "action": action }));
        let said = rpc::tool_error(rpc::result(&session.answer(id)));
        assert!(said.contains("nobody gave a name"), "{action}: {said}");
    }
}

#[test]
fn what_is_no_answer_is_asked_again() {
    let mut session = opened(everything());
    let id = call(&mut session, NAME);
    let question = request(&mut session, "elicitation/create");
    answer(&mut session, &question, &accept(json!({"name": 7})));
    let again = request(&mut session, "elicitation/create");
    assert_ne!(again["id"], question["id"]);
    answer(&mut session, &again, &accept(json!({"name": "Ada"})));
    let told = rpc::tool_text(rpc::result(&session.answer(id)));
    assert_eq!(told, "Hello, Ada!");
}

#[test]
fn a_model_is_asked() {
    let mut session = opened(everything());
    let id = call(&mut session, "test_input_required_result_sampling");
    let question = request(&mut session, "sampling/createMessage");
    let said = question["params"]["messages"][0]["content"].to_string();
    assert!(said.contains("capital of France"), "{question}");
    answer(&mut session, &question, &sampled("Paris"));
    assert_eq!(rpc::tool_text(rpc::result(&session.answer(id))), "Paris");
}

#[test]
fn a_client_is_asked_for_its_roots() {
    let mut session = opened(everything());
    let id = call(&mut session, "test_input_required_result_list_roots");
    let question = request(&mut session, "roots/list");
    answer(&mut session, &question, &roots());
    let told = rpc::tool_text(rpc::result(&session.answer(id)));
    assert!(told.contains("2 roots"), "{told}");
    assert!(told.contains("file:///two"), "{told}");
}

/// In whatever order they are answered.
#[test]
fn several_questions_come_at_once() {
    let mut session = opened(everything());
    let id = call(&mut session, "test_input_required_result_multiple_inputs");
    let mut questions: Vec<_> = (0..3).map(|_| session.receive().unwrap()).collect();
    questions.sort_by_key(|one| one["method"].to_string());
    let methods: Vec<_> = questions.iter().map(|one| &one["method"]).collect();
    assert_eq!(
        methods,
        ["elicitation/create", "roots/list", "sampling/createMessage"]
    );
    answer(&mut session, &questions[2], &sampled("Good morning"));
    answer(&mut session, &questions[0], &accept(json!({"name": "Ada"})));
    answer(&mut session, &questions[1], &roots());
    let told = rpc::tool_text(rpc::result(&session.answer(id)));
    assert_eq!(told, "Good morning, Ada! There are 2 roots.");
}

#[test]
fn a_client_may_answer_with_an_error() {
    let mut session = opened(everything());
    let id = call(&mut session, NAME);
    let question = request(&mut session, "elicitation/create");
    refuse(&mut session, &question);
    let response = session.answer(id);
    assert!(
        response.to_string().contains("the person has gone home"),
        "{response}"
    );
    // The session goes on.
    assert_eq!(rpc::result(&session.ask("ping", Value::Null)), &json!({}));
}

#[test]
fn a_cancelled_call_is_not_heard_of_again() {
    let mut session = opened(everything());
    let id = call(&mut session, NAME);
    let question = request(&mut session, "elicitation/create");
    session.notify("notifications/cancelled", json!({ "requestId": id }));
    rpc::result(&session.ask("ping", Value::Null));
    // The person answers all the same.
    answer(&mut session, &question, &accept(json!({"name": "Ada"})));
    rpc::result(&session.ask("ping", Value::Null));
    let said = session.take_others();
    // At most that the question is not open any more.
    for one in &said {
        assert_eq!(one["method"], "notifications/cancelled", "{one}");
        assert_eq!(one["params"]["requestId"], question["id"], "{one}");
    }
    assert_eq!(session.finish().success().stdout, "");
}

#[test]
fn what_a_client_did_not_declare_it_is_not_asked() {
    let mut session = opened(json!({"sampling": {}}));
    let result = session.call(NAME, json!({}));
    let said = rpc::tool_error(&result);
    assert!(said.contains("elicitation"), "{said}");
    let told = session.call("test_missing_capability", json!({}));
    rpc::tool_text(&told);
    assert_eq!(session.take_others(), [] as [Value; 0]);
}

#[test]
fn a_prompt_may_ask_too() {
    let mut session = opened(everything());
    let params = json!({"name": "test_input_required_result_prompt"});
    let id = session.request("prompts/get", params);
    let question = request(&mut session, "elicitation/create");
    answer(
        &mut session,
        &question,
        &accept(json!({"context": "the sea"})),
    );
    let response = session.answer(id);
    let text = &rpc::result(&response)["messages"][0]["content"]["text"];
    assert_eq!(text, "Use the following context: the sea");
}

/// However many wait for answers: what the client sends is read, or none of
/// them would ever come.
#[test]
fn any_number_of_calls_may_ask_at_once() {
    const CALLS: usize = 600;
    let mut session = opened(everything());
    let ids: Vec<_> = (0..CALLS).map(|_| call(&mut session, NAME)).collect();
    let mut told = Vec::new();
    while told.len() < CALLS {
        let message = session.receive().unwrap();
        if message["method"] == "elicitation/create" {
            answer(&mut session, &message, &accept(json!({"name": "Ada"})));
        } else {
            assert_eq!(rpc::tool_text(rpc::result(&message)), "Hello, Ada!");
            told.push(message["id"].as_u64().unwrap());
        }
    }
    told.sort_unstable();
    assert_eq!(told, ids);
    assert_eq!(session.finish().success().stdout, "");
}

/// Nobody is left who could answer, and the call says so at once.
#[test]
fn the_end_of_the_input_ends_a_question() {
    let mut session = opened(everything());
    let id = call(&mut session, NAME);
    request(&mut session, "elicitation/create");
    let since = Instant::now();
    let finished = session.finish().success();
    assert!(since.elapsed() < Duration::from_secs(4), "{finished:?}");
    let [last] = &finished.json_lines()[..] else {
        panic!("{finished:?}");
    };
    assert_eq!(last["id"], id);
    let said = last["error"]["message"].as_str().unwrap();
    assert!(said.contains("can't answer"), "{said}");
}
