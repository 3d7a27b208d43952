//! Links are followed as long as they stay inside a granted folder, whoever
//! made them and whenever.

use palisade_tests::stage::{Stage, done, refused, state_of};
use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

#[test]
fn those_the_host_made() {
    let stage = Stage::new();
    let inside = stage.inside();
    let secret = stage.outside().join("secret.txt");
    symlink("sub/b.txt", inside.join("good")).unwrap();
    symlink("../a.txt", inside.join("sub/good-up")).unwrap();
    symlink(&secret, inside.join("absolute")).unwrap();
    symlink("../outside/secret.txt", inside.join("relative")).unwrap();
    symlink(stage.outside(), inside.join("folder")).unwrap();
    symlink("relative", inside.join("sub/../chain")).unwrap();
    symlink("/", inside.join("top")).unwrap();
    symlink("/proc/self/root", inside.join("proc")).unwrap();
    symlink("loop-b", inside.join("loop-a")).unwrap();
    symlink("loop-a", inside.join("loop-b")).unwrap();
    symlink("../outside/new.txt", inside.join("dangling")).unwrap();
    let before = (state_of(&inside), state_of(&stage.outside()));

    let mut session = stage.session("escapes", "rw");
    let mut by_handle = stage.session("escapes-by-handle", "rw");
    for (path, text) in [
        ("good", "the inside's b"),
        ("sub/good-up", "the inside's a"),
    ] {
        let read = json!({"path": format!("/in/{path}")});
        assert_eq!(done(&mut session, "read", read), text);
        // Not to follow is what opening without following means.
        let read = json!({"root": "/in", "path": path, "follow": false});
        refused(&mut by_handle, "read_at", read);
    }

    let through_top = format!("top{}", secret.display());
    let through_proc = format!("proc{}", secret.display());
    for path in [
        "absolute",
        "relative",
        "folder/secret.txt",
        "chain",
        "loop-a",
        "dangling",
        &through_top,
        &through_proc,
    ] {
        let full = format!("/in/{path}");
        refused(&mut session, "read", json!({"path": full}));
        refused(&mut session, "stat", json!({"path": full}));
        refused(&mut session, "write", json!({"path": full, "text": "mine"}));
        refused(&mut session, "truncate", json!({"path": full, "bytes": 0}));
        for follow in [true, false] {
            let at = json!({"root": "/in", "path": path, "follow": follow});
            refused(&mut by_handle, "read_at", at);
        }
        let at = json!({"root": "/in", "path": path});
        refused(&mut by_handle, "truncate_at", at.clone());
        let mut write = at.clone();
        write["text"] = json!("mine");
        refused(&mut by_handle, "write_at", write);
        let mut times = at;
        times["follow"] = json!(true);
        refused(&mut by_handle, "set_times_at", times);
    }
    for path in ["folder", "top", "proc"] {
        refused(&mut session, "list", json!({"path": format!("/in/{path}")}));
        let new = json!({"path": format!("/in/{path}/mine")});
        refused(&mut session, "create_dir", new);
        let create = json!({"root": "/in", "directory": path, "name": "mine"});
        refused(&mut by_handle, "create_in", create);
        let moved = json!({"from": "/in/a.txt", "to": format!("/in/{path}/mine")});
        refused(&mut session, "rename", moved.clone());
        refused(&mut session, "link", moved);
        let took = json!({"from": format!("/in/{path}/secret.txt"), "to": "/in/got"});
        refused(&mut session, "rename", took.clone());
        refused(&mut session, "link", took);
        let delete = json!({"path": format!("/in/{path}/secret.txt")});
        refused(&mut session, "delete", delete);
    }
    assert_eq!((state_of(&inside), state_of(&stage.outside())), before);
}

#[test]
fn those_the_guest_makes() {
    let stage = Stage::new();
    let outside = state_of(&stage.outside());
    let secret = stage.outside().join("secret.txt");
    let mut session = stage.session("escapes", "rw");
    let mut by_handle = stage.session("escapes-by-handle", "rw");
    let targets = [
        "../outside/secret.txt".to_owned(),
        "sub/../../outside/secret.txt".to_owned(),
        secret.display().to_string(),
        "/proc/self/environ".to_owned(),
        "/dev/stdin".to_owned(),
    ];
    for (number, target) in targets.iter().enumerate() {
        let name = format!("link-{number}");
        // Making one may be refused; following it must be.
        let made = json!({"root": "/in", "target": target, "path": name});
        let made = by_handle.call("symlink_at", made);
        let read = json!({"path": format!("/in/{name}")});
        refused(&mut session, "read", read.clone());
        refused(&mut session, "stat", read);
        let read = json!({"root": "/in", "path": name, "follow": true});
        refused(&mut by_handle, "read_at", read);
        // A link with an absolute target would mislead whoever else works
        // there, so none can be made.
        if target.starts_with('/') {
            assert_eq!(made["isError"], true, "{target}: {made}");
        }
    }
    // Within the folder they are what they are everywhere.
    let link = json!({"target": "sub/b.txt", "path": "/in/mine"});
    done(&mut session, "symlink", link);
    let mine = json!({"path": "/in/mine"});
    assert_eq!(done(&mut session, "read", mine.clone()), "the inside's b");
    assert_eq!(done(&mut session, "read_link", mine), "sub/b.txt");
    assert_eq!(state_of(&stage.outside()), outside);
}

/// A link that is fine when it is made may lead out once it is moved.
#[test]
fn those_that_are_moved() {
    let stage = Stage::new();
    fs::write(stage.path().join("b.txt"), "beside the folder").unwrap();
    let mut session = stage.session("escapes", "rw");
    let link = json!({"target": "../b.txt", "path": "/in/sub/up"});
    done(&mut session, "symlink", link);
    let moved = json!({"from": "/in/sub/up", "to": "/in/up"});
    done(&mut session, "rename", moved);
    refused(&mut session, "read", json!({"path": "/in/up"}));
    refused(&mut session, "stat", json!({"path": "/in/up"}));
}

/// A folder that is replaced by a link between two calls, as another program
/// could do it at any time.
#[test]
fn those_that_appear_later() {
    let stage = Stage::new();
    let mut session = stage.session("escapes", "rw");
    let read = json!({"path": "/in/sub/secret.txt"});
    fs::copy(
        stage.outside().join("secret.txt"),
        stage.inside().join("sub/secret.txt"),
    )
    .unwrap();
    done(&mut session, "read", read.clone());
    fs::rename(stage.inside().join("sub"), stage.inside().join("old")).unwrap();
    symlink(stage.outside(), stage.inside().join("sub")).unwrap();
    refused(&mut session, "read", read);
}
