//! A call reports how far it is to a client that asked for it.

use palisade_tests::{Palisade, Session, guest, rpc};
use serde_json::{Value, json};

const STEPS: usize = 50;

fn chatty() -> Session {
    let mut session = Palisade::run(guest("chatty")).start();
    session.initialize("2025-11-25");
    session
}

fn call(token: &Value) -> Value {
    let mut params = rpc::tool("progress", json!({"steps": STEPS}));
    if !token.is_null() {
        params["_meta"]["progressToken"] = token.clone();
    }
    params
}

/// What came before the answer, all of which must be progress.
#[track_caller]
fn reports(session: &mut Session, params: Value) -> Vec<Value> {
    let response = session.ask("tools/call", params);
    rpc::tool_text(rpc::result(&response));
    let reports = session.take_others();
    // Whatever is still on its way would come before this.
    rpc::result(&session.ask("tools/list", rpc::stateless(Value::Null)));
    assert_eq!(session.take_others(), [] as [Value; 0], "after the result");
    for report in &reports {
        assert_eq!(report["method"], "notifications/progress", "{report}");
    }
    reports
        .into_iter()
        .map(|mut report| report["params"].take())
        .collect()
}

#[track_caller]
fn is_whole(reports: &[Value], token: &Value) {
    assert_eq!(reports.len(), STEPS);
    for (step, report) in (1..).zip(reports) {
        assert_eq!(&report["progressToken"], token, "{report}");
        assert_eq!(
            report["progress"].as_f64(),
            Some(f64::from(step)),
            "{report}"
        );
        assert_eq!(report["total"].as_f64(), Some(STEPS as f64), "{report}");
        assert_eq!(report["message"], format!("step {step}"), "{report}");
    }
}

#[test]
fn every_step_comes_before_the_result_with_the_clients_own_token() {
    let mut session = chatty();
    for token in [json!("a token"), json!(7), json!(0), json!("7"), json!("")] {
        is_whole(&reports(&mut session, call(&token)), &token);
        is_whole(&reports(&mut session, rpc::stateless(call(&token))), &token);
    }
}

#[test]
fn nothing_comes_to_a_client_that_did_not_ask() {
    let mut session = chatty();
    assert_eq!(reports(&mut session, call(&Value::Null)), [] as [Value; 0]);
    let stateless = rpc::stateless(call(&Value::Null));
    assert_eq!(reports(&mut session, stateless), [] as [Value; 0]);
}

/// MCP wants it to rise; what a guest says beyond that is dropped.
#[test]
fn it_never_falls_or_stands_still() {
    let mut session = chatty();
    let mut params = rpc::tool("backwards", json!({}));
    params["_meta"]["progressToken"] = json!("t");
    let reports = reports(&mut session, params);
    let progress: Vec<_> = reports
        .iter()
        .map(|report| report["progress"].as_f64())
        .collect();
    assert_eq!(progress, [Some(10.0), Some(20.0), Some(30.0)]);
}

#[test]
fn two_calls_at_once_keep_their_tokens_apart() {
    let mut session = chatty();
    let ids = ["one", "two"].map(|token| session.request("tools/call", call(&json!(token))));
    for id in ids {
        rpc::result(&session.answer(id));
    }
    let others = session.take_others();
    for token in ["one", "two"] {
        let own: Vec<_> = others
            .iter()
            .map(|report| report["params"].clone())
            .filter(|params| params["progressToken"] == token)
            .collect();
        is_whole(&own, &json!(token));
    }
    assert_eq!(others.len(), 2 * STEPS);
}

#[test]
fn an_unusable_token_is_refused_or_ignored() {
    let mut session = chatty();
    for token in [json!(1.5), json!(true), json!([]), json!({"a": 1})] {
        let response = session.ask("tools/call", call(&token));
        if response.get("error").is_some() {
            assert_eq!(rpc::error_code(&response), -32602, "{token}");
        }
        assert_eq!(session.take_others(), [] as [Value; 0], "{token}");
    }
}
