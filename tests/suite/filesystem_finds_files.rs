//! A client looks around through the filesystem plugin.

use palisade_tests::{Client, Palisade, plugin};
use serde_json::{Value, json};

use crate::filesystem_stage::{Notes, at, failure, text};

#[test]
fn listing_a_directory() {
    let notes = Notes::new();
    notes.write("z.bin", vec![0; 300_000]);
    let client = notes.client("ro");
    let mut listed: Vec<_> = text(&client, "list_directory", at("/notes"))
        .lines()
        .map(str::to_owned)
        .collect();
    listed.sort();
    assert_eq!(
        listed,
        ["[DIR] sub", "[FILE] a.md", "[FILE] b.md", "[FILE] z.bin"]
    );
    let by_size = json!({"path": "/notes", "sortBy": "size"});
    let sized = text(&client, "list_directory_with_sizes", by_size);
    let first = sized.lines().next().unwrap();
    assert!(first.starts_with("[FILE] z.bin"), "{sized}");
    assert!(first.contains("292.97 KB"), "{sized}");
    assert!(sized.contains("Total: 3 files, 1 directories"), "{sized}");
    failure(&client, "list_directory", at("/notes/a.md"));
    failure(&client, "list_directory", at("/notes/none"));
}

#[test]
fn a_tree() {
    let notes = Notes::new();
    let client = notes.client("ro");
    let tree = text(&client, "directory_tree", at("/notes"));
    let tree: Value = serde_json::from_str(&tree).unwrap();
    let mut names: Vec<_> = tree
        .as_array()
        .unwrap()
        .iter()
        .map(|e| &e["name"])
        .collect();
    names.sort_by_key(|name| name.as_str().map(str::to_owned));
    assert_eq!(names, ["a.md", "b.md", "sub"]);
    let without = json!({"path": "/notes", "excludePatterns": ["**/*.md", "deep"]});
    let tree = text(&client, "directory_tree", without);
    let tree: Value = serde_json::from_str(&tree).unwrap();
    assert_eq!(
        tree,
        json!([{
            "name": "sub",
            "type": "directory",
            "children": [{"name": "c.txt", "type": "file"}],
        }])
    );
}

#[test]
fn searching() {
    let notes = Notes::new();
    let client = notes.client("ro");
    let search = |pattern: &str, exclude: &[&str]| {
        let arguments = json!({"path": "/notes", "pattern": pattern, "excludePatterns": exclude});
        let found = text(&client, "search_files", arguments);
        let mut found: Vec<_> = found.lines().map(str::to_owned).collect();
        found.sort();
        found
    };
    assert_eq!(search("*.md", &[]), ["/notes/a.md", "/notes/b.md"]);
    assert_eq!(
        search("**/*.md", &["b.*"]),
        ["/notes/a.md", "/notes/sub/deep/d.md"]
    );
    assert_eq!(search("**/deep", &[]), ["/notes/sub/deep"]);
    assert_eq!(search("**/*.{txt,png}", &[]), ["/notes/sub/c.txt"]);
    assert_eq!(search("*.none", &[]), ["No matches found"]);
}

#[test]
fn what_is_known_about_a_file() {
    let notes = Notes::new();
    for (access, says) in [("ro", "read-only"), ("rw", "read-write")] {
        let client = notes.client(access);
        let info = text(&client, "get_file_info", at("/notes/a.md"));
        for line in ["size: 14", "isFile: true", "isDirectory: false"] {
            assert!(info.lines().any(|it| it == line), "{info}");
        }
        assert!(info.contains(says), "{info}");
        let info = text(&client, "get_file_info", at("/notes/sub"));
        assert!(info.lines().any(|it| it == "isDirectory: true"), "{info}");
    }
}

#[test]
fn what_is_allowed() {
    let notes = Notes::new();
    let command = Palisade::run(plugin("filesystem"))
        .root("notes", notes.path(), "rw")
        .root("other", notes.outside(), "ro");
    let client = Client::connect(&command);
    let allowed = text(&client, "list_allowed_directories", json!({}));
    assert_eq!(
        allowed,
        format!(
            "Allowed directories:\n{}\n{}",
            notes.path().display(),
            notes.outside().display()
        )
    );
    // Granted nothing, it runs, and says so.
    let client = Client::connect(&Palisade::run(plugin("filesystem")));
    assert_eq!(client.tools().len(), 14);
    let why = failure(&client, "read_text_file", at("/notes/a.md"));
    assert!(why.contains("no directory is granted"), "{why}");
}
