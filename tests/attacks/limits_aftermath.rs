//! When an attack is over, nothing of it is left: no memory, no file, no work.

use std::fs;
use std::time::{Duration, Instant};

use palisade_tests::stage::{MIB, Stage, done, open, with_limits};
use palisade_tests::{PATIENCE, Palisade, Session, guest, rpc};
use serde_json::{Value, json};

/// What may be left: slots of the pool keep 64 KiB each, and so does the
/// allocator for a while.
const KEPT: u64 = 24 * MIB;

fn open_files(session: &Session) -> usize {
    let folder = format!("/proc/{}/fd", session.process.id());
    fs::read_dir(folder).unwrap().count()
}

/// Waits until the host holds no more memory than this.
#[track_caller]
fn until_small(session: &mut Session, after: &str, most: u64) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let now = session.process.memory();
        if now <= most {
            return;
        }
        assert!(
            Instant::now() < deadline,
            "{} MiB stay after {after}, and there were {} to begin with",
            now / MIB,
            (most - KEPT) / MIB
        );
        // The allocator gives back what it has by its own clock, which it
        // looks at when it is asked for something.
        done(session, "echo", json!({"text": "a"}));
    }
}

/// One round: as many at once as may run.
fn attack(session: &mut Session, tool: &str, arguments: &Value, at_once: usize) {
    let call = rpc::tool(tool, arguments.clone());
    let ids: Vec<_> = (0..at_once)
        .map(|_| session.request("tools/call", call.clone()))
        .collect();
    for id in ids {
        let answer = session.answer(id);
        rpc::result(&answer);
    }
}

#[test]
fn memory_and_files_are_given_back() {
    let stage = Stage::new();
    let command = Palisade::run(guest("mallory")).root("in", stage.inside(), "rw");
    let mut session = open(&with_limits(command, "memory = \"16 MiB\""));
    let attacks = [
        ("memory_bomb", json!({}), 8, 50),
        ("big_result", json!({"bytes": 4_000_000}), 4, 2),
        (
            "many_handles",
            json!({"kind": "files", "count": 1_000, "root": "/in"}),
            8,
            5,
        ),
        (
            "many_handles",
            json!({"kind": "streams", "count": 2_000, "root": "/in"}),
            8,
            5,
        ),
        ("log_flood", json!({"bytes": 50, "times": 1_000}), 8, 5),
        ("print_often", json!({"text": "x\n", "times": 2_000}), 8, 5),
        ("recurse", json!({}), 16, 5),
    ];
    // Every slot and every thread has been used once.
    attack(&mut session, "sleep", &json!({"ms": 50}), 16);
    attack(&mut session, "recall", &json!({}), 16);
    session.take_others();
    let (memory, files) = (session.process.memory(), open_files(&session));
    for (tool, arguments, at_once, rounds) in attacks {
        for _ in 0..rounds {
            attack(&mut session, tool, &arguments, at_once);
            session.take_others();
        }
        until_small(&mut session, tool, memory + KEPT);
        let now = open_files(&session);
        assert!(now <= files + 2, "{files} open files became {now}");
    }
    assert_eq!(done(&mut session, "echo", json!({"text": "a"})), "a");
    let before = session.process.cpu_time();
    session.stays_quiet(Duration::from_millis(300));
    let used = session.process.cpu_time() - before;
    assert!(used <= Duration::from_millis(50), "it still computes");
}
