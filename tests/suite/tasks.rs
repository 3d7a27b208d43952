//! Calls that outlive their request: `io.modelcontextprotocol/tasks`.

use std::time::{Duration, Instant};

use palisade_tests::{Palisade, Session, plugin, rpc};
use serde_json::{Value, json};

const EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// A guest is stopped within 50 ms; a machine busy with other tests needs
/// longer to show it.
const AT_ONCE: Duration = Duration::from_secs(1);

/// JSON-RPC codes.
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const INTERNAL: i64 = -32603;
const MISSING_CAPABILITY: i64 = -32021;

/// `params` as a client sends them that can follow tasks and answer forms.
pub(crate) fn following(params: Value) -> Value {
    let mut params = rpc::stateless(params);
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        json!({"elicitation": {}, "extensions": {EXTENSION: {}}});
    params
}

fn start() -> Session {
    Palisade::run(plugin("everything")).start()
}

#[track_caller]
fn ask(session: &mut Session, method: &str, params: Value) -> Value {
    session.ask(method, following(params))
}

#[track_caller]
fn call(session: &mut Session, tool: &str, arguments: Value) -> Value {
    let response = ask(session, "tools/call", rpc::tool(tool, arguments));
    rpc::result(&response).clone()
}

/// Calls a tool that becomes a task, and returns its id.
#[track_caller]
fn begin(session: &mut Session, tool: &str, arguments: Value) -> String {
    let task = call(session, tool, arguments);
    assert_eq!(task["resultType"], "task", "{task}");
    task["taskId"].as_str().unwrap().to_owned()
}

#[track_caller]
fn get(session: &mut Session, id: &str) -> Value {
    let response = ask(session, "tasks/get", json!({"taskId": id}));
    rpc::result(&response).clone()
}

/// Asks until the task is of this status.
#[track_caller]
fn until(session: &mut Session, id: &str, status: &str) -> Value {
    let began = Instant::now();
    loop {
        let task = get(session, id);
        if task["status"] == status {
            return task;
        }
        let over = ["completed", "failed", "cancelled"].contains(&task["status"].as_str().unwrap());
        assert!(!over, "it should have become {status}: {task}");
        assert!(began.elapsed() < palisade_tests::PATIENCE, "{task}");
        // A client has no other way than to ask again.
        session.stays_quiet(Duration::from_millis(20));
    }
}

/// Sends answers, and sees that the acknowledgement says nothing else.
#[track_caller]
fn update(session: &mut Session, id: &str, responses: Value) {
    let params = json!({"taskId": id, "inputResponses": responses});
    let ack = ask(session, "tasks/update", params);
    assert_eq!(*rpc::result(&ack), json!({"resultType": "complete"}));
}

#[track_caller]
fn cancel(session: &mut Session, id: &str) {
    let ack = ask(session, "tasks/cancel", json!({"taskId": id}));
    assert_eq!(*rpc::result(&ack), json!({"resultType": "complete"}));
}

fn open_keys(task: &Value) -> Vec<&str> {
    let open = task["inputRequests"].as_object();
    open.unwrap_or_else(|| panic!("it asks nothing: {task}"))
        .keys()
        .map(String::as_str)
        .collect()
}

fn accept(content: &Value) -> Value {
    json!({"action": "accept", "content": content})
}

#[test]
fn only_a_plugin_that_has_tasks_offers_them_and_only_to_stateless_clients() {
    let mut session = start();
    let seen = ask(&mut session, "server/discover", json!({}));
    let capabilities = &rpc::result(&seen)["capabilities"];
    assert_eq!(capabilities["extensions"], json!({EXTENSION: {}}), "{seen}");
    let hello = session.initialize("2025-11-25");
    assert_eq!(hello["capabilities"]["extensions"], Value::Null, "{hello}");
    assert_eq!(hello["capabilities"]["tasks"], Value::Null, "{hello}");
    let get = session.ask("tasks/get", json!({"taskId": "x"}));
    assert_eq!(rpc::error_code(&get), METHOD_NOT_FOUND);
    // A tool that must run as a task has no other way with such a client.
    let legacy = session.call("failing_job", json!({}));
    assert!(rpc::tool_error(&legacy).contains("the job failed"));

    let mut session = Palisade::run(plugin("hello")).start();
    let seen = ask(&mut session, "server/discover", json!({}));
    assert_eq!(
        rpc::result(&seen)["capabilities"]["extensions"],
        Value::Null
    );
    for params in [json!({"taskId": "x"}), json!({})] {
        let response = ask(&mut session, "tasks/get", params);
        assert_eq!(rpc::error_code(&response), METHOD_NOT_FOUND);
    }
}

#[test]
fn a_task_is_there_at_once_and_keeps_what_it_came_to() {
    let mut session = start();
    let made = call(
        &mut session,
        "slow_compute",
        json!({"seconds": 0.2, "label": "x"}),
    );
    assert_eq!(made["resultType"], "task", "{made}");
    assert_eq!(made["status"], "working");
    assert_eq!(made["ttlMs"], 3_600_000);
    assert!(made["pollIntervalMs"].as_u64().unwrap() > 0);
    for absent in ["task", "requestState", "inputRequests", "result", "ttl"] {
        assert_eq!(made[absent], Value::Null, "{made}");
    }
    let id = made["taskId"].as_str().unwrap();
    assert!(id.len() >= 32, "{id} can be guessed");
    assert_eq!(get(&mut session, id)["createdAt"], made["createdAt"]);
    let done = until(&mut session, id, "completed");
    assert_eq!(done["resultType"], "complete");
    assert_eq!(
        done["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "everything"
    );
    assert!(rpc::tool_text(&done["result"]).starts_with("x: done"));
    assert_eq!(until(&mut session, id, "completed"), done);
    // It is too late for that, and nothing changes.
    cancel(&mut session, id);
    assert_eq!(get(&mut session, id), done);
}

#[test]
fn a_tool_without_tasks_answers_at_once_whatever_is_asked_for() {
    let mut session = start();
    let mut params = rpc::tool("greet", json!({"name": "Ada"}));
    params["task"] = json!({"ttl": 60_000});
    let response = ask(&mut session, "tools/call", params);
    let result = rpc::result(&response);
    assert_eq!(result["resultType"], "complete");
    assert_eq!(rpc::tool_text(result), "Hello, Ada!");
}

#[test]
fn a_failed_tool_completes_and_a_broken_one_fails() {
    let mut session = start();
    let failing = begin(&mut session, "failing_job", json!({}));
    let broken = begin(&mut session, "protocol_error_job", json!({}));
    let done = until(&mut session, &failing, "completed");
    assert!(rpc::tool_error(&done["result"]).contains("the job failed"));
    let done = until(&mut session, &broken, "failed");
    assert_eq!(done["error"]["code"], INTERNAL, "{done}");
    assert_eq!(done["result"], Value::Null);
}

#[test]
fn a_client_that_cannot_follow_gets_its_result_or_is_told() {
    let mut session = start();
    let optional = rpc::tool("slow_compute", json!({"seconds": 0}));
    let response = session.ask("tools/call", rpc::stateless(optional));
    assert_eq!(rpc::result(&response)["resultType"], "complete");
    let required = rpc::tool("failing_job", json!({}));
    let of_tasks = json!({"taskId": "x"});
    for (method, params) in [
        ("tools/call", required),
        ("tasks/get", of_tasks.clone()),
        ("tasks/cancel", of_tasks),
    ] {
        let response = session.ask(method, rpc::stateless(params));
        assert_eq!(rpc::error_code(&response), MISSING_CAPABILITY);
        let needed = &response["error"]["data"]["requiredCapabilities"];
        assert_eq!(*needed, json!({"extensions": {EXTENSION: {}}}));
    }
}

#[test]
fn what_is_not_there_can_not_be_used() {
    let mut session = start();
    for (method, params) in [
        ("tasks/get", json!({"taskId": "x"})),
        ("tasks/cancel", json!({"taskId": "x"})),
        ("tasks/update", json!({"taskId": "x", "inputResponses": {}})),
        ("tasks/get", json!({})),
        ("tasks/update", json!({"taskId": "x"})),
    ] {
        let response = ask(&mut session, method, params);
        assert_eq!(rpc::error_code(&response), INVALID_PARAMS, "{method}");
    }
    for method in ["tasks/list", "tasks/result"] {
        let response = ask(&mut session, method, json!({"taskId": "x"}));
        assert_eq!(rpc::error_code(&response), METHOD_NOT_FOUND, "{method}");
    }
}

#[test]
fn a_cancelled_task_stops() {
    let mut session = start();
    // Longer than a test is waited for: only being stopped ends it in time.
    let ids: Vec<_> = (0..20)
        .map(|_| begin(&mut session, "slow_compute", json!({"seconds": 3600})))
        .collect();
    let since = Instant::now();
    for id in &ids {
        cancel(&mut session, id);
        assert_eq!(get(&mut session, id)["status"], "cancelled");
    }
    // More than the places there are were taken: this needs one of them.
    let next = begin(&mut session, "slow_compute", json!({"seconds": 0}));
    until(&mut session, &next, "completed");
    assert!(since.elapsed() < AT_ONCE, "{:?}", since.elapsed());
    for id in &ids {
        let task = get(&mut session, id);
        assert_eq!(task["status"], "cancelled");
        assert_eq!(task["result"], Value::Null);
        cancel(&mut session, id);
    }
    let before = session.process.cpu_time();
    session.stays_quiet(Duration::from_millis(300));
    let used = session.process.cpu_time() - before;
    assert!(
        used <= Duration::from_millis(50),
        "it still computes: {used:?}"
    );
}

#[test]
fn a_question_is_asked_in_the_task() {
    let mut session = start();
    let arguments = json!({"filename": "a.txt"});
    let id = begin(&mut session, "confirm_delete", arguments.clone());
    let asks = until(&mut session, &id, "input_required");
    assert_eq!(open_keys(&asks), ["confirm"]);
    assert_eq!(
        asks["inputRequests"]["confirm"]["method"],
        "elicitation/create"
    );
    // Neither of these is an answer to it.
    update(
        &mut session,
        &id,
        json!({"other": accept(&json!({"confirm": true}))}),
    );
    update(
        &mut session,
        &id,
        json!({"confirm": accept(&json!({"confirm": "yes"}))}),
    );
    assert_eq!(open_keys(&get(&mut session, &id)), ["confirm"]);
    update(
        &mut session,
        &id,
        json!({"confirm": accept(&json!({"confirm": true}))}),
    );
    let done = until(&mut session, &id, "completed");
    assert!(rpc::tool_text(&done["result"]).starts_with("Deleted a.txt"));

    let id = begin(&mut session, "confirm_delete", arguments);
    until(&mut session, &id, "input_required");
    cancel(&mut session, &id);
    let over = get(&mut session, &id);
    assert_eq!(over["status"], "cancelled");
    assert_eq!(over["inputRequests"], Value::Null);
    update(
        &mut session,
        &id,
        json!({"confirm": accept(&json!({"confirm": true}))}),
    );
    assert_eq!(get(&mut session, &id), over);
}

#[test]
fn two_questions_may_be_answered_one_at_a_time() {
    let mut session = start();
    let id = begin(&mut session, "multi_input", json!({}));
    let asks = until(&mut session, &id, "input_required");
    assert_eq!(open_keys(&asks), ["confirm", "name"]);
    update(
        &mut session,
        &id,
        json!({"name": accept(&json!({"name": "Ada"}))}),
    );
    let asks = get(&mut session, &id);
    assert_eq!(asks["status"], "input_required");
    assert_eq!(open_keys(&asks), ["confirm"]);
    update(
        &mut session,
        &id,
        json!({"confirm": accept(&json!({"confirm": true}))}),
    );
    let done = until(&mut session, &id, "completed");
    assert_eq!(rpc::tool_text(&done["result"]), "Ada: true");
}

#[test]
fn answers_can_not_fill_the_memory() {
    let mut session = start();
    let id = begin(&mut session, "multi_input", json!({}));
    until(&mut session, &id, "input_required");
    let long = json!({"name": accept(&json!({"name": "x".repeat(2 << 20)}))});
    let params = json!({"taskId": id, "inputResponses": long});
    let refused = ask(&mut session, "tasks/update", params);
    assert_eq!(rpc::error_code(&refused), INVALID_PARAMS);
    assert_eq!(open_keys(&get(&mut session, &id)).len(), 2);
}

#[test]
fn a_tool_that_must_be_a_task_asks_first_and_the_retry_is_the_task() {
    let mut session = start();
    let asks = call(&mut session, "test_tool_with_task", json!({}));
    assert_eq!(asks["resultType"], "input_required", "{asks}");
    assert_eq!(asks["taskId"], Value::Null);
    let mut retry = rpc::tool("test_tool_with_task", json!({}));
    retry["inputResponses"] = json!({"user_name": accept(&json!({"name": "Alice"}))});
    retry["requestState"] = asks["requestState"].clone();
    let response = ask(&mut session, "tools/call", retry.clone());
    let task = rpc::result(&response);
    assert_eq!(task["resultType"], "task", "{task}");
    assert_eq!(task["requestState"], Value::Null);
    let done = until(&mut session, task["taskId"].as_str().unwrap(), "completed");
    assert!(rpc::tool_text(&done["result"]).contains("Alice"));
    retry["requestState"] = json!("made up");
    let refused = ask(&mut session, "tools/call", retry);
    assert_eq!(rpc::error_code(&refused), INVALID_PARAMS);
}

#[test]
fn there_are_only_so_many() {
    let mut session = start();
    let arguments = json!({"filename": "a.txt"});
    let mut made = Vec::new();
    let refused = loop {
        let result = call(&mut session, "confirm_delete", arguments.clone());
        if result["resultType"] != "task" {
            break result;
        }
        // Parked, so that they do not wait for each other's places.
        let id = result["taskId"].as_str().unwrap().to_owned();
        until(&mut session, &id, "input_required");
        made.push(id);
        assert!(made.len() <= 1000, "there is no bound");
    };
    assert!(made.len() >= 100, "only {}", made.len());
    // It is served all the same, if that can be.
    assert_eq!(refused["resultType"], "input_required", "{refused}");
    let response = ask(
        &mut session,
        "tools/call",
        rpc::tool("failing_job", json!({})),
    );
    assert_eq!(rpc::error_code(&response), INTERNAL);
    // None of them had to go for another.
    assert_eq!(get(&mut session, &made[0])["status"], "input_required");
}

#[test]
fn the_end_of_the_session_ends_its_tasks() {
    let mut session = start();
    begin(&mut session, "slow_compute", json!({"seconds": 3600}));
    let parked = begin(&mut session, "multi_input", json!({}));
    until(&mut session, &parked, "input_required");
    let since = Instant::now();
    let finished = session.finish().success();
    assert_eq!(finished.stdout, "");
    assert!(
        since.elapsed() < Duration::from_secs(4),
        "{:?}",
        since.elapsed()
    );
}
