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
use std::fs::{self, File, OpenOptions};
use std::io::{Error, Read as _, Write as _};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::process::Command;

use palisade_hardening::{Part, Wall, restrict};

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
            listable: vec![folder.join("names")],
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
    for name in ["read", "write", "write/inner", "names", "outside"] {
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
const GRANTED: [&str; 13] = [
    "list names",
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
const OUT_OF_REACH: [&str; 10] = [
    "read what is named",
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

fn tried(thread: &str, name: &str, outcome: Result<(), Error>) {
    let number = match outcome {
        Ok(()) => 0,
        Err(error) => error.raw_os_error().unwrap_or(-1),
    };
    println!("\ntried {thread} {name}={number}");
}

/// What was opened in front of the wall.
struct Before {
    listener: TcpListener,
    _abstract: UnixListener,
    abstract_name: String,
    writable: File,
    outside: File,
}

impl Before {
    fn new(folder: &Path) -> Self {
        let abstract_name = format!("palisade-wall-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        Self {
            listener: TcpListener::bind("127.0.0.1:0").unwrap(),
            _abstract: UnixListener::bind_addr(&address).unwrap(),
            abstract_name,
            writable: File::open(folder.join("write")).unwrap(),
            outside: File::open(folder.join("outside")).unwrap(),
        }
    }

    fn everything(&self, thread: &str, folder: &Path) {
        self.going_on(thread);
        self.network(thread);
        files(thread, folder);
        self.by_handle(thread);
        calls(thread);
    }

    fn going_on(&self, thread: &str) {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        tried(thread, "clock", now.map(drop).map_err(Error::other));
        tried(thread, "random", call(libc::SYS_getrandom, [0; 4]));
        tried(
            thread,
            "map memory",
            map(libc::PROT_READ | libc::PROT_WRITE),
        );
        tried(thread, "make code", map(libc::PROT_READ | libc::PROT_EXEC));
        self.listener.set_nonblocking(true).unwrap();
        let accepted = match self.listener.accept() {
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(()),
            other => other.map(drop),
        };
        tried(thread, "accept", accepted);
    }

    fn network(&self, thread: &str) {
        let address = self.listener.local_addr().unwrap();
        let connected = std::net::TcpStream::connect(address).map(drop);
        tried(thread, "connect", connected);
        tried(
            thread,
            "open a socket",
            std::net::UdpSocket::bind("127.0.0.1:0").map(drop),
        );
        let address = SocketAddr::from_abstract_name(&self.abstract_name).unwrap();
        let connected = std::os::unix::net::UnixStream::connect_addr(&address).map(drop);
        tried(thread, "connect to an abstract socket", connected);
    }

    fn by_handle(&self, thread: &str) {
        let open = |folder: &File| {
            let flags = rustix::fs::OFlags::RDONLY;
            let file = rustix::fs::openat(folder, "file", flags, rustix::fs::Mode::empty());
            file.map(drop).map_err(Error::from)
        };
        tried(thread, "read by an open folder", open(&self.writable));
        tried(
            thread,
            "read outside by an open folder",
            open(&self.outside),
        );
    }
}

fn files(thread: &str, folder: &Path) {
    let at = |path: &str| folder.join(path);
    let read = |path: &str| {
        let mut text = String::new();
        File::open(folder.join(path))?
            .read_to_string(&mut text)
            .map(drop)
    };
    let write = |path: &str| {
        let mut file = OpenOptions::new().append(true).open(folder.join(path))?;
        file.write_all(b"more")
    };
    tried(thread, "read below readable", read("read/file"));
    tried(thread, "read a single file", read("single"));
    tried(thread, "read another file", read("other"));
    tried(thread, "list names", fs::read_dir(at("names")).map(drop));
    tried(thread, "read what is named", read("names/file"));
    tried(thread, "read outside", read("outside/file"));
    tried(thread, "read below writable", read("write/inner/file"));
    tried(
        thread,
        "read /proc/self/environ",
        File::open("/proc/self/environ").map(drop),
    );
    tried(thread, "list readable", fs::read_dir(at("read")).map(drop));
    tried(
        thread,
        "list outside",
        fs::read_dir(at("outside")).map(drop),
    );
    tried(thread, "write below readable", write("read/file"));
    tried(thread, "write outside", write("outside/file"));
    tried(thread, "write below writable", write("write/file"));
    tried(
        thread,
        "create below readable",
        File::create(at("read/new")).map(drop),
    );
    tried(thread, "remove below readable", {
        // Made anew where that is allowed, for the next thread.
        fs::remove_file(at("read/file")).and_then(|()| fs::write(at("read/file"), "content"))
    });
    let new = format!("write/{thread}");
    let moved = format!("write/inner/{thread}");
    tried(
        thread,
        "create below writable",
        File::create(at(&new)).map(drop),
    );
    let cut = OpenOptions::new().write(true).truncate(true).open(at(&new));
    tried(thread, "truncate below writable", cut.map(drop));
    tried(
        thread,
        "link between folders",
        fs::hard_link(at(&new), at(&format!("{moved}-2"))),
    );
    tried(
        thread,
        "rename between folders",
        fs::rename(at(&new), at(&moved)),
    );
    tried(
        thread,
        "make a folder",
        fs::create_dir(at(&format!("{new}-d"))),
    );
    let link = std::os::unix::fs::symlink("file", at(&format!("{new}-l")));
    tried(thread, "make a link", link);
}

/// Maps a page that may be used so, and gives it back.
fn map(protection: i32) -> Result<(), Error> {
    // SAFETY: a new mapping wherever the kernel likes, of nothing that exists,
    // which nobody looks at.
    let page = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            4096,
            protection,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if page == libc::MAP_FAILED {
        return Err(Error::last_os_error());
    }
    // SAFETY: the mapping just made, of which nothing is in use.
    let unmapped = unsafe { libc::munmap(page, 4096) };
    assert_eq!(unmapped, 0);
    Ok(())
}

/// A system call with arguments with which the kernel does nothing.
fn call(number: libc::c_long, arguments: [i64; 4]) -> Result<(), Error> {
    let [a, b, c, d] = arguments;
    // SAFETY: every use below has arguments that the kernel refuses after it
    // has looked at them: paths and pointers that are null, flags that exclude
    // each other, handles and processes that do not exist.
    match unsafe { libc::syscall(number, a, b, c, d) } {
        -1 => Err(Error::last_os_error()),
        _ => Ok(()),
    }
}

fn calls(thread: &str) {
    let nobody = i64::from(i32::MAX);
    let both = i64::from(libc::CLONE_NEWNS | libc::CLONE_FS);
    for (name, number, arguments) in [
        ("execve", libc::SYS_execve, [0; 4]),
        ("execveat", libc::SYS_execveat, [-1, 0, 0, 0]),
        ("ptrace", libc::SYS_ptrace, [16, nobody, 0, 0]),
        (
            "process_vm_readv",
            libc::SYS_process_vm_readv,
            [nobody, 0, 0, 0],
        ),
        ("unshare", libc::SYS_unshare, [1, 0, 0, 0]),
        ("setns", libc::SYS_setns, [-1, 0, 0, 0]),
        ("clone into a namespace", libc::SYS_clone, [both, 0, 0, 0]),
        ("clone3", libc::SYS_clone3, [0; 4]),
        ("mount", libc::SYS_mount, [0; 4]),
        ("bpf", libc::SYS_bpf, [-1, 0, 0, 0]),
        ("io_uring", libc::SYS_io_uring_setup, [0; 4]),
        ("keyctl", libc::SYS_keyctl, [-1, 0, 0, 0]),
        ("shared memory", libc::SYS_shmget, [nobody, 0, 0, 0]),
        ("truncate by path", libc::SYS_truncate, [0; 4]),
    ] {
        tried(thread, name, call(number, arguments));
    }
    let parent = i64::from(std::os::unix::process::parent_id());
    // Signal 0 only asks.
    tried(
        thread,
        "signal to the parent",
        call(libc::SYS_kill, [parent, 0, 0, 0]),
    );
    let started = Command::new("true").status();
    tried(thread, "start a program", started.map(drop));
}
