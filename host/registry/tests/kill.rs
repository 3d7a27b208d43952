//! A process that is killed at any step of a change leaves the old state or the new
//! one, and nothing lying about; two at once end in one right state.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use common::{Home, entry, offer};
use palisade_registry::{Digest, Entry};

/// What a child does, and where.
const DO: &str = "PALISADE_TEST_DO";
const HOME: &str = "PALISADE_TEST_HOME";

/// Not a test of its own: what the others run and kill. Without the variables there
/// is nothing to do.
#[test]
fn child() {
    let (Ok(what), Ok(home)) = (std::env::var(DO), std::env::var(HOME)) else {
        return;
    };
    let home = Home::at(Path::new(&home));
    match what.as_str() {
        "install" => home.install("notes", b"one", "first").map(drop),
        "update" => home
            .update("notes", b"one", "first", b"two", "second")
            .map(drop),
        "grant" => home.regrant("third").map(drop),
        "remove" => home.remove("notes", b"one", "first").map(drop),
        "look" => home.store().begin().map(drop),
        other => panic!("{other}"),
    }
    .unwrap();
}

fn start(home: &Path, what: &str, variables: &[(&str, &str)]) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--test-threads", "1"])
        .env(DO, what)
        .env(HOME, home)
        .envs(variables.iter().copied())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// How many steps something takes.
fn steps(before: &dyn Fn(&Home), what: &str) -> u64 {
    let home = Home::new();
    before(&home);
    let count = home.path().join("count");
    let status = start(
        home.path(),
        what,
        &[("PALISADE_FAULT_COUNT", count.to_str().unwrap())],
    )
    .wait();
    assert!(status.unwrap().success(), "{what} fails by itself");
    fs::read_to_string(count).unwrap().parse().unwrap()
}

/// Whether it was killed, as it should be, and did not come to its end.
fn killed(home: &Path, what: &str, step: u64) -> bool {
    let status = start(home, what, &[("PALISADE_FAULT_AT", &step.to_string())]).wait();
    let status = status.unwrap();
    assert!(
        status.success() || status.signal() == Some(9),
        "{what}, step {step}: {status}"
    );
    !status.success()
}

type State = (Option<Entry>, Option<Vec<u8>>);

fn state(bytes: Option<(&[u8], &str)>, grant: Option<&str>) -> State {
    let entry = bytes.map(|(bytes, words)| entry(bytes, &offer(words)));
    (entry, grant.map(|grant| grant.as_bytes().to_vec()))
}

/// Kills `what` before each of its steps, and more than once while the next ones
/// pick up what is left; how often.
fn each_step(before: &dyn Fn(&Home), what: &str, old: &State, new: &State) -> u64 {
    let steps = steps(before, what);
    let (mut olds, mut news, mut kills) = (0, 0, 0);
    for step in 1..=steps {
        let home = Home::new();
        before(&home);
        assert!(killed(home.path(), what, step), "{what} has no step {step}");
        kills += 1;
        // Who comes next is killed as well, at another place each time.
        for again in [1 + step % 12, 1 + step % 5, 2] {
            kills += u64::from(killed(home.path(), "look", again));
        }

        let found = whole(&home, what, step);
        match &found {
            found if found == old => olds += 1,
            found if found == new => news += 1,
            other => panic!("{what}, step {step}: a mixture: {other:?}"),
        }
        // The next writer leaves nothing that nobody needs.
        home.regrant("last").unwrap();
        let (entry, _) = found;
        let mut needed = vec!["grants/notes.toml".to_owned()];
        if let Some(entry) = entry {
            needed.push(format!("store/blobs/sha256/{}", entry.digest.hex()));
            needed.push(format!("store/definitions/{}.json", entry.offer.hex()));
        }
        needed.sort();
        assert_eq!(home.left(), needed, "{what}, step {step}");
        assert!(!home.path().join("store/journal").exists());
    }
    assert!(olds > 0 && news > 0, "{what}: {olds} old, {news} new");
    kills
}

/// The state, which everybody sees in the same way.
fn whole(home: &Home, what: &str, step: u64) -> State {
    let seen = home.state("notes");
    // What is on the disk is what was seen, once the store has been opened.
    assert_eq!(home.grant(), seen.1, "{what}, step {step}");
    assert_eq!(home.state("notes"), seen);
    if let Some(entry) = &seen.0 {
        let (again, bytes) = home.store().load("notes").unwrap().unwrap();
        assert_eq!(again, *entry);
        assert_eq!(Digest::of(&bytes), entry.digest);
        assert!(home.store().verify().unwrap().is_empty());
    }
    seen
}

fn nothing(_: &Home) {}

fn installed(home: &Home) {
    home.install("notes", b"one", "first").unwrap();
}

#[test]
fn killed_at_every_step() {
    let (none, first) = (
        state(None, None),
        state(Some((b"one", "first")), Some("first")),
    );
    let second = state(Some((b"two", "second")), Some("second"));
    let third = state(Some((b"one", "first")), Some("third"));
    let kills = each_step(&nothing, "install", &none, &first)
        + each_step(&installed, "update", &first, &second)
        + each_step(&installed, "grant", &first, &third)
        + each_step(&installed, "remove", &first, &none);
    assert!(kills >= 200, "only {kills} kills");
}

/// On a disk that can't be written, what was decided holds although nobody can carry
/// it out.
#[test]
fn what_was_decided_is_read_where_nothing_can_be_written() {
    let mut decided = 0;
    for step in 1..=steps(&installed, "update") {
        let home = Home::new();
        installed(&home);
        killed(home.path(), "update", step);
        if !home.path().join("store/journal").exists() {
            continue;
        }
        decided += 1;
        // Somebody holds the lock, so that opening the store carries nothing out.
        let held = fs::File::open(home.path().join("store/store.lock")).unwrap();
        held.lock().unwrap();
        let seen = home.state("notes");
        assert_eq!(seen, state(Some((b"two", "second")), Some("second")));
        assert_eq!(home.store().load("notes").unwrap().unwrap().1, b"two");
        assert!(home.path().join("store/journal").exists());
    }
    assert!(decided > 3, "{decided}");
}

#[test]
fn of_two_at_once_one_wins() {
    for _ in 0..8 {
        let home = Home::new();
        let children = [(); 3].map(|()| start(home.path(), "install", &[]));
        let won = children.map(|mut child| child.wait().unwrap().success());
        assert_eq!(won.iter().filter(|won| **won).count(), 1, "{won:?}");
        let first = state(Some((b"one", "first")), Some("first"));
        assert_eq!(whole(&home, "install", 0), first);
        assert_eq!(home.left().len(), 3, "{:?}", home.left());
    }
}
