//! A path may be written as the plugin sees it or as the host does; the answer
//! comes in the same form.

use palisade_tests::{Client, Palisade, plugin};
use serde_json::{Value, json};

use crate::filesystem_stage::{Notes, at, failure, text};

#[test]
fn in_every_tool() {
    let notes = Notes::new();
    let client = notes.client("rw");
    let tops = [("g", "/notes".to_owned()), ("h", notes.host(""))];
    for (tag, top) in tops {
        let path = |name: &str| format!("{top}/{name}").trim_end_matches('/').to_owned();
        let new = path(&format!("new-{tag}.md"));
        let calls: Vec<(&str, Value, String)> = vec![
            ("read_text_file", at(path("b.md")), "bee\n".into()),
            (
                "write_file",
                json!({"path": new, "content": "x\n"}),
                format!("Successfully wrote to {new}"),
            ),
            (
                "create_directory",
                at(path(tag)),
                format!("Successfully created directory {}", path(tag)),
            ),
            (
                "search_files",
                json!({"path": path(""), "pattern": format!("new-{tag}*")}),
                new.clone(),
            ),
            (
                "move_file",
                json!({"source": new, "destination": path(&format!("{tag}/to.md"))}),
                format!(
                    "Successfully moved {new} to {}",
                    path(&format!("{tag}/to.md"))
                ),
            ),
            ("list_directory", at(path(tag)), "[FILE] to.md".into()),
            (
                "read_multiple_files",
                json!({"paths": [path("b.md")]}),
                format!("{}:\nbee\n\n", path("b.md")),
            ),
        ];
        for (tool, arguments, says) in calls {
            assert_eq!(text(&client, tool, arguments), says, "{tool}");
        }
        let why = failure(&client, "read_text_file", at(path("none")));
        assert!(why.contains(&format!("'{}'", path("none"))), "{why}");
    }
}

#[test]
fn relative_to_the_one_directory_there_is() {
    let notes = Notes::new();
    let client = notes.client("ro");
    for path in ["b.md", "./b.md", "sub/../b.md"] {
        assert_eq!(text(&client, "read_text_file", at(path)), "bee\n");
    }
    let command = Palisade::run(plugin("filesystem"))
        .root("notes", notes.path(), "ro")
        .root("other", notes.outside(), "ro");
    let client = Client::connect(&command);
    let why = failure(&client, "read_text_file", at("b.md"));
    assert!(why.contains("/notes"), "{why}");
}

/// The folder's name in the plugin and on the host need not be the same, and
/// one may look like the other.
#[test]
fn under_a_name_that_is_also_a_hosts() {
    let notes = Notes::new();
    let command = Palisade::run(plugin("filesystem")).root("etc", notes.path(), "ro");
    let client = Client::connect(&command);
    assert_eq!(text(&client, "read_text_file", at("/etc/b.md")), "bee\n");
    failure(&client, "read_text_file", at("/etc/passwd"));
    let host = at(notes.host("b.md"));
    assert_eq!(text(&client, "read_text_file", host), "bee\n");
}

#[test]
fn with_names_that_are_hard_to_write() {
    let notes = Notes::new();
    let names = [
        "a b.md",
        "ü é 中.md",
        "100%.md",
        "#1?.md",
        "'\".md",
        "~.md",
        "\\.md",
    ];
    let client = notes.client("rw");
    for name in names {
        notes.write(name, name);
        for path in [format!("/notes/{name}"), notes.host(name)] {
            assert_eq!(text(&client, "read_text_file", at(path)), name);
        }
    }
}
