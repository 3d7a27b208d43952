//! A command line that asks for what can't be is refused, with what to type
//! instead.

use std::fs;

use palisade_tests::{Palisade, plugin};

use crate::mistakes::{FAILED, REFUSED, Table, USAGE, file_of, hello_with};

#[test]
fn a_root_that_can_not_be_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = file_of(&folder, "file.txt", b"x");
    let filesystem = Palisade::run(plugin("filesystem"));
    let mut table = Table::default();
    let missing = folder.path().join("missing");
    let rows: [(&str, String, i32, &[&str]); 6] = [
        (
            "a missing folder",
            format!("notes={}", missing.display()),
            FAILED,
            &["missing", "does not exist", "create it"],
        ),
        (
            "a file",
            format!("notes={}:rw", file.display()),
            FAILED,
            &["file.txt", "not a directory"],
        ),
        ("no path", ":rw".into(), USAGE, &["has no path", "--root"]),
        ("an empty path", "notes=".into(), USAGE, &["path", "--root"]),
        (
            "a bad name",
            format!("No Tes={}", folder.path().display()),
            USAGE,
            &["name"],
        ),
        ("nothing", String::new(), USAGE, &["--root"]),
    ];
    for (what, flag, code, says) in rows {
        table.row(
            what,
            &filesystem.clone().arg("--root").arg(flag),
            code,
            says,
        );
    }
    let twice = filesystem
        .root("a", folder.path(), "ro")
        .root("a", folder.path(), "rw");
    table.row(
        "a name given twice",
        &twice,
        USAGE,
        &["`a`", "--root NAME=PATH"],
    );
}

#[test]
fn a_variable_that_is_not_there() {
    let hello = Palisade::run(plugin("hello"));
    let mut table = Table::default();
    for (what, flag) in [
        ("not set", "NOT_SET"),
        ("no name", "=value"),
        ("nothing", ""),
    ] {
        table.row(
            what,
            &hello.clone().arg("--env").arg(flag),
            USAGE,
            &["--env"],
        );
    }
}

#[test]
fn a_flag_that_is_none() {
    let hello = Palisade::run(plugin("hello"));
    let mut table = Table::default();
    table.row(
        "a misspelt flag",
        &hello.clone().arg("--roott=x"),
        USAGE,
        &["--roott", "--root"],
    );
    table.row("an unknown flag", &hello.clone().arg("-x"), USAGE, &["-x"]);
    table.row(
        "a flag without its value",
        &hello.clone().arg("--root"),
        USAGE,
        &["--root"],
    );
    let more = Palisade::inspect(plugin("hello")).arg("more");
    table.row("one thing too many", &more, USAGE, &["more"]);
    table.row("no plugin", &Palisade::new(["run"]), USAGE, &["PLUGIN"]);
    table.row(
        "an unknown command",
        &Palisade::new(["rum"]),
        USAGE,
        &["rum", "run"],
    );
}

#[test]
fn a_call_that_makes_no_sense() {
    let file = plugin("hello");
    let mut table = Table::default();
    for arguments in [
        "{",
        "",
        "nonsense",
        "[1]",
        "7",
        "null",
        "{\"name\": \"Ada\"} x",
    ] {
        let command = Palisade::call(&file, "greet", arguments);
        table.row(
            &format!("arguments {arguments:?}"),
            &command,
            USAGE,
            &["JSON object"],
        );
    }
    let command = Palisade::call(&file, "greet", "-");
    table.row(
        "nothing on standard input",
        &command,
        USAGE,
        &["JSON object"],
    );
    let command = Palisade::call(&file, "great", "{}");
    table.row("an unknown tool", &command, USAGE, &["great", "greet"]);
}

#[test]
fn what_the_permission_does_not_allow() {
    let mut table = Table::default();
    let required = "[plugin]\nname = \"notes\"\n[[roots]]\nname = \"inbox\"\nrequired = true\n";
    let (folder, file) = hello_with(required);
    let command = Palisade::run(&file);
    table.row(
        "a required root",
        &command,
        REFUSED,
        &["notes", "inbox", "--root inbox=PATH"],
    );
    let other = file_of(&folder, "grant.toml", b"[plugin]\nname = \"mail\"\n");
    let command = Palisade::run(&file)
        .grant(other)
        .root("inbox", folder.path(), "ro");
    table.row("a grant for another", &command, REFUSED, &["mail", "notes"]);
}

/// Who can write compiled code or grants needs no way out of a sandbox.
#[test]
fn the_hosts_own_folders_are_granted_to_nobody() {
    let mut table = Table::default();
    let cache = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("link");
    std::os::unix::fs::symlink(cache.path(), &link).unwrap();
    let command = Palisade::run(plugin("filesystem")).cache(cache.path());
    let _ = command.clone().output().success();
    let config = command.home().join(".config/palisade");
    fs::create_dir_all(&config).unwrap();
    let places = [
        ("the cache's folder", cache.path().to_owned()),
        ("the cache", cache.path().join("palisade")),
        (
            "what is in the cache",
            cache.path().join("palisade/compiled"),
        ),
        ("a link to it", link),
        ("everything", "/".into()),
        ("the configuration", config),
        ("the home", command.home().to_owned()),
    ];
    for (what, place) in places {
        for access in ["ro", "rw"] {
            let command = command.clone().root("own", &place, access);
            table.row(what, &command, REFUSED, &["can't be granted", "own files"]);
        }
    }
}
