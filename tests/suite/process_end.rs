//! The process ends when its client leaves or asks it to, and says nothing
//! about it.

use std::time::{Duration, Instant};

use palisade_tests::{Palisade, Session, Signal, guest, plugin, rpc};
use serde_json::{Value, json};

/// What a person takes for "at once", on a machine that is busy with tests.
const PROMPTLY: Duration = Duration::from_secs(5);

fn opened() -> Session {
    let mut session = Palisade::run(plugin("hello")).start();
    session.initialize("2025-11-25");
    session
}

/// A session whose guest is computing and will not stop by itself.
fn spinning() -> Session {
    let mut session = Palisade::run(guest("loops-forever")).start();
    session.initialize("2025-11-25");
    let before = session.process.cpu_time();
    session.request("tools/call", rpc::tool("spin", json!({})));
    session.until_busy(before + Duration::from_millis(50));
    session
}

#[test]
fn at_the_end_of_its_input() {
    let session = opened();
    let since = Instant::now();
    let finished = session.finish();
    assert!(since.elapsed() < PROMPTLY, "{:?}", since.elapsed());
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert_eq!(
        (finished.stdout, finished.stderr),
        (String::new(), String::new())
    );
}

#[test]
fn at_the_end_of_an_input_that_held_nothing() {
    let finished = Palisade::run(plugin("hello")).output();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert_eq!(finished.stdout, "");
}

/// As in `printf '…' | palisade run …`.
#[test]
fn not_before_what_was_asked_has_been_answered() {
    let mut session = opened();
    for _ in 0..20 {
        session.request("tools/call", rpc::tool("greet", json!({"name": "Ada"})));
    }
    let finished = session.finish();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let answers = finished.json_lines();
    assert_eq!(answers.len(), 20);
    for answer in &answers {
        assert_eq!(rpc::tool_text(rpc::result(answer)), "Hello, Ada!");
    }
}

/// Long before the limits of the call would have ended it.
#[test]
fn though_a_guest_is_computing() {
    let session = spinning();
    let since = Instant::now();
    let finished = session.finish();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    // It is told what became of it.
    let [answer] = &finished.json_lines()[..] else {
        panic!("{finished:?}");
    };
    let failed = answer.get("error").is_some() || answer["result"]["isError"] == true;
    assert!(failed, "{answer}");
    assert!(
        since.elapsed() < Duration::from_secs(20),
        "{:?}",
        since.elapsed()
    );
}

#[test]
fn on_a_signal() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut session = opened();
        let since = Instant::now();
        session.process.signal(signal);
        let finished = session.until_end();
        assert!(since.elapsed() < PROMPTLY, "{:?}", since.elapsed());
        assert_eq!(finished.code, Some(0), "{finished:?}");
        assert_eq!(
            (finished.stdout, finished.stderr),
            (String::new(), String::new())
        );
    }
}

#[test]
fn on_a_signal_though_a_guest_is_computing() {
    let mut session = spinning();
    let since = Instant::now();
    session.process.signal(Signal::TERM);
    let finished = session.until_end();
    assert!(since.elapsed() < PROMPTLY, "{:?}", since.elapsed());
    assert_eq!(finished.code, Some(0), "{finished:?}");
    for answer in finished.json_lines() {
        let failed = answer.get("error").is_some() || answer["result"]["isError"] == true;
        assert!(
            failed,
            "a call that was stopped can't have worked: {answer}"
        );
    }
}

/// Nobody is there to hear an answer: the client has gone without ending the
/// input.
#[test]
fn when_nobody_can_read_its_output_any_more() {
    let mut session = opened();
    session.close_output();
    session.request("ping", Value::Null);
    let since = Instant::now();
    session.process.wait();
    assert!(since.elapsed() < PROMPTLY, "{:?}", since.elapsed());
}

/// A client that has stopped reading and asks for much more than its pipe
/// holds still gets rid of the process.
#[test]
fn by_a_signal_while_nobody_reads() {
    let mut session = Palisade::run(plugin("filesystem")).start();
    session.initialize("2025-11-25");
    let requests: String = (1000..1200)
        .map(|id| format!("{}\n", rpc::request(id, "tools/list", Value::Null)))
        .collect();
    session.send_deaf(requests.as_bytes(), std::time::Duration::from_millis(300));
    session.process.signal(Signal::TERM);
    let since = Instant::now();
    session.process.wait();
    assert!(since.elapsed() < PROMPTLY, "{:?}", since.elapsed());
}
