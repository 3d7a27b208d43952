//! Everything that is tried, on both sides of the wall.

use std::fs::{self, File, OpenOptions};
use std::io::{Error, Read as _, Write as _};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::process::Command;

fn tried(thread: &str, name: &str, outcome: Result<(), Error>) {
    let number = match outcome {
        Ok(()) => 0,
        Err(error) => error.raw_os_error().unwrap_or(-1),
    };
    println!("\ntried {thread} {name}={number}");
}

/// What was opened in front of the wall.
pub(crate) struct Before {
    listener: TcpListener,
    _abstract: UnixListener,
    abstract_name: String,
    writable: File,
    outside: File,
}

impl Before {
    pub(crate) fn new(folder: &Path) -> Self {
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

    /// Tries everything; `thread` says on which one.
    pub(crate) fn everything(&self, thread: &str, folder: &Path) {
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

/// Tries system calls.
pub(crate) fn calls(thread: &str) {
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
