//! Whatever stands between them, and however the stream is cut, every valid
//! request is answered exactly once.

use std::collections::BTreeMap;

use palisade_tests::{Palisade, plugin, rpc};
use proptest::prelude::*;
use serde_json::{Value, json};

/// What a line of a stream is.
#[derive(Debug, Clone)]
enum Piece {
    Valid {
        kind: usize,
        text_id: bool,
        crlf: bool,
    },
    Hostile(Vec<u8>),
}

fn valid(kind: usize, id: Value) -> Value {
    let greet = rpc::tool("greet", json!({"name": "é中𝄞"}));
    let (method, params) = match kind {
        0 => ("ping", Value::Null),
        1 => ("tools/list", json!({})),
        2 => ("tools/call", greet),
        3 => ("tools/list", rpc::stateless(Value::Null)),
        _ => ("server/discover", rpc::stateless(Value::Null)),
    };
    rpc::request(id, method, params)
}

/// Near misses, and things editors and broken clients send.
const NEAR_MISSES: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/unheard_of","params":{"a":1}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nobody"}}"#,
    r#"{"jsonrpc":"2.0","id":"nobody","result":{}}"#,
    r#"{"jsonrpc":"2.0","id":"nobody","error":{"code":1,"message":"x"}}"#,
    r#"{"jsonrpc":"2.0","id":null,"id":null}"#,
    r#"[{"jsonrpc":"2.0","id":"nobody","method":"ping"}]"#,
    r#"{"jsonrpc":"2.0","id":"nobody","method":"ping""#,
    "",
    " \t\r",
    "\u{feff}",
    "\"",
    "{\"a\":\"\\",
];

/// Lines that are no valid request: near misses, JSON of other kinds, noise.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => prop::sample::select(NEAR_MISSES).prop_map(|line| line.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..200),
        1 => "[\\[\\]{}\":,0-9a-z ]{0,60}".prop_map(String::into_bytes),
        1 => (1usize..3000).prop_map(|depth| b"[".repeat(depth)),
        1 => (1usize..200_000).prop_map(|length| vec![b'x'; length]),
    ]
    .prop_map(|mut line| {
        // It is to be one line, and not to be a request by chance.
        line.retain(|byte| *byte != b'\n');
        line
    })
}

fn pieces() -> impl Strategy<Value = Vec<Piece>> {
    let piece = prop_oneof![
        (0usize..5, any::<bool>(), any::<bool>()).prop_map(|(kind, text_id, crlf)| Piece::Valid {
            kind,
            text_id,
            crlf
        }),
        hostile().prop_map(Piece::Hostile),
    ];
    prop::collection::vec(piece, 1..25)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 40,
        max_shrink_iters: 60,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn valid_requests_are_answered_once_each(
        pieces in pieces(),
        sizes in prop::collection::vec(1usize..400, 1..8),
    ) {
        let mut stream = Vec::new();
        let mut open = BTreeMap::new();
        for (number, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Valid { kind, text_id, crlf } => {
                    let id = match text_id {
                        true => json!(format!("id {number}")),
                        false => json!(number + 1000),
                    };
                    stream.extend_from_slice(valid(*kind, id.clone()).to_string().as_bytes());
                    stream.extend_from_slice(if *crlf { b"\r" } else { b"" });
                    open.insert(id.to_string(), *kind);
                }
                Piece::Hostile(line) => stream.extend_from_slice(line),
            }
            stream.push(b'\n');
        }

        let mut session = Palisade::run(plugin("hello")).start();
        session.initialize("2025-11-25");
        let mut rest = &stream[..];
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            // A long line in pieces of a few bytes would take all day.
            let size = if rest.len() > 20_000 { size * 100 } else { *size };
            let (piece, left) = rest.split_at(size.min(rest.len()));
            session.send_bytes(piece);
            rest = left;
        }
        let finished = session.finish();
        prop_assert_eq!(finished.code, Some(0), "{:?}", finished);
        for answer in finished.json_lines() {
            let id = &answer["id"];
            if id.is_null() || id == "nobody" {
                prop_assert!(answer.get("error").is_some(), "{answer}");
                continue;
            }
            let kind = open.remove(&id.to_string());
            prop_assert!(kind.is_some(), "nobody asked, or it is the second answer: {answer}");
            prop_assert!(answer.get("result").is_some(), "it was valid: {answer}");
            let stateless = answer["result"].get("resultType").is_some();
            prop_assert_eq!(stateless, kind >= Some(3), "{}", answer);
        }
        prop_assert!(open.is_empty(), "not answered: {open:?}");
    }
}
