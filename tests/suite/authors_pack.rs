//! `palisade pack` makes one file that is all of a plugin.

use std::fs;
use std::path::Path;

use palisade_tests::{Finished, Palisade, guest, plugin};
use tempfile::TempDir;

const MANIFEST: &str = "[plugin]\nname = \"packed\"\nversion = \"1.2.0\"\n\
    description = \"Greets people\"\nlicense = \"MIT OR Apache-2.0\"\n\
    source = \"https://example.com/packed\"\nauthors = [\"Ada\"]\n";

/// A folder with a manifest, the plugin `hello`, a README and a licence.
fn folder(manifest: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("palisade.toml", manifest);
    write("README.md", "# Packed\n\u{1b}[2Jgone?\n");
    write("LICENSE", "As you like.\n");
    fs::copy(plugin("hello"), folder.path().join("hello.wasm")).unwrap();
    folder
}

fn pack(folder: &Path, arguments: &[&str]) -> Finished {
    let all = ["pack", "."].iter().chain(arguments).copied();
    Palisade::new(all).in_folder(folder).output()
}

fn json(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    let all = [arguments, &["--json"]].concat();
    pack(folder, &all).success().json()
}

#[test]
fn the_file_runs_alone_and_says_what_it_is() {
    let folder = folder(MANIFEST);
    let done = pack(folder.path(), &[]).success();
    for word in ["packed 1.2.0", "packed.wasm", "sha256:", "README, licence"] {
        assert!(done.stdout.contains(word), "{word}: {}", done.stdout);
    }
    assert_eq!(done.stderr, "");

    let alone = tempfile::tempdir().unwrap();
    let file = alone.path().join("x.wasm");
    fs::copy(folder.path().join("packed.wasm"), &file).unwrap();
    let called = Palisade::call(&file, "greet", r#"{"name": "Ada"}"#).output();
    assert_eq!(called.success().stdout, "Hello, Ada!\n");
    let mut session = Palisade::run(&file).start();
    let hello = session.initialize("2025-11-25");
    assert_eq!(hello["serverInfo"]["name"], "packed");
    assert_eq!(hello["serverInfo"]["version"], "1.2.0");

    let shown = Palisade::inspect(&file).output().success().stdout;
    for word in [
        "packed 1.2.0 · Greets people",
        "MIT OR Apache-2.0",
        "https://example.com/packed",
        "Ada",
    ] {
        assert!(shown.contains(word), "{word}: {shown}");
    }
    let shown = Palisade::inspect(&file)
        .arg("--json")
        .output()
        .success()
        .json();
    assert_eq!(shown["license"], "MIT OR Apache-2.0");
    assert_eq!(shown["authors"][0], "Ada");
    // A README is a stranger's: it does not steer the terminal.
    let readme = Palisade::inspect(&file)
        .arg("--readme")
        .output()
        .success()
        .stdout;
    assert_eq!(readme, "# Packed\n\u{fffd}[2Jgone?\n");
    let licence = Palisade::inspect(&file)
        .arg("--licence")
        .output()
        .success()
        .stdout;
    assert_eq!(licence, "As you like.\n");
}

#[test]
fn the_same_parts_make_the_same_file() {
    let folder = folder(MANIFEST);
    let first = json(folder.path(), &[]);
    let bytes = fs::read(folder.path().join("packed.wasm")).unwrap();
    assert_eq!(first["size"], bytes.len());
    assert_eq!(json(folder.path(), &[]), first);

    // What was packed is packed again: nothing is in it twice.
    let again = ["--component", "packed.wasm", "-o", "again.wasm"];
    let again = json(folder.path(), &again);
    assert_eq!(again["digest"], first["digest"]);

    fs::remove_file(folder.path().join("README.md")).unwrap();
    let less = json(folder.path(), &["--component", "packed.wasm"]);
    assert_ne!(less["digest"], first["digest"]);
    let file = folder.path().join("packed.wasm");
    let readme = Palisade::inspect(file).arg("--readme").output();
    assert!(
        readme.stderr.contains("there is no README in"),
        "{readme:?}"
    );
}

#[test]
fn what_would_not_load_is_not_packed() {
    let unknown_key = "[plugin]\nname = \"packed\"\nlicence = \"MIT\"\n";
    let no_licence = "[plugin]\nname = \"packed\"\nlicense = \"Mine\"\n";
    let bad_source = "[plugin]\nname = \"packed\"\nsource = \"javascript:alert(1)\"\n";
    for (manifest, says) in [
        (unknown_key, "palisade.toml, line 3: unknown key"),
        (no_licence, "no SPDX expression"),
        (bad_source, "palisade.toml, line 3:"),
    ] {
        let folder = folder(manifest);
        let done = pack(folder.path(), &[]);
        assert_eq!(done.code, Some(1), "{done:?}");
        assert!(done.stderr.contains(says), "{says}: {}", done.stderr);
        assert!(!folder.path().join("packed.wasm").exists());
    }

    let folder = folder(MANIFEST);
    let put = |bytes: &[u8]| fs::write(folder.path().join("hello.wasm"), bytes).unwrap();
    let refused = |says: &str| {
        let done = pack(folder.path(), &[]);
        assert_eq!(done.code, Some(1), "{done:?}");
        assert!(done.stderr.contains(says), "{says}: {}", done.stderr);
        let mut left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
        left.retain(|entry| entry.as_ref().unwrap().file_name() != "hello.wasm");
        assert_eq!(left.len(), 3, "{left:?}");
    };
    put(b"\0asm\x01\0\0\0");
    refused("core WebAssembly module");
    put(b"#!/bin/sh\n");
    refused("hello.wasm: it is not a whole WebAssembly component");
    put(&fs::read(plugin("hello")).unwrap()[..5000]);
    refused("hello.wasm: it is not a whole WebAssembly component");
    // What the host has no interface for, or nothing to serve of.
    put(&fs::read(guest("unknown-import")).unwrap());
    refused("hello.wasm: ");
    fs::remove_file(folder.path().join("hello.wasm")).unwrap();
    refused("there is no component");
}

#[test]
fn only_a_plugin_is_written_over() {
    let folder = folder(MANIFEST);
    for output in ["README.md", "palisade.toml"] {
        let done = pack(folder.path(), &["-o", output]);
        assert!(done.stderr.contains("is no plugin"), "{}", done.stderr);
    }
    let done = pack(folder.path(), &["-o", "."]);
    assert!(done.stderr.contains("it is not a file"), "{}", done.stderr);
    let text = fs::read_to_string(folder.path().join("palisade.toml")).unwrap();
    assert_eq!(text, MANIFEST);

    // What a killed one left is in nobody's way.
    fs::write(folder.path().join(".palisade-abc.wasm"), "half").unwrap();
    pack(folder.path(), &[]).success();
    fs::remove_file(folder.path().join("packed.wasm")).unwrap();
    fs::copy(plugin("fetch"), folder.path().join("fetch.wasm")).unwrap();
    let done = pack(folder.path(), &[]);
    assert!(done.stderr.contains("--component FILE"), "{}", done.stderr);
    let done = pack(folder.path(), &["--component", "hello.wasm"]);
    assert!(done.success().stdout.contains("packed.wasm"));
}

#[test]
fn what_it_asks_for_in_vain_is_told() {
    let asks = format!("{MANIFEST}\n[[network]]\nto = \"https://api.example.com\"\n");
    let folder = folder(&asks);
    let done = pack(folder.path(), &[]).success();
    assert!(done.stderr.contains("asks for [network]"), "{done:?}");
}

#[test]
fn several_licences_keep_their_names() {
    let folder = folder(MANIFEST);
    fs::write(folder.path().join("LICENSE-MIT"), "Mit\n").unwrap();
    pack(folder.path(), &[]).success();
    let file = folder.path().join("packed.wasm");
    let licence = Palisade::inspect(file).arg("--licence").output().success();
    assert_eq!(
        licence.stdout,
        "LICENSE\n\nAs you like.\n\n\nLICENSE-MIT\n\nMit\n"
    );
}
