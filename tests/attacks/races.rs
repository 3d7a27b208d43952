//! Somebody with rights of their own swaps what a path means while a guest uses
//! it, as fast as they can: between the check and the use there must be nothing.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use palisade_tests::stage::{SECRET, Stage, done, state_of};
use palisade_tests::{PATIENCE, Session};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};

/// Swaps something back and forth until it is dropped.
struct Swapping {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Swapping {
    fn start(mut swap: impl FnMut() + Send + 'static) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                swap();
            }
        });
        Self {
            stop,
            thread: Some(thread),
        }
    }
}

impl Drop for Swapping {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

fn exchange(one: &Path, other: &Path) {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
}

/// Calls until the outcomes hold both: what is inside, and that something else
/// was met. Whatever happens, nothing of the outside is among them.
#[track_caller]
fn until_both(session: &mut Session, tool: &str, arguments: &Value, inside: &str) {
    let deadline = Instant::now() + PATIENCE;
    let (mut reached, mut refused) = (false, false);
    let mut rounds = 0;
    while !(reached && refused) || rounds < 20 {
        let seen = done(session, tool, arguments.clone());
        assert!(!seen.contains(SECRET), "it came out: {seen}");
        for line in seen.lines() {
            let (_, what) = line.split_once(' ').unwrap();
            let is_error = what.starts_with("error ");
            assert!(is_error || what == inside, "{what:?} was read");
            refused |= is_error;
            reached |= !is_error;
        }
        rounds += 1;
        assert!(Instant::now() < deadline, "the race was not met: {seen}");
    }
}

fn read(path: &str) -> Value {
    json!({"root": "/in", "path": path, "times": 500})
}

/// `sub/` inside, and beside it a link to a folder outside in which a file has
/// the same name.
fn stage_with_a_link() -> Stage {
    let stage = Stage::new();
    fs::write(stage.outside().join("b.txt"), SECRET).unwrap();
    symlink(stage.outside(), stage.inside().join("other")).unwrap();
    stage
}

#[test]
fn a_folder_exchanged_for_a_link_outside_is_never_read_through() {
    let stage = stage_with_a_link();
    let mut session = stage.session("mallory", "rw");
    let (one, other) = (stage.inside().join("sub"), stage.inside().join("other"));
    let _swapping = Swapping::start(move || exchange(&one, &other));
    until_both(
        &mut session,
        "read_again_and_again",
        &read("sub/b.txt"),
        "the inside's b",
    );
}

#[test]
fn a_folder_exchanged_for_a_link_outside_is_never_written_through() {
    let stage = stage_with_a_link();
    let outside = state_of(&stage.outside());
    let mut session = stage.session("mallory", "rw");
    let (one, other) = (stage.inside().join("sub"), stage.inside().join("other"));
    let swapping = Swapping::start(move || exchange(&one, &other));
    for path in ["sub/b.txt", "sub/new.txt"] {
        until_both(
            &mut session,
            "write_again_and_again",
            &read(path),
            "written",
        );
    }
    drop(swapping);
    assert_eq!(state_of(&stage.outside()), outside);
}

#[test]
fn a_file_replaced_by_a_link_outside_is_never_followed() {
    let stage = Stage::new();
    let mut session = stage.session("mallory", "rw");
    let inside = stage.inside();
    let secret = stage.outside().join("secret.txt");
    let mut link_next = true;
    let _swapping = Swapping::start(move || {
        let new = inside.join("new");
        if link_next {
            symlink(&secret, &new).unwrap();
        } else {
            fs::write(&new, "the inside's a").unwrap();
        }
        fs::rename(&new, inside.join("a.txt")).unwrap();
        link_next = !link_next;
    });
    until_both(
        &mut session,
        "read_again_and_again",
        &read("a.txt"),
        "the inside's a",
    );
}

/// A folder that is moved out while a path below it is walked takes nobody with
/// it: `..` is not asked of the system.
#[test]
fn a_folder_moved_outside_is_no_way_out() {
    let stage = Stage::new();
    let mut session = stage.session("mallory", "rw");
    fs::create_dir_all(stage.inside().join("deep/er")).unwrap();
    let (one, other) = (stage.inside().join("deep"), stage.outside().join("deep"));
    let mut out = true;
    let _swapping = Swapping::start(move || {
        let (from, to) = if out { (&one, &other) } else { (&other, &one) };
        fs::rename(from, to).unwrap();
        out = !out;
    });
    // Inside it leads to nothing, outside it would lead to the secret.
    let deadline = Instant::now() + PATIENCE;
    for _ in 0..40 {
        let seen = done(
            &mut session,
            "read_again_and_again",
            read("deep/er/../../secret.txt"),
        );
        assert!(!seen.contains(SECRET), "it came out: {seen}");
        assert!(Instant::now() < deadline, "too slow to tell");
    }
}
