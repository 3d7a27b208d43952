//! Whatever is wrong with what a person typed or wrote, they are told so in
//! one sentence and what to do about it, and nothing is served.

use std::fs;
use std::path::{Path, PathBuf};

use palisade_tests::{Finished, Palisade, guest, plugin};
use tempfile::TempDir;

/// The exit codes a script can rely on.
const FAILED: i32 = 1;
const USAGE: i32 = 2;
const REFUSED: i32 = 3;

/// What belongs in no message to a person.
const JARGON: [&str; 11] = [
    "os error",
    "panicked",
    "thread '",
    "Err(",
    "Some(",
    "Os {",
    "kind:",
    "Error {",
    "backtrace",
    "unwrap",
    "serde",
];

/// All that is wrong with how a command failed.
fn complaints(done: &Finished, code: i32, says: &[&str]) -> Vec<String> {
    let mut complaints = Vec::new();
    if done.code != Some(code) {
        complaints.push(format!("exit code {:?} instead of {code}", done.code));
    }
    if !done.stdout.is_empty() {
        complaints.push("something on standard output".to_owned());
    }
    let lines: Vec<_> = done.stderr.lines().collect();
    let sentence = lines.first().copied().unwrap_or_default();
    if !sentence.starts_with("palisade: ") {
        complaints.push("the sentence does not say who speaks".to_owned());
    }
    if lines.len() > 2 || lines.iter().skip(1).any(|line| !line.starts_with("  ")) {
        complaints.push("more than a sentence and an indented remedy".to_owned());
    }
    // A parser that names what it expected has said what to do.
    let advises = ["; ", "expected", " must "]
        .iter()
        .any(|word| sentence.contains(word));
    if lines.len() < 2 && !advises {
        complaints.push("nothing about what to do".to_owned());
    }
    complaints.extend(
        says.iter()
            .filter(|word| !done.stderr.contains(*word))
            .map(|word| format!("{word:?} is not mentioned")),
    );
    complaints.extend(
        JARGON
            .iter()
            .filter(|word| done.stderr.contains(*word))
            .map(|word| format!("{word:?} is jargon")),
    );
    if done.stderr.chars().any(|c| c.is_control() && c != '\n') {
        complaints.push("control characters".to_owned());
    }
    complaints
}

/// Collects what is wrong over a whole table before it fails.
#[derive(Default)]
struct Table(Vec<String>);

impl Table {
    fn row(&mut self, what: &str, command: &Palisade, code: i32, says: &[&str]) {
        let done = command.output();
        let complaints = complaints(&done, code, says);
        if !complaints.is_empty() {
            let list = complaints.join("\n  - ");
            self.0.push(format!("{what}:\n  - {list}\n{}", done.stderr));
        }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert!(self.0.is_empty(), "\n{}", self.0.join("\n"));
        }
    }
}

/// A folder with a copy of the `hello` plugin and a manifest beside it.
fn hello_with(manifest: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("notes.wasm");
    fs::copy(plugin("hello"), &copy).unwrap();
    fs::write(folder.path().join("palisade.toml"), manifest).unwrap();
    (folder, copy)
}

fn file_of(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// Each way to name a plugin.
fn commands(file: &Path) -> [Palisade; 3] {
    [
        Palisade::run(file),
        Palisade::inspect(file),
        Palisade::call(file, "greet", "{}"),
    ]
}

#[test]
fn a_file_that_is_no_plugin() {
    let folder = tempfile::tempdir().unwrap();
    let component = fs::read(plugin("hello")).unwrap();
    let mut broken = component.clone();
    broken[2000..4000].fill(0xa5);
    let pipe = folder.path().join("pipe.wasm");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let rows: [(&str, PathBuf, &[&str]); 13] = [
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
        ("a named pipe", pipe, &["pipe.wasm", "not a file"]),
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
    table.row("one thing too many", &hello.arg("more"), USAGE, &["more"]);
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
