//! Behind the sandbox stands a second wall: the process itself can do no more
//! than its grants need. What the wall is made of is tried in
//! `host/hardening/tests`; here is that it stands around everything that runs.

use std::fs;
use std::path::Path;

use palisade_tests::{Palisade, Process, Session, guest, plugin, rpc};
use serde_json::json;

use crate::mistakes::{REFUSED, Table};
use palisade_tests::stage::{SECRET, Stage, open};

/// Starts a program on a system that lacks something.
pub(crate) const WITHOUT: &str = env!("CARGO_BIN_EXE_without");

/// Every thread there is has given up its rights, and is behind the filter.
#[track_caller]
fn stands(process: &Process) {
    let threads = process.threads();
    assert!(!threads.is_empty());
    for status in threads {
        let says = |line: &str| status.lines().any(|found| found == line);
        assert!(says("NoNewPrivs:\t1"), "{status}");
        assert!(says("Seccomp:\t2"), "{status}");
    }
}

/// The log says that all of it stands, and for whom.
#[track_caller]
fn said(stderr: &str) {
    let line = stderr
        .lines()
        .find(|line| line.contains("the second wall stands"))
        .unwrap_or_else(|| panic!("{stderr}"));
    assert!(line.contains("landlock=ABI"), "{line}");
    assert!(line.contains(" system calls refused"), "{line}");
    assert!(line.contains("outside=0"), "{line}");
}

/// Calls that overlap, so that there are threads for them.
fn side_by_side(session: &mut Session, tool: &str, arguments: &serde_json::Value) {
    let ids: Vec<_> = (0..16)
        .map(|_| session.request("tools/call", rpc::tool(tool, arguments.clone())))
        .collect();
    for id in ids {
        rpc::result(&session.answer(id));
    }
}

fn strict(command: Palisade) -> Palisade {
    command
        .env("PALISADE_LOG", "palisade=debug")
        .arg("--require-hardening")
}

#[test]
fn around_a_session_whether_the_plugin_was_compiled_before_or_not() {
    let cache = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let command = strict(Palisade::run(plugin("hello"))).cache(cache.path());
        let mut session = open(&command);
        side_by_side(&mut session, "greet", &json!({"name": "Ada"}));
        stands(&session.process);
        said(&session.finish().success().stderr);
    }
}

#[test]
fn around_several_plugins_one_of_which_is_no_good() {
    let folder = tempfile::tempdir().unwrap();
    let cache = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad.wasm"), "no component").unwrap();
    let plugins = [
        plugin("hello"),
        folder.path().join("bad.wasm"),
        plugin("filesystem"),
    ];
    let command = strict(Palisade::run_several(plugins))
        .cache(cache.path())
        .root("filesystem/docs", folder.path(), "rw");
    let mut session = open(&command);
    side_by_side(&mut session, "hello__greet", &json!({"name": "Ada"}));
    let new = json!({"path": "/docs/new.txt", "content": "new"});
    session.call("filesystem__write_file", new);
    assert_eq!(
        fs::read_to_string(folder.path().join("new.txt")).unwrap(),
        "new"
    );
    stands(&session.process);
    said(&session.finish().success().stderr);
}

#[test]
fn around_a_server_over_http() {
    let cache = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let server = strict(Palisade::run(plugin("hello")))
            .cache(cache.path())
            .serve();
        let mut session = server.session("2025-11-25");
        let result = session.call("greet", json!({"name": "Ada"}));
        assert_eq!(rpc::tool_text(&result), "Hello, Ada!");
        stands(&server.process.process);
        said(&server.process.stderr());
    }
}

#[test]
fn around_a_single_call() {
    let command = Palisade::call(plugin("hello"), "greet", r#"{"name": "Ada"}"#);
    let finished = strict(command).output().success();
    assert_eq!(finished.stdout, "Hello, Ada!\n");
    said(&finished.stderr);
}

/// A handle that a guest holds leads nowhere once what it stands for has been
/// taken out of what is granted. The sandbox can't know that; the kernel does.
#[test]
fn what_is_moved_out_of_a_root_is_out_of_reach() {
    let result = held_while_moved(|command| command);
    assert_eq!(result["isError"], true, "{result}");
    assert_eq!(rpc::tool_error(&result), "access");
}

/// Without the wall, the same handle leads there.
#[test]
fn without_the_wall_it_would_be_within_reach() {
    let result = held_while_moved(|command| command.under(WITHOUT, &["landlock"]));
    assert_eq!(rpc::tool_text(&result), SECRET);
}

fn held_while_moved(how: impl FnOnce(Palisade) -> Palisade) -> serde_json::Value {
    let stage = Stage::new();
    let inner = stage.inside().join("sub");
    fs::write(inner.join("secret.txt"), SECRET).unwrap();
    let command = Palisade::run(guest("escapes-by-handle")).root("in", stage.inside(), "rw");
    let mut session = open(&how(command));
    let arguments = json!({"root": "/in", "directory": "sub", "name": "secret.txt"});
    let mut params = rpc::tool("hold", arguments);
    params["_meta"]["progressToken"] = json!("held");
    let id = session.request("tools/call", params);
    let told = session.receive().unwrap();
    assert_eq!(told["method"], "notifications/progress", "{told}");
    fs::rename(inner, stage.outside().join("moved")).unwrap();
    fs::write(stage.inside().join("go"), "").unwrap();
    let answer = session.answer(id);
    rpc::result(&answer).clone()
}

#[test]
fn where_there_is_none_a_person_is_warned_once_and_served() {
    for what in ["landlock", "seccomp"] {
        let command = Palisade::run(plugin("hello")).under(WITHOUT, &[what]);
        let mut session = open(&command);
        session.call("greet", json!({"name": "Ada"}));
        let finished = session.finish().success();
        let lines: Vec<_> = finished.stderr.lines().collect();
        let [line] = lines.as_slice() else {
            panic!("{}", finished.stderr);
        };
        assert!(
            line.starts_with("palisade: there is no second wall"),
            "{line}"
        );
        assert!(line.to_lowercase().contains(what), "{line}");
        assert!(line.contains("palisade doctor"), "{line}");
    }
}

#[test]
fn where_there_is_none_and_it_is_required_nothing_starts() {
    let mut table = Table::default();
    let folder = tempfile::tempdir().unwrap();
    let marker = |path: &Path| fs::read_dir(path).unwrap().count();
    for what in ["landlock", "seccomp"] {
        let file = plugin("hello");
        let http = ["--http", "127.0.0.1:0", "--no-auth"];
        let commands = [
            Palisade::run(&file),
            Palisade::run_several([&file, &plugin("filesystem")]),
            Palisade::call(&file, "greet", r#"{"name": "Ada"}"#),
            http.iter()
                .fold(Palisade::run(&file), |it, arg| it.arg(arg)),
        ];
        for command in commands {
            let command = command
                .under(WITHOUT, &[what])
                .cache(folder.path())
                .arg("--require-hardening");
            table.row(what, &command, REFUSED, &["--require-hardening", "doctor"]);
        }
    }
    assert_eq!(marker(folder.path()), 0, "nothing has been compiled");
}
