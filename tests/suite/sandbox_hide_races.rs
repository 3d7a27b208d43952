//! What is hidden stays so while others change what paths lead to.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use palisade_tests::{Session, rpc};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;

use crate::sandbox_hide_stage::session_without;
use palisade_tests::stage::{SECRET, Stage, done};

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

/// A directory that is open is moved to where it is hidden. What comes to lie in
/// it there is not seen by the handle.
#[test]
fn a_handle_does_not_follow_its_directory_to_a_hidden_place() {
    let stage = stage();
    let mut session = session_without(&stage, "escapes-by-handle", &["vault/**"]);
    let list = json!({"root": "/in", "path": "door", "count": 1_000_000});
    let call = session.request("tools/call", rpc::tool("list_while_it_lasts", list));
    session.until_busy(Duration::from_millis(100));
    let (door, hidden) = (
        stage.inside().join("door"),
        stage.inside().join("vault/door"),
    );
    fs::rename(&door, &hidden).unwrap();
    fs::write(hidden.join("secret"), SECRET).unwrap();
    // And if something else lies there now, it is not that.
    fs::create_dir(&door).unwrap();
    let seen = rpc::tool_text(rpc::result(&session.answer(call)));
    assert_eq!(seen, "ended: no-entry\ntext");
}
