//! While a plugin does its worst, calls of its own beside it and other plugins
//! of the same server are served: with the right answers, and soon.

use std::time::{Duration, Instant};

use palisade_tests::stage::{done, open};
use palisade_tests::{Palisade, Session, guest, plugin, rpc};
use serde_json::{Value, json};

/// Calls that are measured at a time.
const CALLS: usize = 15;

/// Attacks that run at once: the plugin's own limit is not to be what helps.
const ATTACKS: usize = 8;

/// How long a call may take on average beside attacks; with ten of them at work
/// on one or two processors, each takes its slice of a millisecond between.
const SOON: Duration = Duration::from_millis(150);

/// The median time of a few calls, all of which are answered as they should.
#[track_caller]
fn median(session: &mut Session, tool: &str, arguments: &Value, answer: &str) -> Duration {
    let mut times: Vec<_> = (0..CALLS)
        .map(|_| {
            let asked = Instant::now();
            assert_eq!(done(session, tool, arguments.clone()), answer);
            asked.elapsed()
        })
        .collect();
    times.sort();
    times[CALLS / 2]
}

/// Attacks, and measures calls of both plugins meanwhile.
#[track_caller]
fn attacked_by(tool: &str, arguments: &Value) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), vec![b'x'; 1 << 20]).unwrap();
    let command = Palisade::run_several([guest("mallory"), plugin("hello")]).root(
        "mallory/in",
        folder.path(),
        "ro",
    );
    let mut session = open(&command);
    let (ada, greeting) = (json!({"name": "Ada"}), "Hello, Ada!");
    let (text, echo) = (json!({"text": "a"}), "a");
    median(&mut session, "hello__greet", &ada, greeting);
    median(&mut session, "mallory__echo", &text, echo);

    let attack = rpc::tool(&format!("mallory__{tool}"), arguments.clone());
    let attacks: Vec<_> = (0..ATTACKS)
        .map(|_| session.request("tools/call", attack.clone()))
        .collect();
    let greeted = median(&mut session, "hello__greet", &ada, greeting);
    let echoed = median(&mut session, "mallory__echo", &text, echo);
    assert!(
        greeted < SOON && echoed < SOON,
        "beside {tool} {arguments} the other plugin took {greeted:?}, its own calls {echoed:?}"
    );
    for id in attacks {
        session.notify("notifications/cancelled", json!({"requestId": id}));
    }
    // Whatever has become of them, the process is the same.
    assert_eq!(done(&mut session, "hello__greet", ada), greeting);
}

#[test]
fn by_loops() {
    attacked_by("spin", &json!({}));
}

#[test]
fn by_memory() {
    attacked_by("memory_bomb", &json!({}));
}

#[test]
fn by_the_hosts_work() {
    for what in ["random", "clock", "read", "readdir", "print"] {
        attacked_by("host_calls", &json!({"what": what, "root": "/in"}));
    }
}

#[test]
fn by_handles() {
    attacked_by(
        "many_handles",
        &json!({"kind": "files", "count": 5_000, "root": "/in"}),
    );
    attacked_by("poll", &json!({"count": 900, "again": true}));
}

#[test]
fn by_what_it_says() {
    attacked_by("log_flood", &json!({"bytes": 1_000, "times": 1_000_000}));
    attacked_by("big_result", &json!({"bytes": 40_000_000}));
    // Just so large that it is kept, which is the most work.
    attacked_by("big_result", &json!({"bytes": 33_000_000}));
}

/// A limit that one plugin is at is not another's.
#[test]
fn by_all_its_places() {
    let command = Palisade::run_several([guest("mallory"), plugin("hello")]);
    let mut session = open(&command);
    let nap = rpc::tool("mallory__sleep", json!({"ms": 3_600_000}));
    for _ in 0..40 {
        session.request("tools/call", nap.clone());
    }
    let ada = json!({"name": "Ada"});
    let greeted = median(&mut session, "hello__greet", &ada, "Hello, Ada!");
    assert!(greeted < SOON, "{greeted:?}");
    let busy = session.call("mallory__echo", json!({"text": "a"}));
    assert!(rpc::tool_error(&busy).contains("busy"), "{busy}");
}
