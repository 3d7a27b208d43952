//! A result that is larger than its limit is cut where the client sees it, and
//! the whole of it can be read. The guest `returns-much` has such results.

use palisade_tests::stage::{MIB, limited};
use palisade_tests::{Palisade, Session, guest, rpc};
use serde_json::{Value, json};

/// What a note and a link may add to the limit.
const NOTES: usize = 1024;

/// A session whose limit is 1 KiB.
fn session() -> Session {
    limited("returns-much", "output = \"1 KiB\"")
}

/// The address in a result's last block, which must be a link.
#[track_caller]
fn link(result: &Value) -> String {
    let blocks = result["content"].as_array().unwrap();
    let last = blocks.last().unwrap();
    assert_eq!(last["type"], "resource_link", "{last}");
    let uri = last["uri"].as_str().unwrap();
    let id = uri.strip_prefix("palisade-result://").unwrap();
    assert_eq!(id.len(), 32, "{uri}");
    uri.to_owned()
}

/// What is read at an address.
#[track_caller]
fn read(session: &mut Session, uri: &str) -> Vec<Value> {
    let response = session.ask("resources/read", json!({ "uri": uri }));
    let contents = rpc::result(&response)["contents"].as_array().unwrap();
    for one in contents {
        assert_eq!(one["uri"], uri, "{one}");
    }
    contents.clone()
}

/// The text of the only piece that is read at an address.
#[track_caller]
fn read_text(session: &mut Session, uri: &str) -> String {
    let contents = read(session, uri);
    let [only] = &contents[..] else {
        panic!("{} pieces", contents.len());
    };
    only["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_text_is_cut_and_can_be_read_whole() {
    let mut session = session();
    let result = session.call("text", json!({"bytes": 5000}));
    assert_ne!(result["isError"], true, "{result}");
    let uri = link(&result);
    let text = result["content"][0]["text"].as_str().unwrap();
    let note = format!("\n[cut: 1024 of 5000 bytes shown; read the rest at {uri}]");
    assert_eq!(text, format!("{}{note}", "x".repeat(1024)));
    assert_eq!(result["content"].as_array().unwrap().len(), 2);
    assert_eq!(result["content"][1]["size"], 5000);
    // As often as it is wanted.
    for _ in 0..2 {
        assert_eq!(read_text(&mut session, &uri), "x".repeat(5000));
    }
    assert_eq!(session.finish().success().stdout, "");
}

/// Up to the ceiling, eight times the limit; beyond it the call fails.
#[test]
fn not_beyond_the_ceiling() {
    let mut session = session();
    let result = session.call("text", json!({"bytes": 8 * 1024}));
    let uri = link(&result);
    assert_eq!(read_text(&mut session, &uri).len(), 8 * 1024);
    let result = session.call("text", json!({"bytes": 8 * 1024 + 1}));
    assert!(
        rpc::tool_error(&result).contains("limit of output"),
        "{result}"
    );
}

#[test]
fn a_failure_is_cut_and_stays_one() {
    let mut session = session();
    let result = session.call("failure", json!({"bytes": 5000}));
    assert_eq!(result["isError"], true);
    let uri = link(&result);
    assert!(
        rpc::text(&result).contains("of 5000 bytes shown"),
        "{result}"
    );
    assert_eq!(read_text(&mut session, &uri), "x".repeat(5000));
}

#[test]
fn what_steers_a_terminal_is_not_in_the_rest_either() {
    let mut session = session();
    let result = session.call("controls", json!({"bytes": 2000}));
    let uri = link(&result);
    let shown = rpc::text(&result);
    assert!(!shown.contains('\u{1}'));
    assert!(shown.contains("[cut: 1023 of 6000 bytes shown"), "{shown}");
    assert_eq!(read_text(&mut session, &uri), "\u{fffd}".repeat(2000));
}

#[test]
fn what_is_no_text_becomes_a_link() {
    let mut session = session();
    let result = session.call("blob", json!({"bytes": 3000}));
    let uri = link(&result);
    assert!(rpc::tool_text(&result).contains("left out"), "{result}");
    assert!(result.to_string().len() < 1024 + NOTES, "{result}");
    let contents = read(&mut session, &uri);
    assert_eq!(contents.len(), 1);
    assert_eq!(contents[0]["mimeType"], "image/png");
    assert_eq!(contents[0]["blob"].as_str().unwrap().len(), 4000);

    let result = session.call("long_title", json!({"bytes": 3000}));
    let uri = link(&result);
    assert!(read_text(&mut session, &uri).contains("a:b"));
}

#[test]
fn structured_content_is_left_out_whole() {
    let mut session = session();
    let result = session.call("structured", json!({"bytes": 3000}));
    assert!(result.get("structuredContent").is_none(), "{result}");
    assert!(
        rpc::tool_text(&result).contains("structuredContent left out"),
        "{result}"
    );
    let uri = link(&result);
    let whole: Value = serde_json::from_str(&read_text(&mut session, &uri)).unwrap();
    assert_eq!(whole, "x".repeat(3000));
}

/// Clients take a success without what its schema demands for broken.
#[test]
fn where_a_schema_demands_it_the_call_failed() {
    let mut session = limited("broken-json", "output = \"1 KiB\"");
    let object = format!(r#"{{"n":1,"more":"{}"}}"#, "y".repeat(3000));
    let result = session.call("against_schema", json!({ "text": object }));
    assert!(result.get("structuredContent").is_none(), "{result}");
    assert!(rpc::tool_error(&result).contains("structuredContent left out"));
    let uri = link(&result);
    assert!(read_text(&mut session, &uri).contains("yyy"));
}

#[test]
fn many_pieces_have_one_link() {
    let mut session = session();
    let result = session.call("aliased", json!({"count": 7, "bytes": 1000}));
    assert!(result.to_string().len() < 2 * 1024, "{result}");
    let uri = link(&result);
    let contents = read(&mut session, &uri);
    assert_eq!(contents.len(), 6);
    assert!(
        contents
            .iter()
            .all(|one| one["text"].as_str().unwrap().len() == 1000)
    );
}

#[test]
fn an_older_client_gets_the_link_as_text() {
    for version in ["2024-11-05", "2025-03-26"] {
        let mut session = Palisade::run(guest("returns-much")).start();
        session.initialize(version);
        let result = session.call("text", json!({"bytes": 5 * MIB}));
        let blocks = result["content"].as_array().unwrap();
        assert!(
            blocks.iter().all(|block| block["type"] == "text"),
            "{version}"
        );
        let last = blocks.last().unwrap()["text"].as_str().unwrap();
        let (_, uri) = last.split_once('<').unwrap();
        let uri = uri.trim_end_matches('>').to_owned();
        assert_eq!(read_text(&mut session, &uri).len() as u64, 5 * MIB);
    }
}

#[test]
fn nobody_else_reads_it() {
    let mut one = session();
    let uri = link(&one.call("text", json!({"bytes": 5000})));
    let mut other = session();
    for session in [&mut one, &mut other] {
        for wrong in [
            "palisade-result://".to_owned(),
            format!("palisade-result://{}", "0".repeat(32)),
            format!("{uri}0"),
        ] {
            let response = session.ask("resources/read", json!({ "uri": wrong }));
            assert_eq!(rpc::error_code(&response), -32002, "{wrong}");
            assert_eq!(response["error"]["data"]["uri"], wrong);
        }
    }
    let response = other.ask("resources/read", json!({ "uri": uri }));
    assert_eq!(rpc::error_code(&response), -32002);
    // Nor is a session's for those who have none.
    let read = rpc::stateless(json!({ "uri": uri }));
    assert_eq!(rpc::error_code(&one.ask("resources/read", read)), -32602);
    assert_eq!(read_text(&mut one, &uri).len(), 5000);
}

#[test]
fn the_oldest_goes_first() {
    let mut session = session();
    let uris: Vec<_> = (0..33)
        .map(|n| link(&session.call("text", json!({"bytes": 5000 + n}))))
        .collect();
    let response = session.ask("resources/read", json!({ "uri": uris[0] }));
    assert_eq!(rpc::error_code(&response), -32002);
    assert!(
        response["error"]["message"]
            .as_str()
            .unwrap()
            .contains("not kept")
    );
    for (n, uri) in uris.iter().enumerate().skip(1) {
        assert_eq!(read_text(&mut session, uri).len(), 5000 + n);
    }
}

#[test]
fn a_client_without_a_session_reads_it_too() {
    let mut session = Palisade::run(guest("returns-much")).start();
    let call = rpc::stateless(rpc::tool("text", json!({"bytes": 5 * MIB})));
    let response = session.ask("tools/call", call);
    let uri = link(rpc::result(&response));
    let read = rpc::stateless(json!({ "uri": uri }));
    let response = session.ask("resources/read", read);
    let result = rpc::result(&response);
    let text = result["contents"][0]["text"].as_str().unwrap();
    assert_eq!(text.len() as u64, 5 * MIB);
}
