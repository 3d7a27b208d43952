//! A line that is no message gets the right JSON-RPC error, or none where
//! nobody waits for one, and does no harm to the lines around it.

use palisade_tests::{Palisade, Session, plugin, rpc};
use serde_json::{Value, json};

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;

fn opened() -> Session {
    let mut session = Palisade::run(plugin("hello")).start();
    session.initialize("2025-11-25");
    session
}

/// Sends a line, then a ping, and returns what came before the ping's answer.
#[track_caller]
fn reactions(session: &mut Session, line: &[u8]) -> Vec<Value> {
    session.send_bytes(line);
    session.send_bytes(b"\n");
    assert_eq!(rpc::result(&session.ask("ping", Value::Null)), &json!({}));
    session.take_others()
}

/// One error with this code and no id that could be taken for another's.
#[track_caller]
fn is_refused(session: &mut Session, line: impl AsRef<[u8]>, code: i64) {
    let line = line.as_ref();
    let shown = String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned();
    let reactions = reactions(session, line);
    let [refused] = &reactions[..] else {
        panic!("{shown} should be refused once, but: {reactions:?}");
    };
    assert_eq!(rpc::error_code(refused), code, "{shown}: {refused}");
    assert!(refused["id"].is_null(), "{shown}: {refused}");
}

#[track_caller]
fn is_refused_by_its_id(session: &mut Session, id: &Value, line: &str, code: i64) {
    let reactions = reactions(session, line.as_bytes());
    let [refused] = &reactions[..] else {
        panic!("{line} should be refused once, but: {reactions:?}");
    };
    assert_eq!(rpc::error_code(refused), code, "{line}: {refused}");
    assert_eq!(&refused["id"], id, "{line}: {refused}");
}

#[test]
fn what_is_not_json() {
    let mut session = opened();
    for line in [
        "{",
        "}",
        "hello",
        "Content-Length: 42",
        "{'jsonrpc': '2.0'}",
        r#"{"jsonrpc":"2.0","id":1,"method":"ping""#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"} {"jsonrpc":"2.0","id":2,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping",}"#,
        r#"{"jsonrpc":"2.0","id":01,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\ud800"}}"#,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\u{0}ng\"}",
        "\u{0}",
        "\u{1b}[2J",
    ] {
        is_refused(&mut session, line, PARSE_ERROR);
    }
}

#[test]
fn what_is_not_utf_8() {
    let mut session = opened();
    let lines: [&[u8]; 6] = [
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"x\":\"\xff\"}}",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xc3\"}",
        b"{\"jsonrpc\":\"2.0\",\"id\":\"\xed\xa0\x80\",\"method\":\"ping\"}",
        b"\xff\xfe\x00\x01",
        b"\x80",
        b"{\"\xc0\xaf\":1}",
    ];
    for line in lines {
        is_refused(&mut session, line, PARSE_ERROR);
    }
}

#[test]
fn what_is_json_but_no_object() {
    let mut session = opened();
    for line in [
        "3", "null", "true", "\"ping\"", "-0.0", "[]", "[1,2,3]", "[[[]]]", "{}",
    ] {
        is_refused(&mut session, line, INVALID_REQUEST);
    }
}

/// Batches are gone since 2025-06-18.
#[test]
fn a_batch_and_nothing_in_it_is_done() {
    let mut session = opened();
    let one = rpc::request(1001, "ping", Value::Null);
    let other = rpc::request(1002, "tools/list", Value::Null);
    for batch in [
        json!([one]),
        json!([one, other]),
        json!([rpc::notification("x", Value::Null)]),
    ] {
        is_refused(&mut session, batch.to_string(), INVALID_REQUEST);
    }
}

#[test]
fn an_id_that_is_none() {
    let mut session = opened();
    let with = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
    for id in [
        "null",
        "1.5",
        "-0.5",
        "true",
        "{}",
        "[]",
        "[1]",
        "{\"id\":1}",
        "99999999999999999999999999999999",
    ] {
        is_refused(&mut session, with(id), INVALID_REQUEST);
    }
    // A number no computer has: not JSON to some, and no id to others.
    let reactions = reactions(&mut session, with("1e400").as_bytes());
    assert_eq!(reactions.len(), 1, "{reactions:?}");
    let code = rpc::error_code(&reactions[0]);
    assert!([PARSE_ERROR, INVALID_REQUEST].contains(&code), "{code}");
}

#[test]
fn an_id_that_is_one_comes_back_as_it_was() {
    let mut session = opened();
    for id in [
        json!(0),
        json!(-1),
        json!(9_007_199_254_740_993_i64),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(""),
        json!("7"),
        json!("null"),
        json!("é中𝄞\n\u{0}\"\\"),
        json!("x".repeat(100_000)),
    ] {
        session.send(&rpc::request(id.clone(), "ping", Value::Null));
        rpc::result(&session.answer(id));
    }
    assert_eq!(session.take_others(), [] as [Value; 0]);
}

#[test]
fn a_request_that_is_not_quite_one_is_refused_by_its_id() {
    let mut session = opened();
    for line in [
        r#"{"id":1001,"method":"ping"}"#,
        r#"{"jsonrpc":"1.0","id":1001,"method":"ping"}"#,
        r#"{"jsonrpc":2.0,"id":1001,"method":"ping"}"#,
        r#"{"jsonrpc":null,"id":1001,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1001}"#,
        r#"{"jsonrpc":"2.0","id":1001,"method":7}"#,
        r#"{"jsonrpc":"2.0","id":1001,"method":null}"#,
        r#"{"jsonrpc":"2.0","id":1001,"method":["ping"]}"#,
    ] {
        is_refused_by_its_id(&mut session, &json!(1001), line, INVALID_REQUEST);
    }
}

/// MCP wants named parameters: JSON-RPC's lists are not for it.
#[test]
fn parameters_that_are_no_object() {
    let mut session = opened();
    for params in ["[]", "[1]", "7", "\"x\"", "true"] {
        let line =
            format!(r#"{{"jsonrpc":"2.0","id":1001,"method":"tools/call","params":{params}}}"#);
        let reactions = reactions(&mut session, line.as_bytes());
        assert_eq!(reactions.len(), 1, "{params}: {reactions:?}");
        assert_eq!(reactions[0]["id"], 1001);
        let code = rpc::error_code(&reactions[0]);
        assert!(
            [-32602, INVALID_REQUEST].contains(&code),
            "{params}: {reactions:?}"
        );
    }
}

#[test]
fn nobody_waits_for_an_answer_to_these() {
    let mut session = opened();
    for line in [
        r#"{"jsonrpc":"2.0","method":"notifications/unheard_of"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}"#,
        r#"{"jsonrpc":"2.0","method":"initialize"}"#,
        r#"{"jsonrpc":"2.0","id":1001,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1001,"result":[[]]}"#,
        r#"{"jsonrpc":"2.0","id":"x","error":{"code":-1,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","id":1001,"error":7}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}"#,
    ] {
        let reactions = reactions(&mut session, line.as_bytes());
        assert_eq!(reactions, [] as [Value; 0], "{line}");
    }
}

/// Whatever is made of it, it is one thing, once.
#[test]
fn a_key_that_is_there_twice() {
    let mut session = opened();
    for line in [
        r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1001,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1001,"id":1002,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1001,"id":null,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1001,"method":"ping","method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1001,"method":"ping","params":{},"params":{"a":1}}"#,
        r#"{"jsonrpc":"2.0","id":1001,"method":"tools/call","params":{"name":"x","name":"greet","arguments":{"name":"Ada"}}}"#,
        r#"{"jsonrpc":"2.0","id":1001,"method":"ping","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1001,"result":{},"error":{"code":1,"message":"x"}}"#,
    ] {
        let reactions = reactions(&mut session, line.as_bytes());
        assert!(reactions.len() <= 1, "{line}: {reactions:?}");
    }
}

#[test]
fn nesting_that_would_break_a_parser() {
    let mut session = opened();
    let deep = |open: &str, close: &str, depth: usize| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1001,"method":"tools/call","params":{{"name":"greet","arguments":{{"name":{}1{}}}}}}}"#,
            open.repeat(depth),
            close.repeat(depth)
        )
    };
    for line in [
        deep("[", "]", 1_000_000),
        deep(r#"{"a":"#, "}", 1_000_000),
        "[".repeat(10_000_000),
        r#"{"a":"#.repeat(1_000_000),
        deep("[", "]", 500),
    ] {
        let reactions = reactions(&mut session, line.as_bytes());
        assert_eq!(reactions.len(), 1, "{reactions:?}");
        let code = rpc::error_code(&reactions[0]);
        assert!(
            [PARSE_ERROR, INVALID_REQUEST].contains(&code),
            "{reactions:?}"
        );
    }
    // Nobody nests like this, but it is not too much: the schema decides.
    let reactions = reactions(&mut session, deep("[", "]", 50).as_bytes());
    rpc::tool_error(rpc::result(&reactions[0]));
}

#[test]
fn an_id_of_a_request_that_still_runs() {
    let mut session = Palisade::run(palisade_tests::guest("sleeps")).start();
    session.initialize("2025-11-25");
    let nap = |ms: u64| rpc::request(1001, "tools/call", rpc::tool("nap", json!({"ms": ms})));
    session.send(&nap(500));
    session.send(&nap(1));
    let refused = session.answer(1001);
    assert_eq!(rpc::error_code(&refused), INVALID_REQUEST, "{refused}");
    let answered = session.answer(1001);
    assert_eq!(rpc::tool_text(rpc::result(&answered)), "slept");
    // Now it is free again.
    session.send(&nap(1));
    assert_eq!(rpc::tool_text(rpc::result(&session.answer(1001))), "slept");
    assert_eq!(session.finish().success().stdout, "");
}

#[test]
fn noise() {
    let mut session = opened();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut noise = Vec::with_capacity(1 << 20);
    while noise.len() < 1 << 20 {
        // xorshift64: the same noise in every run.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        noise.extend_from_slice(&state.to_le_bytes());
    }
    for reaction in reactions(&mut session, &noise) {
        rpc::error_code(&reaction);
        assert!(reaction["id"].is_null(), "{reaction}");
    }
    assert_eq!(session.finish().success().stdout, "");
}
