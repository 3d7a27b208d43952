//! No path leads out of a granted folder: not by `..`, not as an absolute one,
//! and neither through the guest's libc nor past it.

use palisade_tests::Session;
use palisade_tests::stage::{Stage, done, refused, state_of};
use serde_json::{Value, json};

/// What a guest may do to one path. Each must fail for a path that leads out.
fn everything(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("read", json!({"path": path})),
        ("stat", json!({"path": path})),
        ("write", json!({"path": path, "text": "mine"})),
        ("append", json!({"path": path, "text": "mine"})),
        ("truncate", json!({"path": path, "bytes": 0})),
        ("set_time", json!({"path": path})),
        ("rename", json!({"from": path, "to": "/in/got"})),
        ("rename", json!({"from": "/in/a.txt", "to": path})),
        ("link", json!({"from": path, "to": "/in/got"})),
        ("link", json!({"from": "/in/a.txt", "to": path})),
        ("read_link", json!({"path": path})),
        ("delete", json!({"path": path})),
    ]
}

/// The same by handle, where nothing but the host checks the path.
fn everything_at(path: &str) -> Vec<(&'static str, Value)> {
    let at = json!({"root": "/in", "path": path});
    let and = |more: Value| {
        let mut at = at.clone();
        for (key, value) in more.as_object().unwrap() {
            at[key] = value.clone();
        }
        at
    };
    vec![
        ("read_at", and(json!({"follow": true}))),
        ("read_at", and(json!({"follow": false}))),
        ("stat_at", and(json!({"follow": true}))),
        ("write_at", and(json!({"text": "mine"}))),
        ("write_read_only", at.clone()),
        ("truncate_at", at.clone()),
        ("set_times_at", and(json!({"follow": true}))),
        (
            "rename_at",
            and(json!({"to_root": "/in", "to_path": "got"})),
        ),
        (
            "rename_at",
            json!({"root": "/in", "path": "a.txt", "to_root": "/in", "to_path": path}),
        ),
        (
            "link_at",
            and(json!({"to_root": "/in", "to_path": "got", "follow": false})),
        ),
        (
            "link_at",
            and(json!({"to_root": "/in", "to_path": "got", "follow": true})),
        ),
        (
            "link_at",
            json!({"root": "/in", "path": "a.txt", "to_root": "/in", "to_path": path, "follow": false}),
        ),
        (
            "symlink_at",
            json!({"root": "/in", "target": "a.txt", "path": path}),
        ),
        ("unlink_at", at.clone()),
    ]
}

/// And what may be done to a folder.
fn all_of_a_folder_at(path: &str) -> Vec<(&'static str, Value)> {
    let at = json!({"root": "/in", "path": path});
    vec![
        ("list_at", at.clone()),
        ("remove_directory_at", at),
        (
            "create_in",
            json!({"root": "/in", "directory": path, "name": "mine"}),
        ),
        (
            "create_directory_at",
            json!({"root": "/in", "path": format!("{path}/mine")}),
        ),
    ]
}

fn all_refused(stage: &Stage, session: &mut Session, calls: Vec<(&'static str, Value)>) {
    let before = (state_of(&stage.inside()), state_of(&stage.outside()));
    for (tool, arguments) in calls {
        refused(session, tool, arguments);
    }
    let after = (state_of(&stage.inside()), state_of(&stage.outside()));
    assert_eq!(after, before);
}

#[test]
fn not_by_dots_or_as_absolute_ones() {
    let stage = Stage::new();
    let outside = stage.outside().join("secret.txt");
    let mut session = stage.session("escapes", "rw");
    for path in [
        "/in/../outside/secret.txt",
        "/in/sub/../../outside/secret.txt",
        "/in/./sub/.././../outside/secret.txt",
        "../outside/secret.txt",
        "/outside/secret.txt",
        outside.to_str().unwrap(),
    ] {
        all_refused(&stage, &mut session, everything(path));
    }
    for path in ["/in/..", "/in/../outside", "/", "..", "/etc"] {
        refused(&mut session, "list", json!({"path": path}));
    }
    assert_eq!(
        done(&mut session, "read", json!({"path": "/in/sub/../a.txt"})),
        "the inside's a"
    );
}

#[test]
fn not_by_handle_either() {
    let stage = Stage::new();
    let outside = stage.outside();
    let mut session = stage.session("escapes-by-handle", "rw");
    for path in [
        "../outside/secret.txt",
        "sub/../../outside/secret.txt",
        "./../outside/secret.txt",
        outside.join("secret.txt").to_str().unwrap(),
    ] {
        all_refused(&stage, &mut session, everything_at(path));
    }
    for path in ["..", "../outside", "sub/../..", outside.to_str().unwrap()] {
        all_refused(&stage, &mut session, all_of_a_folder_at(path));
    }
    let read = json!({"root": "/in", "path": "sub/../a.txt", "follow": true});
    assert_eq!(done(&mut session, "read_at", read), "file: the inside's a");
}

/// Of a file, where one is already, or of what a link leads to.
fn is_never_possible(tool: &str, arguments: &Value) -> bool {
    let is_there = ["to", "to_path"]
        .map(|to| arguments[to].as_str().unwrap_or_default())
        .iter()
        .any(|to| to.ends_with("b.txt"));
    match tool {
        "read_link" | "symlink_at" | "write_read_only" => true,
        "link" => is_there,
        "link_at" => is_there || arguments["follow"] == true,
        _ => false,
    }
}

/// What is refused above is refused because of the path.
#[test]
fn the_same_calls_work_inside() {
    let paths = ("/in/sub/b.txt", "sub/b.txt");
    for (guest, calls) in [
        ("escapes", everything(paths.0)),
        ("escapes-by-handle", everything_at(paths.1)),
    ] {
        for (tool, arguments) in calls {
            if is_never_possible(tool, &arguments) {
                continue;
            }
            let stage = Stage::new();
            done(&mut stage.session(guest, "rw"), tool, arguments);
        }
    }
}

#[test]
fn not_through_the_system() {
    let stage = Stage::new();
    let mut session = stage.session("escapes", "rw");
    for path in [
        "/proc/self/environ",
        "/proc/self/cwd",
        "/proc/self/root/etc/passwd",
        "/proc/self/fd/0",
        "/dev/fd/0",
        "/dev/stdin",
        "/dev/shm",
        "/sys/kernel",
        "/tmp",
        "/etc/passwd",
        "/in/../proc/self/environ",
    ] {
        for tool in ["read", "stat", "list", "read_link"] {
            refused(&mut session, tool, json!({"path": path}));
        }
    }
}

#[test]
fn not_by_strange_names() {
    let stage = Stage::new();
    let mut by_libc = stage.session("escapes", "rw");
    let mut by_handle = stage.session("escapes-by-handle", "rw");
    let before = (state_of(&stage.inside()), state_of(&stage.outside()));
    let deep = format!("{}outside/secret.txt", "sub/../".repeat(20_000));
    let long = "x".repeat(5_000);
    for path in [
        "",
        "\0",
        "a.txt\0../outside/secret.txt",
        "../outside/secret.txt\0",
        "..\\outside\\secret.txt",
        "..%2foutside%2fsecret.txt",
        "．．/outside/secret.txt",
        "‥/outside/secret.txt",
        "..\u{2215}outside\u{2215}secret.txt",
        "..\u{202e}/outside/secret.txt",
        ".. /outside/secret.txt",
        "~/secret.txt",
        "file:///etc/passwd",
        &deep,
        &long,
    ] {
        let read = by_libc.call("read", json!({"path": format!("/in/{path}")}));
        assert_eq!(read["isError"], true, "{path:?}: {read}");
        for follow in [true, false] {
            let at = json!({"root": "/in", "path": path, "follow": follow});
            refused(&mut by_handle, "read_at", at);
        }
    }
    assert_eq!(
        (state_of(&stage.inside()), state_of(&stage.outside())),
        before
    );
    // Where a name is only strange, it is a name like any other.
    let name = "/in/..\u{202e}．．\\\n\u{1b}é 中 .txt";
    done(&mut by_libc, "write", json!({"path": name, "text": "odd"}));
    assert_eq!(done(&mut by_libc, "read", json!({"path": name})), "odd");
    assert_eq!(state_of(&stage.outside()), before.1);
}
