//! What is hidden stays so while others change what paths lead to.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use palisade_tests::Session;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;

use crate::sandbox_hide_stage::session_without;
use crate::sandbox_stage::{SECRET, Stage, done};

/// Rounds of one call.
const COUNT: u32 = 4_000;

/// Calls, at most, until the guest has met both.
const CALLS: usize = 20;

/// `vault/` is hidden and holds a secret; `door` is a directory that may be
/// seen, and `decoy` a link to the vault; the same for files.
fn stage() -> Stage {
    let stage = Stage::new();
    let inside = stage.inside();
    for folder in ["vault", "door"] {
        fs::create_dir(inside.join(folder)).unwrap();
    }
    fs::write(inside.join("vault/text"), SECRET).unwrap();
    fs::write(inside.join("door/text"), "seen").unwrap();
    fs::write(inside.join("door.txt"), "seen").unwrap();
    symlink("vault", inside.join("decoy")).unwrap();
    symlink("vault/text", inside.join("decoy.txt")).unwrap();
    stage
}

/// Exchanges two names over and over while a test runs, as another process
/// could, and returns how often it did.
fn while_swapping(folder: &Path, one: &str, other: &str, test: impl FnOnce()) -> u64 {
    let (stop, swaps) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let (one, other) = (folder.join(one), folder.join(other));
                renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
                swaps.fetch_add(1, Ordering::Relaxed);
            }
        });
        // Also where the test fails, so that it ends.
        struct Stop<'a>(&'a AtomicBool);
        impl Drop for Stop<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let _stop = Stop(&stop);
        test();
    });
    swaps.into_inner()
}

/// Reads until both what may be seen and a refusal have come; the secret never.
fn reads(session: &mut Session, root: &str, path: &str) {
    let mut seen = Vec::new();
    for _ in 0..CALLS {
        let read = json!({"root": root, "path": path, "follow": true, "count": COUNT});
        let outcomes = done(session, "read_over_and_over", read);
        assert!(
            !outcomes.contains(SECRET),
            "{path} told the secret: {outcomes}"
        );
        seen.extend(outcomes.lines().map(str::to_owned));
        let opened = seen.iter().any(|outcome| outcome == "file: seen");
        if opened && seen.iter().any(|outcome| !outcome.starts_with("file")) {
            return;
        }
    }
    seen.sort();
    seen.dedup();
    panic!("the swaps were not noticed: {seen:?}");
}

#[test]
fn a_directory_swapped_for_a_link() {
    let stage = stage();
    let mut session = session_without(&stage, "escapes-by-handle", &["vault/**"]);
    let swaps = while_swapping(&stage.inside(), "door", "decoy", || {
        reads(&mut session, "/in", "door/text");
        reads(&mut session, "/in:.", "door/text");
        reads(&mut session, "/in:door", "text");
    });
    assert!(swaps > 100, "{swaps}");
}

#[test]
fn a_file_swapped_for_a_link() {
    let stage = stage();
    let mut session = session_without(&stage, "escapes-by-handle", &["vault/**"]);
    while_swapping(&stage.inside(), "door.txt", "decoy.txt", || {
        reads(&mut session, "/in", "door.txt");
        reads(&mut session, "/in:sub/..", "door.txt");
    });
}

#[test]
fn nothing_is_made_behind_a_swapped_link() {
    let stage = stage();
    let mut session = session_without(&stage, "escapes-by-handle", &["vault/**"]);
    while_swapping(&stage.inside(), "door", "decoy", || {
        for root in ["/in", "/in:."] {
            let write = json!({"root": root, "path": "door/new", "text": "mine", "count": COUNT});
            let outcomes = done(&mut session, "write_over_and_over", write);
            assert!(outcomes.contains("written"), "{outcomes}");
        }
    });
    let names: Vec<_> = fs::read_dir(stage.inside().join("vault"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["text"]);
}

/// The hidden directory itself takes the place of another one: as long as it
/// lies there, it may be seen, and a handle of what lay there before is none of
/// it.
#[test]
fn a_handle_does_not_follow_what_is_moved_away() {
    let stage = stage();
    fs::create_dir(stage.inside().join("vault/door")).unwrap();
    fs::write(stage.inside().join("vault/door/text"), SECRET).unwrap();
    let mut session = session_without(&stage, "escapes-by-handle", &["vault/**"]);
    let swaps = while_swapping(&stage.inside(), "door", "decoy", || {
        let read = json!({"root": "/in:door", "path": "door/text", "follow": true, "count": COUNT});
        let outcomes = session.call("read_over_and_over", read);
        let outcomes = palisade_tests::rpc::text(&outcomes);
        assert!(!outcomes.contains(SECRET), "{outcomes}");
    });
    assert!(swaps > 0);
}
