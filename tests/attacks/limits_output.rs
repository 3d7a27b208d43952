//! A call's result holds as much as `output` says, and what is more up to eight
//! times that is kept to be read (`large_results`). Beyond that ceiling the call
//! fails, and costs the host no more than that.

use palisade_tests::stage::{MIB, done, limited, open};
use palisade_tests::{Palisade, Session, guest, rpc};
use serde_json::{Value, json};

/// Above what a session of this guest weighs before anything is asked of it.
const ROOM: u64 = 64 * MIB;

fn session() -> Session {
    let mut session = open(&Palisade::run(guest("returns-much")));
    // Compiling, where that was still to do, is not what is measured.
    done(&mut session, "text", json!({"bytes": 10}));
    session
}

/// Above this no result is kept: eight times the default.
const CEILING: u64 = 32 * MIB;

/// A guest that may hold that much, and more.
fn roomy() -> Session {
    let mut session = limited("returns-much", "memory = \"512 MiB\"");
    done(&mut session, "text", json!({"bytes": 10}));
    session
}

#[track_caller]
fn is_too_much(session: &mut Session, tool: &str, arguments: Value) {
    let shown = format!("{tool} {arguments}");
    let result = session.call(tool, arguments);
    assert_eq!(result["isError"], true, "{shown} was let through");
    let why = rpc::tool_error(&result);
    assert!(why.contains("limit of output"), "{shown}: {why}");
}

#[test]
fn up_to_the_limit() {
    let mut session = session();
    let most = usize::try_from(4 * MIB).unwrap();
    let text = done(&mut session, "text", json!({"bytes": most}));
    assert_eq!(text, "x".repeat(most));
    // Bytes count as they are, and not as base64; the MIME type counts, too.
    let most = most - "image/png".len();
    let image = session.call("blob", json!({"bytes": most}));
    let base64 = image["content"][0]["data"].as_str().unwrap();
    assert_eq!(base64.len(), most.div_ceil(3) * 4);
}

#[test]
fn not_beyond() {
    let mut session = roomy();
    let beyond = json!({"bytes": CEILING + 1});
    let much = json!({"bytes": 50_000_000});
    for tool in ["text", "blob", "failure", "structured"] {
        is_too_much(&mut session, tool, beyond.clone());
        is_too_much(&mut session, tool, much.clone());
    }
    assert_eq!(done(&mut session, "text", json!({"bytes": 2})), "xx");
}

/// Everything counts that a client gets to read.
#[test]
fn not_in_other_places_either() {
    let mut session = roomy();
    let beyond = json!({"bytes": CEILING + 1});
    is_too_much(&mut session, "long_title", beyond);
}

/// A protocol error is an answer, too.
#[test]
fn not_in_an_error() {
    let mut session = session();
    for bytes in [4 * MIB + 1, 10_000_000] {
        let error = rpc::tool("protocol_error", json!({"bytes": bytes}));
        let response = session.ask("tools/call", error);
        let length = response.to_string().len();
        assert!(length < 100_000, "an error of {length} bytes");
        assert!(response.to_string().contains("limit of output"));
    }
}

/// What a megabyte of guest memory can be made to say a hundred thousand times.
#[test]
fn one_text_many_times_over() {
    let mut session = session();
    let before = session.process.peak_memory();
    for (count, bytes) in [(100_000, 1_000_000), (50_000, 1_000), (500, 100_000)] {
        let arguments = json!({"count": count, "bytes": bytes});
        is_too_much(&mut session, "aliased", arguments);
    }
    let took = session.process.peak_memory() - before;
    assert!(took < 2 * ROOM, "the host took {} MiB for it", took / MIB);
}

/// Blocks that say nothing still have to be written.
#[test]
fn many_blocks() {
    let mut session = session();
    let before = session.process.peak_memory();
    let count = 150_000;
    let id = session.request(
        "tools/call",
        rpc::tool("many_blocks", json!({"count": count})),
    );
    let response = session.answer(id);
    let took = session.process.peak_memory() - before;
    assert!(took < 2 * ROOM, "the host took {} MiB for it", took / MIB);
    let length = u64::try_from(response.to_string().len()).unwrap();
    assert!(
        length < 5 * MIB,
        "{count} blocks became {} MiB",
        length / MIB
    );
}

/// Some text is longer in JSON, or when what steers a terminal is taken out.
#[test]
fn text_that_grows_when_it_is_written() {
    let mut session = session();
    let call = rpc::tool("controls", json!({"bytes": 4 * MIB}));
    let response = session.ask("tools/call", call);
    rpc::result(&response);
    let length = response.to_string().len() as u64;
    assert!(length <= 16 * MIB, "4 MiB became {} MiB", length / MIB);
}

#[test]
fn a_grant_may_allow_more_or_less() {
    let mut more = limited("returns-much", "output = \"8 MiB\"\nmemory = \"512 MiB\"");
    let text = done(&mut more, "text", json!({"bytes": 8 * MIB}));
    assert_eq!(text.len() as u64, 8 * MIB);
    // The ceiling is 64 MiB at most.
    is_too_much(&mut more, "text", json!({"bytes": 64 * MIB + 1}));

    let mut less = limited("returns-much", "output = \"1 KiB\"");
    let text = done(&mut less, "text", json!({"bytes": 1024}));
    assert_eq!(text.len(), 1024);
    let text = done(&mut less, "text", json!({"bytes": 1025}));
    assert!(text.contains("[cut: 1024 of 1025 bytes shown"), "{text}");
    is_too_much(&mut less, "text", json!({"bytes": 8 * 1024 + 1}));
}
