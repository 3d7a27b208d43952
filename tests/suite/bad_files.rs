//! A file that is not what it should be is named, with what is wrong with it.

use std::fs;
use std::path::PathBuf;

use palisade_tests::{Palisade, guest, plugin};

use crate::mistakes::{FAILED, Table, commands, file_of, hello_with};

#[test]
fn a_file_that_is_no_plugin() {
    let folder = tempfile::tempdir().unwrap();
    let component = fs::read(plugin("hello")).unwrap();
    let mut broken = component.clone();
    broken[2000..4000].fill(0xa5);
    let rows: [(&str, PathBuf, &[&str]); 12] = [
        (
            "a missing file",
            folder.path().join("missing.wasm"),
            &["missing.wasm", "no file"],
        ),
        (
            "a missing folder",
            folder.path().join("no/such.wasm"),
            &["such.wasm", "no file"],
        ),
        ("a folder", folder.path().to_owned(), &["not a file"]),
        ("a device", "/dev/zero".into(), &["/dev/zero", "not a file"]),
        (
            "an empty file",
            file_of(&folder, "empty.wasm", b""),
            &["empty.wasm"],
        ),
        (
            "a text",
            file_of(&folder, "text.wasm", b"hello\n"),
            &["text.wasm", "not WebAssembly"],
        ),
        (
            "a core module",
            file_of(&folder, "core.wasm", b"\0asm\x01\0\0\0"),
            &["core.wasm", "component"],
        ),
        (
            "another version",
            file_of(&folder, "new.wasm", b"\0asm\xff\0\x01\0"),
            &["new.wasm"],
        ),
        (
            "half a component",
            file_of(&folder, "half.wasm", &component[..component.len() / 2]),
            &["half.wasm"],
        ),
        (
            "a damaged component",
            file_of(&folder, "bad.wasm", &broken),
            &["bad.wasm"],
        ),
        (
            "a component that exports nothing",
            guest("no-tools"),
            &["no-tools", "offers nothing"],
        ),
        (
            "a component without a tool",
            guest("empty-list"),
            &["empty-list", "tool"],
        ),
    ];
    let mut table = Table::default();
    for (what, file, says) in rows {
        for command in commands(&file) {
            table.row(what, &command, FAILED, says);
        }
    }
}

/// Opening one waits for somebody to write to it, who may never come.
#[test]
fn a_named_pipe_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.wasm");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let mut table = Table::default();
    for command in commands(&pipe) {
        table.row(
            "a named pipe",
            &command,
            FAILED,
            &["pipe.wasm", "not a file"],
        );
    }
}

#[test]
fn a_component_that_needs_what_is_not_offered() {
    let mut table = Table::default();
    for command in commands(&guest("unknown-import")) {
        let says = ["unknown-import", "does not offer", "offered:"];
        table.row("an unknown import", &command, FAILED, &says);
    }
}

#[test]
fn a_manifest_with_a_mistake() {
    let rows: [(&str, &[u8], &[&str]); 11] = [
        (
            "an unknown key",
            b"[plugin]\nname = \"notes\"\n[limits]\nmemmory = \"1 GiB\"\n",
            &["line 4", "memmory", "did you mean `memory`?"],
        ),
        (
            "an unknown table",
            b"[plugin]\nname = \"notes\"\n[limit]\n",
            &["line 3", "limit", "limits"],
        ),
        (
            "an unknown key of a root",
            b"[plugin]\nname = \"notes\"\n[[roots]]\nname = \"a\"\npath = \"/\"\n",
            &["line 5", "path", "--root"],
        ),
        ("no TOML", b"[plugin]\nname = \n", &["line 2", "TOML"]),
        ("an open bracket", b"[plugin\n", &["line 1", "TOML"]),
        (
            "an impossible value",
            b"[plugin]\nname = \"notes\"\n[limits]\nmemory = \"lots\"\n",
            &["line 4", "memory", "possible:"],
        ),
        (
            "a wrong type",
            b"[plugin]\nname = \"notes\"\n[limits]\nmemory = true\n",
            &["line 4", "memory"],
        ),
        ("no name", b"[plugin]\nversion = \"1\"\n", &["name"]),
        (
            "a name with an escape",
            b"[plugin]\nname = \"a\\u001b[2J\"\n",
            &["line 2", "name"],
        ),
        ("an empty file", b"", &["plugin"]),
        (
            "a byte that is no text",
            b"[plugin]\nname = \"\xff\"\n",
            &["palisade.toml"],
        ),
    ];
    let mut table = Table::default();
    for (what, manifest, says) in rows {
        let (_folder, file) = hello_with(manifest);
        for command in commands(&file) {
            table.row(what, &command, FAILED, says);
        }
    }
    let (folder, file) = hello_with(format!("# {}", "x".repeat(300 << 10)));
    table.row(
        "a huge one",
        &Palisade::run(&file),
        FAILED,
        &["palisade.toml", "256 KiB"],
    );
    let manifest = folder.path().join("palisade.toml");
    fs::remove_file(&manifest).unwrap();
    fs::create_dir(&manifest).unwrap();
    table.row(
        "a folder",
        &Palisade::run(&file),
        FAILED,
        &["palisade.toml"],
    );
}

#[test]
fn a_grant_with_a_mistake() {
    let folder = tempfile::tempdir().unwrap();
    let hello = Palisade::run(plugin("hello"));
    let mut table = Table::default();
    let rows: [(&str, &str, &[&str]); 5] = [
        (
            "an unknown key",
            "[[root]]\nname = \"a\"\n",
            &["line 1", "root", "roots"],
        ),
        ("no TOML", "roots =\n", &["line 1"]),
        (
            "a root without a path",
            "[[roots]]\nname = \"a\"\n",
            &["path"],
        ),
        (
            "an impossible value",
            "[limits]\nmemory = \"-1 MiB\"\n",
            &["line 2", "memory"],
        ),
        (
            "a folder that is not there",
            "[[roots]]\nname = \"a\"\npath = \"nope\"\n",
            &["nope", "does not exist"],
        ),
    ];
    for (what, text, says) in rows {
        let file = file_of(&folder, "grant.toml", text.as_bytes());
        table.row(what, &hello.clone().grant(file), FAILED, says);
    }
    let missing = hello.clone().grant(folder.path().join("missing.toml"));
    table.row("a missing file", &missing, FAILED, &["missing.toml"]);
    table.row("a folder", &hello.grant(folder.path()), FAILED, &["grant"]);
}
