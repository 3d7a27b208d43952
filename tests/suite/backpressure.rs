//! A client that does not read costs the host little, and loses nothing.

use std::time::Duration;

use palisade_tests::{Palisade, Wiring, guest, plugin, rpc};
use serde_json::{Value, json};

/// Most that the host may ever have resident meanwhile.
const BOUND: u64 = 80 << 20;

/// How long the host takes nothing before a client may think it never will.
const STUCK: Duration = Duration::from_secs(2);

fn answers_wait_for_a_client_that_reads_late(wiring: Wiring) {
    const REQUESTS: u64 = 20_000;
    let folder = tempfile::tempdir().unwrap();
    // Compiling takes more memory than any session: it is done before.
    Palisade::inspect(plugin("filesystem")).output().success();
    let mut session = Palisade::run(plugin("filesystem"))
        .root("notes", folder.path(), "ro")
        .start_on(wiring);
    session.initialize("2025-11-25");
    let answer = session.ask("tools/list", Value::Null).to_string();
    // The answers are far more than the host may keep.
    assert!(
        answer.len() as u64 * REQUESTS > 2 * BOUND,
        "{} bytes",
        answer.len()
    );

    let ids = 10_000..10_000 + REQUESTS;
    let requests: String = ids
        .clone()
        .map(|id| format!("{}\n", rpc::request(id, "tools/list", Value::Null)))
        .collect();
    let sent = session.send_deaf(requests.as_bytes(), STUCK);
    assert!(sent < requests.len(), "the host takes whatever comes");
    session.send_bytes(&requests.as_bytes()[sent..]);
    for id in ids {
        rpc::result(&session.answer(id));
    }
    let peak = session.process.peak_memory();
    assert!(peak < BOUND, "{} MiB", peak >> 20);
    assert_eq!(session.finish().success().stdout, "");
}

#[test]
fn answers_wait_in_pipes() {
    answers_wait_for_a_client_that_reads_late(Wiring::Pipes);
}

#[test]
fn answers_wait_in_sockets() {
    answers_wait_for_a_client_that_reads_late(Wiring::Sockets);
}

/// What a guest says while nobody reads is bounded too.
#[test]
fn a_guest_that_floods_a_client_that_does_not_read() {
    let mut session = Palisade::run(guest("chatty")).start();
    session.initialize("2025-11-25");
    let mut ids = Vec::new();
    let mut requests = String::new();
    for id in 1000..1016 {
        let mut params = rpc::tool("progress", json!({"steps": 100_000}));
        params["_meta"]["progressToken"] = json!(id);
        requests.push_str(&format!("{}\n", rpc::request(id, "tools/call", params)));
        ids.push(id);
    }
    session.send_deaf(requests.as_bytes(), STUCK);
    for id in ids {
        rpc::result(&session.answer(id));
    }
    let peak = session.process.peak_memory();
    assert!(peak < BOUND, "{} MiB", peak >> 20);
}

/// Many clients never look at it, and a pipe holds 64 KiB.
#[test]
fn nobody_needs_to_read_standard_error() {
    let command = Palisade::run(guest("prints-to-stdout")).env("PALISADE_LOG", "trace");
    let mut session = command.start();
    let unread = session.ignore_stderr();
    session.initialize("2025-11-25");
    for _ in 0..20 {
        rpc::tool_text(&session.call("print_much", json!({"bytes": 50_000})));
    }
    let peak = session.process.peak_memory();
    assert!(peak < BOUND, "{} MiB", peak >> 20);
    session.end_input();
    session.process.wait();
    drop(unread);
}
