//! Pipes, sockets and devices inside a granted folder are no way out, and no
//! way to make the host wait.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use palisade_tests::stage::{Stage, done, open, refused};
use palisade_tests::{Palisade, Session, guest, rpc};
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};
use serde_json::json;

fn stage_with_a_fifo() -> Stage {
    let stage = Stage::new();
    let fifo = stage.inside().join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    stage
}

/// A host that waits in a system call answers nobody.
#[track_caller]
fn is_awake(session: &mut Session) {
    let asked = Instant::now();
    assert_eq!(session.ask("ping", json!({}))["result"], json!({}));
    let took = asked.elapsed();
    assert!(took < Duration::from_secs(5), "a ping took {took:?}");
}

fn every_way_to_open(session: &mut Session, by_handle: &mut Session, name: &str) {
    let path = format!("/in/{name}");
    for (tool, arguments) in [
        ("read", json!({"path": path})),
        ("write", json!({"path": path, "text": "mine"})),
        ("append", json!({"path": path, "text": "mine"})),
        ("truncate", json!({"path": path, "bytes": 0})),
        ("list", json!({"path": path})),
    ] {
        refused(session, tool, arguments);
        is_awake(session);
    }
    for follow in [true, false] {
        let at = json!({"root": "/in", "path": name, "follow": follow});
        refused(by_handle, "read_at", at);
        is_awake(by_handle);
    }
    for tool in ["write_read_only", "truncate_at"] {
        refused(by_handle, tool, json!({"root": "/in", "path": name}));
        is_awake(by_handle);
    }
}

#[test]
fn a_pipe_nobody_else_has_open() {
    let stage = stage_with_a_fifo();
    let mut session = stage.session("escapes", "rw");
    let mut by_handle = stage.session("escapes-by-handle", "rw");
    every_way_to_open(&mut session, &mut by_handle, "fifo");
    let fifo = stage.inside().join("fifo");
    assert!(fifo.metadata().unwrap().file_type().is_fifo());
}

#[test]
fn a_pipe_somebody_waits_at() {
    let stage = stage_with_a_fifo();
    // Both ends at once, which never blocks.
    let mut other = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(i32::try_from(OFlags::NONBLOCK.bits()).unwrap())
        .open(stage.inside().join("fifo"))
        .unwrap();
    let mut session = stage.session("escapes", "rw");
    let mut by_handle = stage.session("escapes-by-handle", "rw");
    every_way_to_open(&mut session, &mut by_handle, "fifo");
    let heard = other.read(&mut [0; 16]);
    assert!(heard.is_err(), "something came through the pipe: {heard:?}");
}

#[test]
fn a_socket() {
    let stage = Stage::new();
    let listener = UnixListener::bind(stage.inside().join("socket")).unwrap();
    listener.set_nonblocking(true).unwrap();
    let mut session = stage.session("escapes", "rw");
    let mut by_handle = stage.session("escapes-by-handle", "rw");
    every_way_to_open(&mut session, &mut by_handle, "socket");
    assert!(listener.accept().is_err());
}

/// Nobody should grant `/dev`; where it is done, devices are still not for
/// plugins.
#[test]
fn devices() {
    let mut session = open(&Palisade::run(guest("escapes-by-handle")).root("dev", "/dev", "rw"));
    for device in ["null", "zero", "full", "random", "tty", "ptmx"] {
        for follow in [true, false] {
            let read = json!({"root": "/dev", "path": device, "follow": follow});
            refused(&mut session, "read_at", read);
        }
        let write = json!({"root": "/dev", "path": device, "text": "mine"});
        refused(&mut session, "write_at", write);
    }
    let listed = done(
        &mut session,
        "list_at",
        json!({"root": "/dev", "path": "."}),
    );
    assert!(listed.contains("device null"), "{listed}");
    is_awake(&mut session);
}

/// They may be seen, named and tidied away.
#[test]
fn they_are_names_like_others() {
    let stage = stage_with_a_fifo();
    let mut session = stage.session("escapes", "rw");
    let names = done(&mut session, "list", json!({"path": "/in"}));
    assert!(names.lines().any(|name| name == "fifo"), "{names}");
    let stat = session.call("stat", json!({"path": "/in/fifo"}));
    assert!(!rpc::text(&stat).contains("is_file: true"), "{stat}");
    done(&mut session, "delete", json!({"path": "/in/fifo"}));
    assert!(!stage.inside().join("fifo").exists());
}
