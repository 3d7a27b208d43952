//! Of several plugins, each gets what was granted to it by name.

use std::fs;

use palisade_tests::stage::open;
use palisade_tests::{Palisade, plugin, rpc};
use serde_json::json;
use tempfile::TempDir;

use crate::mistakes::{Table, USAGE};

/// The same plugin twice, as `one` and `two`.
fn twins() -> Palisade {
    let file = plugin("filesystem").display().to_string();
    Palisade::run_several([format!("one={file}"), format!("two={file}")])
}

fn folder(file: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(file), "here").unwrap();
    folder
}

#[test]
fn a_folder_is_seen_by_its_plugin_only() {
    let (a, b) = (folder("a.txt"), folder("b.txt"));
    let mut session = open(&twins().root("one/docs", a.path(), "ro").root(
        "two/docs",
        b.path(),
        "rw",
    ));
    for (tool, path, there) in [
        ("one__read_text_file", "/docs/a.txt", true),
        ("one__read_text_file", "/docs/b.txt", false),
        ("two__read_text_file", "/docs/b.txt", true),
        ("two__read_text_file", "/docs/a.txt", false),
    ] {
        let result = session.call(tool, json!({"path": path}));
        assert_eq!(result["isError"] != true, there, "{tool} {path}: {result}");
    }
    let write = json!({"path": "/docs/new.txt", "content": "new"});
    rpc::tool_error(&session.call("one__write_file", write.clone()));
    rpc::tool_text(&session.call("two__write_file", write));
    assert!(b.path().join("new.txt").exists());
    assert!(!a.path().join("new.txt").exists());
}

#[test]
fn a_file_is_for_the_plugin_it_names() {
    let (a, b) = (folder("a.txt"), folder("b.txt"));
    let files = tempfile::tempdir().unwrap();
    let grant = |name: &str, root: &TempDir| {
        let path = files.path().join(format!("{name}.toml"));
        let text = format!(
            "[plugin]\nname = \"{name}\"\n[[roots]]\nname = \"docs\"\npath = {:?}\n",
            root.path()
        );
        fs::write(&path, text).unwrap();
        path
    };
    let command = twins().grant(grant("two", &b)).grant(grant("one", &a));
    let mut session = open(&command);
    let read = |path: &str| json!({"path": path});
    rpc::tool_text(&session.call("one__read_text_file", read("/docs/a.txt")));
    rpc::tool_text(&session.call("two__read_text_file", read("/docs/b.txt")));
    rpc::tool_error(&session.call("one__read_text_file", read("/docs/b.txt")));

    let mut table = Table::default();
    let other = grant("three", &a);
    let nobody = ["three", "no plugin is called", "one, two"];
    table.row(
        "a file for nobody",
        &command.clone().grant(&other),
        USAGE,
        &nobody,
    );
    let same = files.path().join("same.toml");
    fs::copy(files.path().join("one.toml"), &same).unwrap();
    let twice = command.clone().grant(&same);
    table.row(
        "two files for one",
        &twice,
        USAGE,
        &["same.toml", "one.toml"],
    );
    let unnamed = files.path().join("unnamed.toml");
    fs::write(&unnamed, "").unwrap();
    let says = ["unnamed.toml", "[plugin]", "name = \"one\""];
    table.row("a file for whom", &twins().grant(&unnamed), USAGE, &says);
}

#[test]
fn what_names_no_plugin_reaches_none() {
    let folder = folder("a.txt");
    let path = folder.path().display();
    let mut table = Table::default();
    for root in [
        format!("docs={path}"),
        format!("{path}"),
        "one/docs".to_owned(),
        format!("./one/docs={path}"),
    ] {
        let command = twins().arg("--root").arg(&root);
        table.row(&root, &command, USAGE, &["--root one/NAME=PATH[:ro|:rw]"]);
    }
    let command = twins().arg("--env").arg("LANG=secret/value");
    table.row(
        "LANG",
        &command,
        USAGE,
        &["--env one/NAME[=VALUE]", "--env LANG"],
    );
    let told = command.output().stderr;
    assert!(!told.contains("secret"), "{told}");
    for (flag, what) in [
        ("--root", format!("three/docs={path}")),
        ("--env", "three/A=b".into()),
    ] {
        let command = twins().arg(flag).arg(&what);
        table.row(&what, &command, USAGE, &["three", "one, two"]);
    }
}

#[test]
fn two_of_one_name_are_refused() {
    let mut table = Table::default();
    let (hello, again) = (plugin("hello"), plugin("everything"));
    let command = Palisade::run_several([
        hello.display().to_string(),
        format!("hello={}", again.display()),
    ]);
    let says = [
        "two plugins are called hello",
        "hello.wasm",
        "everything.wasm",
        "OTHER-NAME=",
    ];
    table.row("one name", &command, USAGE, &says);
    // The way out, with one file given twice.
    let other = format!("other={}", hello.display());
    let mut session = open(&Palisade::run_several([hello.display().to_string(), other]));
    for tool in ["hello__greet", "other__greet"] {
        let result = session.call(tool, json!({"name": "Ada"}));
        assert_eq!(rpc::tool_text(&result), "Hello, Ada!");
    }
    let bad = Palisade::run(format!("No Name={}", hello.display()));
    table.row("no name", &bad, USAGE, &["No Name", "./PATH"]);
}

/// Who can write what another one's grant depends on decides what it gets.
#[test]
fn no_plugin_decides_what_another_gets() {
    let outer = tempfile::tempdir().unwrap();
    fs::create_dir(outer.path().join("inner")).unwrap();
    let command = twins().root("one/all", outer.path(), "rw").root(
        "two/docs",
        outer.path().join("inner"),
        "ro",
    );
    let mut session = command.start();
    let hello = session.initialize("2025-11-25");
    let instructions = hello["instructions"].as_str().unwrap();
    assert!(instructions.contains("one is left out"), "{instructions}");
    session.until_stderr(|said| said.contains("one is left out") && said.contains("depends on it"));
    let listed = session.call("two__list_allowed_directories", json!({}));
    assert!(rpc::tool_text(&listed).contains("/inner"), "{listed}");
}
