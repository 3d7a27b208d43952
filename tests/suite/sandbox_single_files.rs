//! A file that is granted alone is there under its own name, and nothing else
//! of the folder it lies in.

use std::fs;
use std::os::unix::fs::symlink;

use palisade_tests::{Palisade, Session, guest, plugin};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;

use crate::mistakes::{FAILED, REFUSED, Table};
use palisade_tests::stage::{SECRET, Stage, done, open, refused, state_of};

fn session(stage: &Stage, name: &str, access: &str) -> Session {
    let flag = format!("in={}:{access}", stage.inside().join("a.txt").display());
    open(&Palisade::run(guest(name)).arg("--file").arg(flag))
}

fn stage() -> Stage {
    let stage = Stage::new();
    fs::write(stage.inside().join("b.txt"), SECRET).unwrap();
    symlink("b.txt", stage.inside().join("link")).unwrap();
    stage
}

#[test]
fn it_is_all_there_is() {
    let stage = stage();
    let mut session = session(&stage, "escapes", "ro");
    let a = json!({"path": "/in/a.txt"});
    assert_eq!(done(&mut session, "read", a), "the inside's a");
    assert_eq!(done(&mut session, "list", json!({"path": "/in"})), "a.txt");
    for path in [
        "b.txt",
        "link",
        "sub",
        "sub/b.txt",
        "../inside/b.txt",
        "A.TXT",
        "a.txt/x",
    ] {
        let path = json!({"path": format!("/in/{path}")});
        for tool in ["read", "stat", "list", "read_link"] {
            refused(&mut session, tool, path.clone());
        }
    }
    let uri = format!("file://{}", stage.inside().join("a.txt").display());
    let roots = done(&mut session, "roots", json!({}));
    assert_eq!(roots, format!("in /in/a.txt {uri} false"));
}

#[test]
fn it_is_read_only_unless_said_otherwise() {
    let stage = stage();
    let before = state_of(&stage.inside());
    let flag = format!("in={}", stage.inside().join("a.txt").display());
    let mut session = open(&Palisade::run(guest("escapes")).arg("--file").arg(flag));
    for (tool, more) in [("write", "text"), ("append", "text")] {
        let mut arguments = json!({"path": "/in/a.txt"});
        arguments[more] = json!("mine");
        refused(&mut session, tool, arguments);
    }
    refused(
        &mut session,
        "truncate",
        json!({"path": "/in/a.txt", "bytes": 0}),
    );
    refused(&mut session, "delete", json!({"path": "/in/a.txt"}));
    assert_eq!(state_of(&stage.inside()), before);
}

#[test]
fn it_is_written_in_place() {
    let stage = stage();
    let mut session = session(&stage, "escapes", "rw");
    let write = json!({"path": "/in/a.txt", "text": "mine"});
    done(&mut session, "write", write);
    done(
        &mut session,
        "append",
        json!({"path": "/in/a.txt", "text": "!"}),
    );
    done(&mut session, "set_time", json!({"path": "/in/a.txt"}));
    let file = stage.inside().join("a.txt");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine!");
    // Replaced by somebody else, it is still the file of this name.
    let new = stage.inside().join("new");
    fs::write(&new, "theirs").unwrap();
    fs::rename(&new, &file).unwrap();
    let a = json!({"path": "/in/a.txt"});
    assert_eq!(done(&mut session, "read", a.clone()), "theirs");
    // But where it has become a link, that leads nowhere.
    fs::remove_file(&file).unwrap();
    symlink("b.txt", &file).unwrap();
    refused(&mut session, "read", a);
}

#[test]
fn nothing_is_made_moved_or_taken_away_beside_it() {
    let stage = stage();
    let before = state_of(&stage.inside());
    let mut guest = session(&stage, "escapes-by-handle", "rw");
    let at = |path: &str| json!({"root": "/in", "path": path});
    for path in ["new", "b.txt", "a.txt", "."] {
        for tool in ["create_directory_at", "remove_directory_at", "unlink_at"] {
            refused(&mut guest, tool, at(path));
        }
        let mut link = at(path);
        link["target"] = json!("a.txt");
        refused(&mut guest, "symlink_at", link);
        for (from, to) in [(path, "new"), ("a.txt", path)] {
            let mut two = json!({"root": "/in", "path": from, "to_root": "/in", "to_path": to});
            refused(&mut guest, "rename_at", two.clone());
            two["follow"] = json!(false);
            refused(&mut guest, "link_at", two);
        }
        if path != "a.txt" {
            let mut write = at(path);
            write["text"] = json!("mine");
            refused(&mut guest, "write_at", write);
            for follow in [true, false] {
                let mut times = at(path);
                times["follow"] = json!(follow);
                refused(&mut guest, "set_times_at", times);
            }
        }
    }
    refused(&mut guest, "set_own_times", json!({"root": "/in"}));
    refused(&mut guest, "set_own_times", json!({"root": "/in:."}));
    assert_eq!(done(&mut guest, "list_at", at(".")), "file a.txt");
    assert_eq!(state_of(&stage.inside()), before);
}

#[test]
fn a_grant_file_says_it_with_file() {
    let stage = stage();
    let grant = stage.path().join("grant.toml");
    let text = "[[roots]]\nname = \"in\"\nfile = \"inside/link\"\naccess = \"read-only\"\n";
    fs::write(&grant, text).unwrap();
    let mut session = open(&Palisade::run(guest("escapes")).grant(&grant));
    // The link was followed once; the file has its own name.
    assert_eq!(
        done(&mut session, "read", json!({"path": "/in/b.txt"})),
        SECRET
    );
    assert_eq!(done(&mut session, "list", json!({"path": "/in"})), "b.txt");
    let inspected = Palisade::inspect(guest("escapes")).grant(&grant).output();
    let row = format!(
        "{} ro, this file alone",
        stage.inside().join("b.txt").display()
    );
    assert!(inspected.stdout.contains(&row), "{inspected:?}");
    assert!(inspected.stdout.contains("file in"), "{inspected:?}");
}

#[test]
fn of_several_plugins_one_gets_it() {
    let stage = stage();
    let file = stage.inside().join("a.txt");
    let command = Palisade::run_several([
        format!("one={}", guest("escapes").display()),
        format!("two={}", guest("escapes").display()),
    ]);
    let command = command
        .arg("--file")
        .arg(format!("two/in={}", file.display()));
    let mut session = open(&command);
    let a = json!({"path": "/in/a.txt"});
    assert_eq!(done(&mut session, "two__read", a.clone()), "the inside's a");
    refused(&mut session, "one__read", a);
}

/// The plugin for files works with it as with any file.
#[test]
fn the_plugin_for_files_edits_it() {
    let stage = stage();
    let file = stage.inside().join("a.txt");
    let flag = format!("todo={}:rw", file.display());
    let mut session = open(&Palisade::run(plugin("filesystem")).arg("--file").arg(flag));
    let write = json!({"path": file, "content": "a longer text than before\n"});
    done(&mut session, "write_file", write);
    let edits = json!([{"oldText": "a longer text", "newText": "less"}]);
    done(
        &mut session,
        "edit_file",
        json!({"path": file, "edits": edits}),
    );
    let read = json!({"path": file});
    assert_eq!(
        done(&mut session, "read_text_file", read),
        "less than before\n"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "less than before\n");
    refused(
        &mut session,
        "read_text_file",
        json!({"path": stage.inside().join("b.txt")}),
    );
    let beside = json!({"path": stage.inside().join("new.txt"), "content": "mine"});
    refused(&mut session, "write_file", beside);
}

#[test]
fn what_is_no_file_is_refused() {
    let stage = stage();
    let inside = stage.inside();
    let fifo = inside.join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let run = |flag: &str, path: &str| {
        let path = inside.join(path);
        Palisade::run(guest("escapes"))
            .arg(flag)
            .arg(format!("in={}", path.display()))
    };
    let mut table = Table::default();
    let rows: [(&str, &str, &str, &[&str]); 5] = [
        (
            "a folder",
            "--file",
            "sub",
            &["not a regular file", "--root"],
        ),
        (
            "a pipe",
            "--file",
            "fifo",
            &["not a regular file", "lies in"],
        ),
        (
            "a missing file",
            "--file",
            "none",
            &["file", "does not exist", "--file"],
        ),
        (
            "a file as a folder",
            "--root",
            "a.txt",
            &["not a directory", "--file"],
        ),
        (
            "a pipe as a folder",
            "--root",
            "fifo",
            &["not a directory", "lies in"],
        ),
    ];
    for (what, flag, path, says) in rows {
        table.row(what, &run(flag, path), FAILED, says);
    }
    let no_path = Palisade::run(guest("escapes")).arg("--file").arg("in=");
    table.row("no path", &no_path, 2, &["has no path", "--file"]);
}

/// What decides about grants is not for plugins to write.
#[test]
fn a_grant_does_not_grant_itself() {
    let stage = stage();
    let grant = stage.path().join("grant.toml");
    for (access, code) in [("read-write", Some(REFUSED)), ("read-only", Some(0))] {
        let text = format!("[[roots]]\nname = \"g\"\nfile = {grant:?}\naccess = \"{access}\"\n");
        fs::write(&grant, text).unwrap();
        let finished = Palisade::run(guest("escapes")).grant(&grant).output();
        assert_eq!(finished.code, code, "{finished:?}");
    }
    // Nor what Palisade keeps for itself.
    let command = Palisade::run(guest("escapes"));
    let own = command.home().join(".config/palisade");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("x"), "").unwrap();
    let flag = format!("x={}", own.join("x").display());
    let finished = command.arg("--file").arg(flag).output();
    assert_eq!(finished.code, Some(REFUSED), "{finished:?}");
}
