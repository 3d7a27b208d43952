//! Secrets when a plugin starts: those it lacks are named, with what to do, and
//! those it has are shown nowhere.

use std::fs;
use std::path::{Path, PathBuf};

use palisade_tests::{Palisade, guest};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::mistakes::{FAILED, REFUSED, Table};

const VALUE: &str = "ghp_hunter2";

const INJECT: &str =
    "inject = { to = \"https://api.test\", header = \"authorization\", format = \"Bearer {}\" }";

/// A folder with a plugin that shows its environment, and its manifest.
fn plugin(secrets: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.wasm");
    fs::copy(guest("escapes"), &file).unwrap();
    let manifest = format!("[plugin]\nname = \"notes\"\n{secrets}");
    fs::write(folder.path().join("palisade.toml"), manifest).unwrap();
    (folder, file)
}

fn secret(lines: &str) -> String {
    format!("[[secrets]]\nname = \"TOKEN\"\n{lines}\n")
}

fn env(file: &Path) -> Palisade {
    Palisade::call(file, "env", "{}")
}

/// Keeps a value in a command's home.
fn keep(command: &Palisade, value: &str) {
    let folder = command.home().join(".local/share/palisade/secrets");
    fs::create_dir_all(&folder).unwrap();
    let only_mine = |path: &Path, mode| {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    };
    only_mine(&folder, 0o700);
    fs::write(folder.join("TOKEN"), format!("TOKEN\n{value}")).unwrap();
    only_mine(&folder.join("TOKEN"), 0o600);
}

/// A grant file in a command's home.
fn granted(command: Palisade, text: &str) -> Palisade {
    let path = command.home().join("grant.toml");
    fs::write(&path, text).unwrap();
    command.grant(path)
}

#[test]
fn one_that_is_not_set_is_named_with_what_sets_it() {
    let (_folder, file) = plugin(&secret(INJECT));
    let mut table = Table::default();
    table.row(
        "not granted",
        &env(&file),
        REFUSED,
        &["the secret TOKEN for https://api.test", "--secret TOKEN"],
    );
    let command = env(&file).arg("--secret").arg("TOKEN");
    table.row(
        "not set",
        &command,
        REFUSED,
        &["the secret TOKEN, which is not set; `palisade secret set TOKEN` sets it"],
    );
    table.row(
        "no variable",
        &granted(env(&file), &secret("env = \"HOST_TOKEN\"")),
        REFUSED,
        &["in the variable HOST_TOKEN"],
    );
    table.row(
        "no file",
        &granted(env(&file), &secret("file = \"token\"")),
        REFUSED,
        &["TOKEN", "/token; put it there"],
    );
    keep(&command, VALUE);
    command.output().success();
}

/// Beside others, it is left out with the same words.
#[test]
fn beside_others_it_is_left_out() {
    let (_folder, file) = plugin(&secret(INJECT));
    let command = Palisade::run_several([file, guest("sleeps")])
        .arg("--secret")
        .arg("notes/TOKEN");
    let done = command.output().success();
    let says = "notes is left out: notes can't start without the secret TOKEN, which is not set; \
                `palisade secret set TOKEN` sets it";
    assert!(done.stderr.contains(says), "{done:?}");
    let unscoped = Palisade::run_several([guest("escapes"), guest("sleeps")])
        .arg("--secret")
        .arg("TOKEN");
    let done = unscoped.output();
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.stderr.contains("--secret escapes/TOKEN"), "{done:?}");
}

#[test]
fn one_it_can_do_without_may_be_missing() {
    let (_folder, file) = plugin(&secret(&format!("{INJECT}\nrequired = false")));
    let done = env(&file).output().success();
    assert_eq!(done.stderr, "");
    let done = env(&file).arg("--secret").arg("TOKEN").output().success();
    assert!(
        done.stderr.contains("palisade secret set TOKEN"),
        "{done:?}"
    );
}

#[test]
fn a_value_that_can_not_be_used() {
    let (folder, file) = plugin(&secret(INJECT));
    let mut table = Table::default();
    for (bytes, says) in [
        (&b"ghp_\nhunter2"[..], "line breaks"),
        (b"", "is empty"),
        (b"ghp_hunter2\xff", "not UTF-8"),
    ] {
        fs::write(folder.path().join("token"), bytes).unwrap();
        let path = folder.path().join("token");
        let command = granted(env(&file), &secret(&format!("file = {path:?}")));
        table.row("file", &command, FAILED, &["TOKEN", "/token", says]);
        assert!(!command.output().stderr.contains("hunter2"));
    }
    let path = folder.path();
    let command = granted(env(&file), &secret(&format!("file = {path:?}")));
    table.row(
        "a folder",
        &command,
        FAILED,
        &["can't be read", "not a file"],
    );
    let command = granted(env(&file), &secret("env = \"HOST_TOKEN\"")).env("HOST_TOKEN", "a\tb");
    table.row("variable", &command, FAILED, &["HOST_TOKEN", "control"]);
    let command = env(&file).arg("--secret").arg("TOKEN");
    keep(&command, "a\nb");
    table.row(
        "store",
        &command,
        FAILED,
        &["damaged", "palisade secret set"],
    );
}

#[test]
fn only_one_that_is_to_be_shown_is_shown() {
    let both = format!(
        "{}{}",
        secret(INJECT),
        secret("expose = true\nrequired = false")
    );
    let (_folder, file) = plugin(&both);
    for (grant, shown) in [
        (secret(""), false),
        (secret(INJECT), false),
        (format!("{}{}", secret(""), secret("expose = true")), true),
    ] {
        let command = granted(env(&file), &grant);
        keep(&command, VALUE);
        let done = command.output().success();
        assert_eq!(done.stdout.contains("TOKEN=ghp_hunter2"), shown, "{done:?}");
        assert_eq!(done.stdout.contains(VALUE), shown, "{done:?}");
        assert_eq!(
            done.stderr.contains("sees the value of the secret TOKEN"),
            shown,
            "{done:?}"
        );
        assert!(!done.stderr.contains(VALUE), "{done:?}");
    }
}

#[test]
fn looking_shows_whether_it_is_set_and_never_what_it_is() {
    let (_folder, file) = plugin(&secret(INJECT));
    let inspect = || Palisade::inspect(&file).arg("--secret").arg("TOKEN");
    let row = |command: &Palisade| -> Value {
        let shown = command.clone().arg("--json").output().success();
        assert!(!shown.stdout.contains(VALUE));
        let rows = shown.json()["permissions"].clone();
        let row = rows.as_array().unwrap().iter();
        row.clone()
            .find(|row| row["what"] == "secret TOKEN")
            .unwrap()
            .clone()
    };
    let not_set = inspect();
    assert_eq!(
        row(&not_set)["secret"],
        json!({"name": "TOKEN", "set": false, "exposed": false})
    );
    let text = not_set.output().success().stdout;
    assert!(
        text.contains("not set") && text.contains("palisade secret set TOKEN"),
        "{text}"
    );

    let set = inspect();
    keep(&set, VALUE);
    let shown = row(&set);
    assert_eq!(shown["secret"]["set"], true);
    assert_eq!(
        shown["effective"],
        "for https://api.test (authorization: Bearer {})"
    );
    let text = set.output().success().stdout;
    assert!(text.contains("set, hidden"), "{text}");
    assert!(!text.contains(VALUE), "{text}");
}

/// What a plugin sees stands out, where there are colours.
#[test]
fn one_that_is_shown_stands_out() {
    let (_folder, file) = plugin(&secret("expose = true"));
    let command = granted(Palisade::inspect(&file), &secret("expose = true"));
    keep(&command, VALUE);
    let plain = command.output().success().stdout;
    assert!(plain.contains("set, the plugin sees it"), "{plain}");
    assert!(!plain.contains('\u{1b}'), "{plain}");
    let line = |plain: &Palisade| {
        let command = plain.entry();
        let words = command["args"].as_array().unwrap().iter();
        let words: Vec<_> = words.map(|word| word.as_str().unwrap()).collect();
        format!(
            "{} {}",
            command["command"].as_str().unwrap(),
            words.join(" ")
        )
    };
    let shown = |no_color: &str| {
        let output = std::process::Command::new("script")
            .args(["-q", "-c", &line(&command), "/dev/null"])
            .env("HOME", command.home())
            .env("TERM", "xterm")
            .env("NO_COLOR", no_color)
            .env_remove("XDG_DATA_HOME")
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let red = "\u{1b}[31m secret TOKEN";
    assert!(shown("").contains(red), "{}", shown(""));
    assert!(!shown("1").contains('\u{1b}'));
}
