//! A plugin is compiled, and first asked what it offers, in a process of its
//! own that gets so much time and memory and no more.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use palisade_tests::{Palisade, plugin, rpc};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use serde_json::json;
use tempfile::TempDir;

use crate::hardening::WITHOUT;
use crate::mistakes::{FAILED, Table};
use palisade_tests::stage::open;

/// A number as WebAssembly writes it.
fn number(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = u8::try_from(value & 0x7f).unwrap();
        value >>= 7;
        if value == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

fn sized(content: &[u8]) -> Vec<u8> {
    [number(content.len()), content.to_vec()].concat()
}

fn section(id: u8, content: &[u8]) -> Vec<u8> {
    [vec![id], sized(content)].concat()
}

/// A component of one module, whose functions, `(i32) -> ()`, have these
/// instructions.
fn component(functions: &[Vec<u8>]) -> Vec<u8> {
    let count = number(functions.len());
    let types = section(1, &[1, 0x60, 1, 0x7f, 0]);
    let declared = section(3, &[count.clone(), vec![0; functions.len()]].concat());
    let bodies: Vec<u8> = functions
        .iter()
        .flat_map(|code| sized(&[&[0], code.as_slice(), &[0x0b]].concat()))
        .collect();
    let code = section(10, &[count, bodies].concat());
    let module = [b"\0asm\x01\0\0\0".to_vec(), types, declared, code].concat();
    [b"\0asm\x0d\0\x01\0".to_vec(), section(1, &module)].concat()
}

/// `local = local * local + local`, so many times.
fn arithmetic(times: usize) -> Vec<u8> {
    [0x20, 0, 0x20, 0, 0x6c, 0x20, 0, 0x6a, 0x21, 0].repeat(times)
}

/// A switch among so many places, which are all the same.
fn switch(places: usize) -> Vec<u8> {
    let targets = vec![0; places + 1];
    let table = [vec![0x20, 0, 0x0e], number(places), targets].concat();
    [vec![0x02, 0x40], table, vec![0x0b]].concat()
}

/// Blocks in blocks.
fn nested(depth: usize) -> Vec<u8> {
    let blocks = [0x02, 0x40].repeat(depth);
    [blocks, vec![0x0b; depth]].concat()
}

/// Files that take longer to compile than anybody waits.
fn bomb(folder: &TempDir) -> PathBuf {
    write(folder, "bomb", &component(&vec![arithmetic(20_000); 300]))
}

fn write(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(format!("{name}.wasm"));
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn what_takes_too_long_is_ended_in_time_and_the_sentence_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let cache = tempfile::tempdir().unwrap();
    let mut table = Table::default();
    let command = Palisade::inspect(bomb(&folder))
        .cache(cache.path())
        .arg("--compile-time")
        .arg("1 s");
    let since = Instant::now();
    table.row(
        "many functions",
        &command,
        FAILED,
        &["bomb.wasm", "longer than 1 s", "--compile-time"],
    );
    // The machine may be busy; without a bound it takes minutes.
    assert!(
        since.elapsed() < Duration::from_secs(20),
        "{:?}",
        since.elapsed()
    );
    let kept = cache.path().join("palisade/compiled");
    assert_eq!(
        fs::read_dir(kept).unwrap().count(),
        0,
        "nothing of it is kept"
    );
}

#[test]
fn what_needs_too_much_memory_is_refused_and_the_sentence_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut table = Table::default();
    // One function is one piece of work, however much memory that takes.
    let large = write(&folder, "large", &component(&[arithmetic(700_000)]));
    let command = Palisade::inspect(large)
        .arg("--compile-memory")
        .arg("128 MiB");
    let says = ["large.wasm", "more memory than 128 MiB", "--compile-memory"];
    table.row("a large function", &command, FAILED, &says);
    // Not even room for the file.
    let large = write(&folder, "file", &component(&vec![arithmetic(100_000); 60]));
    let command = Palisade::inspect(large)
        .arg("--compile-memory")
        .arg("64 MiB");
    let says = ["file.wasm", "more memory than 64 MiB", "--compile-memory"];
    table.row("a large file", &command, FAILED, &says);
}

#[test]
fn whatever_it_is_made_of_a_person_gets_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let mut table = Table::default();
    for (name, functions) in [
        ("nested", vec![nested(50_000)]),
        ("switches", vec![switch(60_000)]),
        ("many", vec![arithmetic(1); 20_000]),
    ] {
        let file = write(&folder, name, &component(&functions));
        let command = Palisade::inspect(file).arg("--compile-time").arg("40 s");
        table.row(name, &command, FAILED, &[name]);
    }
}

#[test]
fn the_plugins_beside_it_are_served() {
    let folder = tempfile::tempdir().unwrap();
    // Compiled before, so that it is not in a hurry either.
    Palisade::inspect(plugin("hello")).output().success();
    let command = Palisade::run_several([plugin("hello"), bomb(&folder)])
        .arg("--compile-time")
        .arg("1 s");
    let mut session = open(&command);
    let greeted = session.call("hello__greet", json!({"name": "Ada"}));
    assert_eq!(rpc::tool_text(&greeted), "Hello, Ada!");
    let finished = session.finish().success();
    assert!(
        finished.stderr.starts_with("palisade: bomb is left out: ")
            && finished.stderr.contains("longer than 1 s"),
        "{}",
        finished.stderr
    );
}

#[test]
fn what_has_been_compiled_pays_nothing() {
    let cache = tempfile::tempdir().unwrap();
    let command =
        Palisade::call(plugin("hello"), "greet", r#"{"name": "Ada"}"#).cache(cache.path());
    let hurried = command.clone().arg("--compile-time").arg("1 ms");
    assert_eq!(hurried.output().code, Some(FAILED));
    command.output().success();
    hurried.output().success();
}

#[test]
fn where_no_process_can_be_started_nothing_is_compiled() {
    let cache = tempfile::tempdir().unwrap();
    let mut table = Table::default();
    let command = Palisade::inspect(plugin("hello"))
        .cache(cache.path())
        .under(WITHOUT, &["processes"]);
    table.row("no processes", &command, FAILED, &["hello.wasm", "process"]);
}

/// It has nothing that it could give away, and ends with the one that started
/// it.
#[test]
fn the_process_is_held_back_itself() {
    let folder = tempfile::tempdir().unwrap();
    let session = Palisade::run(bomb(&folder)).start();
    let deadline = Instant::now() + palisade_tests::PATIENCE;
    let host = session.process.id();
    let (child, threads) = loop {
        assert!(Instant::now() < deadline, "there is no such process");
        let Some(child) = child_of(host) else {
            std::thread::yield_now();
            continue;
        };
        // It is at it once it computes on threads of its own.
        let threads = statuses(child);
        if threads.len() > 1 {
            break (child, threads);
        }
        std::thread::yield_now();
    };
    for status in threads {
        for says in ["NoNewPrivs:\t1", "Seccomp:\t2"] {
            assert!(status.contains(says), "{status}");
        }
    }
    let proc = PathBuf::from(format!("/proc/{child}"));
    let limits = fs::read_to_string(proc.join("limits")).unwrap();
    let data = limits
        .lines()
        .find(|line| line.starts_with("Max data size"));
    assert!(data.unwrap().contains("4294967296"), "{limits}");
    let environment = fs::read(proc.join("environ")).unwrap();
    assert!(
        !String::from_utf8_lossy(&environment).contains("HOME="),
        "it has our environment"
    );
    let child = Pid::from_raw(i32::try_from(child).unwrap()).unwrap();
    let child = pidfd_open(child, PidfdFlags::empty()).unwrap();
    drop(session);
    let mut ended = [rustix::event::PollFd::new(
        &child,
        rustix::event::PollFlags::IN,
    )];
    let patience = rustix::event::Timespec {
        tv_sec: 30,
        tv_nsec: 0,
    };
    let ready = rustix::event::poll(&mut ended, Some(&patience)).unwrap();
    assert_eq!(ready, 1, "it outlives the one that started it");
}

fn child_of(host: u32) -> Option<u32> {
    let children = fs::read_to_string(format!("/proc/{host}/task/{host}/children")).ok()?;
    children.split_whitespace().next()?.parse().ok()
}

fn statuses(process: u32) -> Vec<String> {
    let tasks = fs::read_dir(Path::new("/proc").join(process.to_string()).join("task"));
    let status = |task: std::io::Result<fs::DirEntry>| {
        fs::read_to_string(task.ok()?.path().join("status")).ok()
    };
    tasks.into_iter().flatten().filter_map(status).collect()
}
