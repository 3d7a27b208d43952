//! Whole numbers that a double can't hold go through unchanged.

use palisade_tests::{Palisade, Session, guest, plugin, rpc};
use serde_json::{Value, json};

/// As they are written.
const LARGE: [&str; 6] = [
    "9007199254740993",
    "-9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551615",
];

fn session(of: &Palisade) -> Session {
    let mut session = of.start();
    session.initialize("2025-11-25");
    session
}

fn number(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn in_arguments() {
    let mut session = session(&Palisade::run(plugin("everything")));
    for text in LARGE {
        let large = json!({"n": number(text), "all": [{"m": number(text)}]});
        let arguments = json!({"phone": "1", "contactMethod": "phone", "address": large});
        let told = rpc::tool_text(&session.call("json_schema_2020_12_tool", arguments));
        let (_, told) = told.split_once(": ").unwrap();
        let told: Value = serde_json::from_str(told).unwrap();
        assert_eq!(told["address"], large, "{text}");
    }
}

#[test]
fn in_what_a_guest_says() {
    let mut session = session(&Palisade::run(guest("broken-json")));
    for text in LARGE {
        let object = format!(r#"{{"n":{text},"all":[[{text}]]}}"#);
        let sent = number(&object);
        let arguments = json!({ "text": object });
        let result = session.call("structured", arguments.clone());
        assert_eq!(result["structuredContent"], sent, "{text}");
        assert!(rpc::text(&result).contains(text), "{result}");
        let result = session.call("meta", arguments.clone());
        assert_eq!(result["_meta"], sent, "{text}");
        let result = session.call("block_meta", arguments.clone());
        assert_eq!(result["content"][0]["_meta"], sent, "{text}");
        session.take_others();
        session.call("log", arguments);
        let logged = session.take_others();
        assert_eq!(logged.len(), 1, "{logged:?}");
        assert_eq!(logged[0]["params"]["data"], sent, "{text}");
    }
}

/// What no computer can hold is no number.
#[test]
fn what_is_infinite_is_refused() {
    let mut session = session(&Palisade::run(guest("broken-json")));
    let call = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"meta","arguments":{"text":1e400}}}"#;
    session.send_bytes(format!("{call}\n").as_bytes());
    assert_eq!(rpc::error_code(&session.receive().unwrap()), -32700);
    for tool in ["structured", "meta", "block_meta"] {
        let result = session.call(tool, json!({"text": r#"{"n":1e400}"#}));
        assert!(
            rpc::tool_error(&result).contains("not valid JSON"),
            "{tool}: {result}"
        );
    }
}
