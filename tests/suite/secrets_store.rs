//! `palisade secret`: values go in, and never come out again.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use palisade_tests::{Finished, Palisade};
use serde_json::json;

use crate::mistakes::{FAILED, Table, USAGE};

const VALUE: &str = "ghp_hunter2";

/// `palisade secret …` in the home of another command line.
fn secret(arguments: &[&str]) -> Palisade {
    Palisade::new(["secret"].iter().chain(arguments).copied())
}

/// In one home, with this on its standard input.
fn said(home: &Path, arguments: &[&str], input: &[u8]) -> Finished {
    let file = home.join("input");
    fs::write(&file, input).unwrap();
    let out = home.join("output");
    let mut finished = secret(arguments).env("HOME", home).output_with(
        fs::File::open(file).unwrap(),
        fs::File::create(&out).unwrap(),
    );
    finished.stdout = fs::read_to_string(out).unwrap();
    finished
}

fn kept(home: &Path) -> PathBuf {
    home.join(".local/share/palisade/secrets")
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn set_listed_and_removed() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let none = said(home, &["list", "--json"], b"").success().json();
    assert_eq!(none["secrets"], json!([]));
    for name in ["TOKEN", "other-1"] {
        let set = said(home, &["set", name], format!("{VALUE}\n").as_bytes()).success();
        assert!(set.stdout.contains(name), "{set:?}");
        assert!(!format!("{set:?}").contains(VALUE), "{set:?}");
    }
    assert_eq!(mode(&kept(home)), 0o700);
    assert_eq!(mode(&kept(home).join("TOKEN")), 0o600);
    let listed = said(home, &["list"], b"").success();
    assert_eq!(listed.stdout, "TOKEN    file\nother-1  file\n");
    let listed = said(home, &["list", "--json"], b"").success();
    let both = ["TOKEN", "other-1"].map(|name| json!({"name": name, "place": "file"}));
    assert_eq!(listed.json()["secrets"], json!(both));
    assert!(!listed.stdout.contains(VALUE));

    said(home, &["remove", "TOKEN"], b"").success();
    assert!(!kept(home).join("TOKEN").exists());
    let gone = said(home, &["remove", "TOKEN"], b"");
    assert_eq!(gone.code, Some(FAILED), "{gone:?}");
    assert!(gone.stderr.contains("there is no secret TOKEN"), "{gone:?}");
}

/// As somebody types it: the terminal shows the question and not the answer.
#[test]
fn what_is_typed_is_not_shown() {
    let home = tempfile::tempdir().unwrap();
    let program = palisade_tests::palisade();
    let typescript = home.path().join("typescript");
    let line = format!("{} secret set TOKEN", program.display());
    let mut script = std::process::Command::new("script")
        .args(["-q", "-e", "-c", &line])
        .arg(&typescript)
        .env("HOME", home.path())
        .env_remove("XDG_DATA_HOME")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = script.stdin.take().unwrap();
    let mut output = script.stdout.take().unwrap();
    // Once it asks, it no longer shows what is typed.
    let mut shown = Vec::new();
    let mut byte = [0];
    while !shown.ends_with(b"not shown): ") {
        let read = std::io::Read::read(&mut output, &mut byte).unwrap();
        assert_eq!(read, 1, "{}", String::from_utf8_lossy(&shown));
        shown.push(byte[0]);
    }
    std::io::Write::write_all(&mut input, format!("{VALUE}\n").as_bytes()).unwrap();
    std::io::Read::read_to_end(&mut output, &mut shown).unwrap();
    assert!(script.wait().unwrap().success());
    let shown = String::from_utf8_lossy(&shown);
    assert!(shown.contains("value of TOKEN"), "{shown}");
    assert!(!shown.contains("hunter"), "{shown}");
    let file = fs::read_to_string(kept(home.path()).join("TOKEN")).unwrap();
    assert_eq!(file, format!("TOKEN\n{VALUE}"));
}

#[test]
fn what_can_not_be_a_secret() {
    let home = tempfile::tempdir().unwrap();
    for (input, says) in [
        (&b""[..], "is empty"),
        (b"\n", "is empty"),
        (b"ghp_hun\nter2\n", "line breaks"),
        (b"ghp_hun\x1bter2", "control characters"),
        (b"ghp_hunter2 \n", "ends with a space"),
        (b"ghp_hunter2\xff", "not UTF-8"),
        (&[b'x'; 70_000], "longer than 64 KiB"),
    ] {
        let done = said(home.path(), &["set", "TOKEN"], input);
        assert_eq!(done.code, Some(FAILED), "{done:?}");
        assert!(done.stderr.contains(says), "{done:?}");
        assert!(!done.stderr.contains("hun"), "{done:?}");
        assert!(!kept(home.path()).exists());
    }
    let mut table = Table::default();
    for name in ["", "a b", "a/b", "..", "ä"] {
        table.row(
            name,
            &secret(&["set", name]),
            USAGE,
            &["a secret's name is"],
        );
    }
}

/// Who writes a value there has shown it to every other program; at least it is
/// not repeated in a log.
#[test]
fn a_value_on_the_command_line_is_not_repeated() {
    let plugin = palisade_tests::plugin("hello");
    for command in [
        secret(&["set", "TOKEN=ghp_hunter2"]),
        secret(&["set", "TOKEN", "ghp_hunter2"]),
        secret(&["set", "ghp_hunter2!"]),
        Palisade::run(&plugin)
            .arg("--secret")
            .arg("TOKEN=ghp_hunter2"),
        Palisade::run_several([&plugin, &plugin])
            .arg("--secret")
            .arg("a/TOKEN=ghp_hunter2"),
        Palisade::call(&plugin, "greet", "{}")
            .arg("--secret")
            .arg("TOKEN=ghp_hunter2"),
    ] {
        let done = command.output();
        assert_eq!(done.code, Some(USAGE), "{done:?}");
        assert!(!done.stderr.contains("hunter"), "{done:?}");
    }
}

#[test]
fn what_others_can_read_is_not_used() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    said(home, &["set", "TOKEN"], VALUE.as_bytes()).success();
    let (folder, file) = (kept(home), kept(home).join("TOKEN"));
    let allow = |path: &Path, mode: u32| {
        fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    };
    allow(&folder, 0o755);
    let done = said(home, &["list"], b"");
    assert_eq!(done.code, Some(FAILED), "{done:?}");
    let remedy = format!("chmod go-rwx {}", folder.display());
    assert!(done.stderr.contains(&remedy), "{done:?}");
    allow(&folder, 0o700);
    allow(&file, 0o644);
    let doctor = Palisade::new(["doctor"]).env("HOME", home).output();
    assert_eq!(doctor.code, Some(FAILED), "{doctor:?}");
    let remedy = format!("chmod go-rwx {}", file.display());
    assert!(doctor.stdout.contains(&remedy), "{doctor:?}");
    allow(&file, 0o600);
    let doctor = Palisade::new(["doctor"]).env("HOME", home).output();
    assert!(!doctor.stdout.contains(VALUE), "{doctor:?}");
    assert!(doctor.stdout.contains("private (1)"), "{doctor:?}");
}

/// What lies there and is no value is not named as one, and not repaired with a
/// command that would change something else.
#[test]
fn what_is_no_value_is_said_to_be_none() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    said(home, &["set", "TOKEN"], b"\xef\xbb\xbfghp_hunter2\n").success();
    // What an editor wrote before it is no part of it.
    let file = fs::read_to_string(kept(home).join("TOKEN")).unwrap();
    assert_eq!(file, format!("TOKEN\n{VALUE}"));
    fs::create_dir(kept(home).join("FOLDER")).unwrap();
    std::os::unix::fs::symlink(kept(home).join("TOKEN"), kept(home).join("LINK")).unwrap();
    let listed = said(home, &["list"], b"").success();
    assert_eq!(listed.stdout, "TOKEN  file\n");

    let grant = home.join("grant.toml");
    let with = |name: &str| {
        let text = format!(
            "[[secrets]]\nname = \"{name}\"\ninject = {{ to = \"https://api.test\", header = \"x-key\" }}\n"
        );
        fs::write(&grant, text).unwrap();
        let command = Palisade::call(palisade_tests::guest("escapes"), "env", "{}");
        let done = command.env("HOME", home).grant(&grant).output();
        assert_eq!(done.code, Some(FAILED), "{done:?}");
        done.stderr
    };
    let told = with("LINK");
    assert!(told.contains("it is a link"), "{told}");
    assert!(told.contains("palisade secret set LINK"), "{told}");
    assert!(!told.contains("chmod"), "{told}");
    fs::write(kept(home).join("TOKEN"), "TOKEN\n").unwrap();
    let told = with("TOKEN");
    assert!(
        told.contains("set it again: palisade secret set TOKEN"),
        "{told}"
    );

    let parent = home.join(".local/share/palisade");
    fs::set_permissions(&parent, PermissionsExt::from_mode(0o770)).unwrap();
    let done = said(home, &["set", "TOKEN"], VALUE.as_bytes());
    assert_eq!(done.code, Some(FAILED), "{done:?}");
    let remedy = format!("chmod go-w {}", parent.display());
    assert!(done.stderr.contains(&remedy), "{done:?}");
}

/// Whoever holds it wrong is led to the help of this very command.
#[test]
fn help_is_that_of_the_command() {
    let done = secret(&["set"]).output();
    assert_eq!(done.code, Some(USAGE), "{done:?}");
    assert!(
        done.stderr.contains("palisade secret set --help"),
        "{done:?}"
    );
    let done = secret(&["set", "--store", "moon", "TOKEN"]).output();
    assert!(done.stderr.contains("keyring, file"), "{done:?}");
}
