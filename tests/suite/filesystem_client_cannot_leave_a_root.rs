//! Whatever path a client names, and whatever links there are: it gets no
//! further than the folder that was granted.

use std::fs;
use std::os::unix::fs::symlink;

use palisade_tests::stage::state_of;
use palisade_tests::{Client, Palisade, plugin};
use serde_json::{Value, json};

use crate::filesystem_stage::{Notes, at, failure, text};

const SECRET: &str = "nobody's business";

fn with_a_secret() -> Notes {
    let notes = Notes::new();
    fs::write(notes.outside().join("secret.md"), SECRET).unwrap();
    notes
}

/// Every tool that takes a path, with this one.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    let edits = json!([{"oldText": SECRET, "newText": ""}]);
    vec![
        ("read_text_file", at(path)),
        ("read_file", at(path)),
        ("read_media_file", at(path)),
        ("write_file", json!({"path": path, "content": "mine"})),
        ("edit_file", json!({"path": path, "edits": edits})),
        ("create_directory", at(format!("{path}/mine"))),
        ("list_directory", at(path)),
        ("list_directory_with_sizes", at(path)),
        ("directory_tree", at(path)),
        ("search_files", json!({"path": path, "pattern": "**"})),
        ("get_file_info", at(path)),
        (
            "move_file",
            json!({"source": path, "destination": "/notes/got"}),
        ),
        (
            "move_file",
            json!({"source": "/notes/a.md", "destination": path}),
        ),
    ]
}

fn nothing_gets_through(notes: &Notes, client: &Client, paths: &[String]) {
    let before = (state_of(&notes.path()), state_of(&notes.outside()));
    for path in paths {
        for (tool, arguments) in calls(path) {
            let shown = format!("{tool} {arguments}");
            let result = client.call(tool, arguments);
            assert_eq!(result["isError"], true, "{shown} worked: {result}");
            assert!(!result.to_string().contains(SECRET), "{shown}: {result}");
        }
        let several = json!({"paths": [path]});
        let read = client.call("read_multiple_files", several);
        assert!(!read.to_string().contains(SECRET), "{path}: {read}");
    }
    let after = (state_of(&notes.path()), state_of(&notes.outside()));
    assert_eq!(after, before);
}

#[test]
fn by_a_path() {
    let notes = with_a_secret();
    let client = notes.client("rw");
    let outside = notes.outside();
    let outside = outside.to_str().unwrap();
    let paths = [
        "/notes/../outside/secret.md".to_owned(),
        "/notes/../outside".to_owned(),
        "/notes/sub/../../outside/secret.md".to_owned(),
        "../outside/secret.md".to_owned(),
        format!("{outside}/secret.md"),
        outside.to_owned(),
        format!("{}/../outside/secret.md", notes.host("")),
        format!("{}x/secret.md", notes.host("")),
        "/".to_owned(),
        "/notes/..".to_owned(),
        "/etc/passwd".to_owned(),
        "/proc/self/environ".to_owned(),
        "~/secret.md".to_owned(),
        "/notes/a.md\0/../../outside/secret.md".to_owned(),
    ];
    nothing_gets_through(&notes, &client, &paths);
}

#[test]
fn by_a_link() {
    let notes = with_a_secret();
    let outside = notes.outside();
    symlink(outside.join("secret.md"), notes.path().join("absolute")).unwrap();
    symlink("../outside/secret.md", notes.path().join("relative")).unwrap();
    symlink("../outside", notes.path().join("folder")).unwrap();
    symlink("folder/secret.md", notes.path().join("chain")).unwrap();
    let client = notes.client("rw");
    let before = (state_of(&notes.path()), state_of(&outside));
    for name in [
        "absolute",
        "relative",
        "folder/secret.md",
        "chain",
        "folder",
    ] {
        for path in [format!("/notes/{name}"), notes.host(name)] {
            for (tool, arguments) in calls(&path) {
                // The link itself is inside, and may be moved away.
                if tool == "move_file" && !name.contains('/') {
                    continue;
                }
                let shown = format!("{tool} {arguments}");
                let result = client.call(tool, arguments);
                assert_eq!(result["isError"], true, "{shown} worked: {result}");
                assert!(!result.to_string().contains(SECRET), "{shown}: {result}");
            }
        }
    }
    // What looks through everything does not look through them.
    let everything = json!({"path": "/notes", "pattern": "**"});
    let found = text(&client, "search_files", everything);
    assert!(!found.contains("secret"), "{found}");
    let tree = text(&client, "directory_tree", at("/notes"));
    assert!(!tree.contains("secret"), "{tree}");
    assert_eq!((state_of(&notes.path()), state_of(&outside)), before);
}

#[test]
fn from_one_root_into_another() {
    let notes = with_a_secret();
    let command = Palisade::run(plugin("filesystem"))
        .root("notes", notes.path(), "rw")
        .root("other", notes.outside(), "ro");
    let client = Client::connect(&command);
    let before = (state_of(&notes.path()), state_of(&notes.outside()));
    for (source, destination) in [
        ("/other/secret.md", "/notes/got.md"),
        ("/notes/a.md", "/other/a.md"),
    ] {
        let moved = json!({"source": source, "destination": destination});
        failure(&client, "move_file", moved);
    }
    let write = json!({"path": "/other/secret.md", "content": "mine"});
    failure(&client, "write_file", write);
    let through = json!({"path": "/notes/../other/secret.md"});
    let read = client.call("read_text_file", through);
    // Both are granted: to name one by the other is no way out, nor is it a
    // way to write.
    assert!(read["isError"] == true || read.to_string().contains(SECRET));
    let after = (state_of(&notes.path()), state_of(&notes.outside()));
    assert_eq!(after, before);
}
