//! Every limit holds at its value, within a fifth of it or 20 ms, and the error
//! names it and says what it is.

use std::fs;
use std::time::{Duration, Instant};

use palisade_tests::stage::{MIB, Stage, done, limited, open, with_limits};
use palisade_tests::{Palisade, Session, guest, rpc};
use serde_json::{Value, json};

/// What a measured limit may be off by.
fn tolerance(limit: Duration) -> Duration {
    (limit / 5).max(Duration::from_millis(20))
}

/// Calls a tool that must run into a limit, which the error names in these
/// words.
#[track_caller]
fn stopped(session: &mut Session, tool: &str, arguments: Value, by: &str) {
    let why = rpc::tool_error(&session.call(tool, arguments));
    assert_eq!(
        why,
        format!("the call was stopped: it went over its limit of {by}"),
        "{tool}"
    );
}

#[test]
fn memory() {
    let mut session = limited("mallory", "memory = \"16 MiB\"");
    let got: u64 = done(&mut session, "grow_memory", json!({}))
        .parse()
        .unwrap();
    assert!(got <= 16 * MIB && got > 16 * MIB - 2 * 64 * 1024, "{got}");
    stopped(&mut session, "memory_bomb", json!({}), "memory (16 MiB)");
}

#[test]
fn call_time() {
    let limit = Duration::from_secs(2);
    let mut session = limited("mallory", "call-time = \"2 s\"");
    for (tool, arguments) in [("sleep", json!({"ms": 3_600_000})), ("spin", json!({}))] {
        let begun = Instant::now();
        stopped(&mut session, tool, arguments, "call-time (2 s)");
        let took = begun.elapsed();
        assert!(took >= limit, "{tool} was stopped after {took:?}");
        assert!(
            took <= limit + tolerance(limit),
            "{tool} was stopped after {took:?}"
        );
    }
}

/// What the host does for a guest is the guest's time as well.
#[test]
fn cpu_time() {
    let limit = Duration::from_secs(1);
    let stage = Stage::new();
    fs::write(stage.inside().join("a.txt"), vec![b'x'; 1 << 20]).unwrap();
    let command = Palisade::run(guest("mallory")).root("in", stage.inside(), "ro");
    let mut session = open(&with_limits(command, "cpu-time = \"1 s\""));
    let host = ["random", "clock", "print", "read", "stat", "readdir"];
    let calls = host
        .iter()
        .map(|what| ("host_calls", json!({"what": what, "root": "/in"})))
        .chain([
            ("spin", json!({})),
            ("poll", json!({"count": 500, "again": true})),
        ]);
    for (tool, arguments) in calls {
        let shown = format!("{tool} {arguments}");
        let before = session.process.cpu_time();
        stopped(&mut session, tool, arguments, "cpu-time (1 s)");
        let used = session.process.cpu_time() - before;
        assert!(used + tolerance(limit) >= limit, "{shown} used {used:?}");
        assert!(used <= limit + tolerance(limit), "{shown} used {used:?}");
    }
}

#[test]
fn output() {
    let mut session = limited("mallory", "output = \"64 KiB\"");
    let most = 64 * 1024;
    let text = done(&mut session, "big_result", json!({"bytes": most}));
    assert_eq!(text.len(), most);
    let text = done(&mut session, "big_result", json!({"bytes": most + 1}));
    assert!(text.contains("[cut: 65536 of 65537 bytes shown"), "{text}");
    // What is cut is kept, up to eight times as much.
    let beyond = json!({"bytes": 8 * most + 1});
    stopped(&mut session, "big_result", beyond, "output (512 KiB)");
}

#[test]
fn handles() {
    let stage = Stage::new();
    let mut session = stage.session("mallory", "ro");
    // A timer is two: the moment, and what waits for it. A few are the guest's
    // own.
    for (kind, most) in [
        ("timers", 512),
        ("outputs", 1_024),
        ("files", 1_024),
        ("directories", 1_024),
        ("streams", 1_024),
    ] {
        let held = |count: u32| json!({"kind": kind, "count": count, "root": "/in"});
        let fits = done(&mut session, "many_handles", held(most - 10));
        assert_eq!(fits, format!("{} handles", most - 10), "{kind}");
        let beyond = held(most + 1);
        stopped(
            &mut session,
            "many_handles",
            beyond,
            "handles (1024 at once)",
        );
    }
}

#[test]
fn stack() {
    let mut session = open(&Palisade::run(guest("mallory")));
    stopped(&mut session, "recurse", json!({}), "stack (512 KiB)");
}

#[test]
fn random_bytes() {
    let mut session = open(&Palisade::run(guest("mallory")));
    for secure in [true, false] {
        let ask = |length: u64| json!({"length": length, "secure": secure});
        let got = done(&mut session, "random", ask(MIB));
        assert_eq!(got, "1048576 bytes");
        for length in [MIB + 1, 1 << 40, u64::MAX] {
            stopped(
                &mut session,
                "random",
                ask(length),
                "random bytes (1 MiB at once)",
            );
        }
    }
}

/// The host holds a list until the guest lets go of it.
#[test]
fn directory_entries() {
    let stage = Stage::new();
    let many = stage.path().join("many");
    fs::create_dir(&many).unwrap();
    for number in 0..26_000 {
        fs::File::create(many.join(number.to_string())).unwrap();
    }
    let command = Palisade::run(guest("mallory")).root("many", &many, "ro");
    let mut session = open(&command);
    let lists = |count: u32| json!({"root": "/many", "count": count});
    assert_eq!(done(&mut session, "many_lists", lists(3)), "3 handles");
    let before = session.process.memory();
    stopped(
        &mut session,
        "many_lists",
        lists(500),
        "directory entries (100000 at once)",
    );
    let took = session.process.peak_memory().saturating_sub(before);
    assert!(took < 64 * MIB, "the host took {} MiB", took / MIB);
    // One after another is no question of what is held.
    for _ in 0..5 {
        let names = done(
            &mut session,
            "readdir",
            json!({"root": "/many", "path": "."}),
        );
        assert_eq!(names.lines().count(), 26_000);
    }
}

/// Waiting for a great many things at once ends in one of two ways.
#[test]
fn pollables() {
    let mut session = open(&Palisade::run(guest("mallory")));
    let poll = |count: u64| json!({"count": count, "again": false});
    assert_eq!(done(&mut session, "poll", poll(1_000)), "1000 are ready");
    let before = session.process.memory();
    for count in [100_000, 8_000_000] {
        let why = rpc::tool_error(&session.call("poll", poll(count)));
        assert!(why.contains("limit of"), "{count}: {why}");
    }
    let took = session.process.peak_memory().saturating_sub(before);
    assert!(took < 192 * MIB, "the host took {} MiB", took / MIB);
}
