//! What a process can still do behind the wall: it is tried, by a process of
//! its own for each case (this binary, started again), in front of the wall as
//! well, so that every refusal is known to be the wall's.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and its child prints what it found"
)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Error;
use std::path::Path;
use std::process::Command;

use palisade_hardening::{Part, Wall, restrict};

mod attempts;

use attempts::{Before, calls};

/// How something that was tried ended: 0, or the number of the error.
type Outcome = i32;

/// Everything that was tried, by name.
type Outcomes = BTreeMap<String, Outcome>;

/// Which wall the child builds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    None,
    Serving,
    Network,
    Compiling,
}

const CASE: &str = "PALISADE_WALL_CASE";
const FOLDER: &str = "PALISADE_WALL_FOLDER";

impl Case {
    fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Serving => "serving",
            Self::Network => "network",
            Self::Compiling => "compiling",
        }
    }

    fn wall(name: &str, folder: &Path) -> Option<Wall> {
        let serving = Wall {
            readable: vec![folder.join("read"), folder.join("single")],
            writable: vec![folder.join("write")],
            network: false,
            new_code: false,
        };
        Some(match name {
            "serving" => serving,
            "network" => Wall {
                network: true,
                ..serving
            },
            "compiling" => Wall {
                new_code: true,
                ..Wall::default()
            },
            _ => return None,
        })
    }
}

/// Runs one case; its outcomes, of the thread that built the wall (`main`), of
/// one that it started later and of one that was there before.
fn run(case: Case) -> Outcomes {
    let folder = tempfile::tempdir().unwrap();
    for name in ["read", "write", "write/inner", "outside"] {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("file"), "content").unwrap();
    }
    fs::write(folder.path().join("single"), "content").unwrap();
    fs::write(folder.path().join("other"), "content").unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["child", "--exact", "--ignored", "--nocapture"])
        .env(CASE, case.name())
        .env(FOLDER, folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let why = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{why}");
    said.lines()
        .filter_map(|line| line.trim().strip_prefix("tried "))
        .filter_map(|line| line.split_once('='))
        .map(|(name, outcome)| (name.to_owned(), outcome.parse().unwrap()))
        .collect()
}

#[track_caller]
fn all(outcomes: &Outcomes, names: &[&str], expected: Outcome) {
    for thread in ["main", "later"] {
        for name in names {
            let found = outcomes[&format!("{thread} {name}")];
            assert_eq!(
                found,
                expected,
                "{thread} {name}: {}",
                Error::from_raw_os_error(found)
            );
        }
    }
}

/// What goes on whatever the wall is.
const GOES_ON: [&str; 4] = ["clock", "random", "map memory", "accept"];

/// What the grants are for.
const GRANTED: [&str; 12] = [
    "read below readable",
    "list readable",
    "read a single file",
    "read below writable",
    "write below writable",
    "create below writable",
    "truncate below writable",
    "rename between folders",
    "link between folders",
    "make a folder",
    "make a link",
    "read by an open folder",
];

/// What Landlock refuses (EACCES).
const OUT_OF_REACH: [&str; 9] = [
    "read outside",
    "list outside",
    "read another file",
    "write outside",
    "write below readable",
    "create below readable",
    "remove below readable",
    "read /proc/self/environ",
    "read outside by an open folder",
];

/// What seccomp refuses (EPERM).
const FORBIDDEN: [&str; 15] = [
    "execve",
    "execveat",
    "start a program",
    "ptrace",
    "process_vm_readv",
    "unshare",
    "setns",
    "clone into a namespace",
    "mount",
    "bpf",
    "io_uring",
    "keyctl",
    "signal to the parent",
    "shared memory",
    "truncate by path",
];

#[test]
fn without_it_everything_goes() {
    let outcomes = run(Case::None);
    all(&outcomes, &GOES_ON, 0);
    all(&outcomes, &GRANTED, 0);
    all(&outcomes, &OUT_OF_REACH, 0);
    all(&outcomes, &["connect", "open a socket", "make code"], 0);
    all(&outcomes, &["connect to an abstract socket"], 0);
    for name in FORBIDDEN {
        // Asked for in ways that make no sense, so that nothing comes of it;
        // some the kernel keeps for root alone.
        let found = outcomes[&format!("main {name}")];
        let reserved = ["mount", "bpf", "io_uring", "setns"].contains(&name);
        assert!(found != libc::EPERM || reserved, "{name}");
    }
    assert_ne!(outcomes["main clone3"], libc::ENOSYS);
}

#[test]
fn behind_it_a_server_has_what_is_granted_and_nothing_else() {
    let outcomes = run(Case::Serving);
    all(&outcomes, &GOES_ON, 0);
    all(&outcomes, &GRANTED, 0);
    all(&outcomes, &OUT_OF_REACH, libc::EACCES);
    all(&outcomes, &FORBIDDEN, libc::EPERM);
    all(&outcomes, &["open a socket", "make code"], libc::EPERM);
    all(&outcomes, &["connect"], libc::EPERM);
    all(&outcomes, &["connect to an abstract socket"], libc::EPERM);
    all(&outcomes, &["clone3"], libc::ENOSYS);
    // A thread that was there before is behind seccomp, too.
    for name in FORBIDDEN {
        assert_eq!(outcomes[&format!("earlier {name}")], libc::EPERM, "{name}");
    }
}

#[test]
fn with_network_connections_are_made_and_files_stay_out_of_reach() {
    let outcomes = run(Case::Network);
    all(&outcomes, &GRANTED, 0);
    all(&outcomes, &["connect", "open a socket"], 0);
    all(&outcomes, &OUT_OF_REACH, libc::EACCES);
    all(&outcomes, &FORBIDDEN, libc::EPERM);
    all(&outcomes, &["make code"], libc::EPERM);
}

#[test]
fn a_compiler_makes_code_and_reaches_nothing() {
    let outcomes = run(Case::Compiling);
    all(&outcomes, &GOES_ON, 0);
    all(&outcomes, &["make code"], 0);
    all(
        &outcomes,
        &["read below readable", "write below writable"],
        libc::EACCES,
    );
    all(&outcomes, &OUT_OF_REACH, libc::EACCES);
    all(&outcomes, &FORBIDDEN, libc::EPERM);
    all(&outcomes, &["open a socket"], libc::EPERM);
}

/// Trying it leaves nothing behind.
#[test]
fn a_probe_says_what_would_hold_and_changes_nothing() {
    let active = palisade_hardening::probe().unwrap();
    assert!(active.is_whole(), "{active:?}");
    fs::read("/proc/self/environ").unwrap();
    assert!(Command::new("true").status().unwrap().success());
}

#[test]
fn what_can_not_be_kept_within_reach_is_an_error() {
    let wall = Wall {
        readable: vec!["/there/is/no/such/folder".into()],
        ..Wall::default()
    };
    let error = restrict(&wall).unwrap_err().to_string();
    assert!(error.contains("/there/is/no/such/folder"), "{error}");
}

// What the child does.

/// Tries everything, behind the wall of the case.
#[test]
#[ignore = "the other tests run it, in a process of its own"]
fn child() {
    let case = std::env::var(CASE).unwrap();
    let folder = std::env::var_os(FOLDER).unwrap();
    let folder = Path::new(&folder);
    let before = Before::new(folder);
    let (go, wait) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let earlier = scope.spawn(move || {
            wait.recv().unwrap();
            calls("earlier");
        });
        // Gone with this scope, also if something fails in it.
        let go = go;
        if let Some(wall) = Case::wall(&case, folder) {
            let active = restrict(&wall).unwrap();
            assert!(matches!(active.landlock, Part::Holds(_)), "{active:?}");
            assert!(matches!(active.seccomp, Part::Holds(_)), "{active:?}");
            // The earlier ones, ours and the harness's, are known to be
            // outside, unless this kernel can reach them.
            assert!(active.outside == 0 || active.outside == 2, "{active:?}");
            assert_eq!(active.is_whole(), active.outside == 0, "{active:?}");
        }
        go.send(()).unwrap();
        earlier.join().unwrap();
        before.everything("main", folder);
        scope
            .spawn(|| before.everything("later", folder))
            .join()
            .unwrap();
    });
}
