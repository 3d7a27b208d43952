//! A client changes files through the filesystem plugin.

use serde_json::{Value, json};

use crate::filesystem_stage::{Notes, at, failure, text};

fn edit(path: &str, old: &str, new: &str, dry_run: bool) -> Value {
    json!({
        "path": path,
        "edits": [{"oldText": old, "newText": new}],
        "dryRun": dry_run,
    })
}

#[test]
fn writing() {
    let notes = Notes::new();
    let client = notes.client("rw");
    for (name, contents) in [("new.md", "new"), ("a.md", "replaced ü"), ("b.md", "")] {
        let path = format!("/notes/{name}");
        let write = json!({"path": path, "content": contents});
        let said = text(&client, "write_file", write);
        assert_eq!(said, format!("Successfully wrote to {path}"));
        assert_eq!(notes.read(name), contents);
    }
    let missing = json!({"path": "/notes/none/new.md", "content": "new"});
    failure(&client, "write_file", missing);
    failure(
        &client,
        "write_file",
        json!({"path": "/notes/sub", "content": ""}),
    );
    assert_eq!(notes.read("sub/c.txt"), "sea\n");
}

#[test]
fn editing_dry_and_for_good() {
    let notes = Notes::new();
    let client = notes.client("rw");
    let dry = text(&client, "edit_file", edit("/notes/a.md", "two", "2", true));
    assert!(
        dry.starts_with("```diff\n") && dry.contains("-two\n+2\n"),
        "{dry}"
    );
    assert_eq!(notes.read("a.md"), "one\ntwo\nthree\n");

    let done = text(&client, "edit_file", edit("/notes/a.md", "two", "2", false));
    assert_eq!(done, dry);
    assert_eq!(notes.read("a.md"), "one\n2\nthree\n");

    let several = json!({
        "path": "/notes/a.md",
        "edits": [
            {"oldText": "one", "newText": "1"},
            {"oldText": "three\n", "newText": "3\n4\n"},
        ],
    });
    text(&client, "edit_file", several);
    assert_eq!(notes.read("a.md"), "1\n2\n3\n4\n");

    // One that does not match spoils them all.
    let several = json!({
        "path": "/notes/a.md",
        "edits": [
            {"oldText": "1", "newText": "one"},
            {"oldText": "five", "newText": "5"},
        ],
    });
    let why = failure(&client, "edit_file", several);
    assert!(why.contains("five"), "{why}");
    assert_eq!(notes.read("a.md"), "1\n2\n3\n4\n");
}

#[test]
fn creating_directories() {
    let notes = Notes::new();
    let client = notes.client("rw");
    for _ in 0..2 {
        text(&client, "create_directory", at("/notes/x/y/z"));
        assert!(notes.path().join("x/y/z").is_dir());
    }
    failure(&client, "create_directory", at("/notes/a.md"));
    failure(&client, "create_directory", at("/notes/a.md/x"));
    assert_eq!(notes.read("a.md"), "one\ntwo\nthree\n");
}

#[test]
fn moving() {
    let notes = Notes::new();
    let client = notes.client("rw");
    let moved = |from: &str, to: &str| json!({"source": format!("/notes/{from}"), "destination": format!("/notes/{to}")});
    text(&client, "move_file", moved("a.md", "sub/a2.md"));
    assert_eq!(notes.read("sub/a2.md"), "one\ntwo\nthree\n");
    assert!(!notes.path().join("a.md").exists());
    text(&client, "move_file", moved("sub", "sub2"));
    assert_eq!(notes.read("sub2/deep/d.md"), "dee\n");
    // Nothing is ever overwritten.
    failure(&client, "move_file", moved("b.md", "sub2/a2.md"));
    failure(&client, "move_file", moved("b.md", "sub2"));
    failure(&client, "move_file", moved("none", "x"));
    failure(&client, "move_file", moved("sub2", "sub2/in/itself"));
    assert_eq!(notes.read("b.md"), "bee\n");
    assert_eq!(notes.read("sub2/a2.md"), "one\ntwo\nthree\n");
}

#[test]
fn nothing_where_only_reading_is_granted() {
    let notes = Notes::new();
    let client = notes.client("ro");
    let before = palisade_tests::stage::state_of(&notes.path());
    for (tool, arguments) in [
        ("write_file", json!({"path": "/notes/a.md", "content": ""})),
        (
            "write_file",
            json!({"path": "/notes/new.md", "content": ""}),
        ),
        ("edit_file", edit("/notes/a.md", "two", "2", false)),
        ("create_directory", at("/notes/new")),
        (
            "move_file",
            json!({"source": "/notes/a.md", "destination": "/notes/z.md"}),
        ),
    ] {
        let why = failure(&client, tool, arguments);
        assert!(why.contains("read-only"), "{tool}: {why}");
    }
    let dry = text(&client, "edit_file", edit("/notes/a.md", "two", "2", true));
    assert!(dry.contains("+2"), "{dry}");
    assert_eq!(palisade_tests::stage::state_of(&notes.path()), before);
}
