//! From a stranger's file to a plugin that runs with what it was granted, and
//! away again.

use std::fs;

use palisade_tests::{guest, plugin};
use serde_json::json;

use crate::install_stage::{Desk, NOTES};
use crate::mistakes::{FAILED, REFUSED, USAGE};

const READ: &str = "{\"path\":\"/notes/a.txt\"}";

#[test]
fn installed_granted_run_and_removed() {
    let desk = Desk::new();
    let folder = desk.folder();
    let installed = desk.install(&desk.notes(), &[]).success();
    for says in [
        "notes 1.0.0 · A folder of notes",
        "digest    sha256:",
        "by nobody",
        "write ⚠",
        "read, write and delete files in ONE folder you choose, which it calls notes",
        "It does not ask for: other folders, the network, your environment.",
        "palisade grant notes --root notes=PATH:rw",
    ] {
        assert!(installed.stdout.contains(says), "{says}: {installed:?}");
    }
    // Nothing was answered, so nothing is granted.
    let call = || desk.palisade(["call", "notes", "read", READ]).output();
    let refused = call();
    assert_ne!(refused.code, Some(0), "{refused:?}");

    let root = format!("notes={}:ro", folder.display());
    // Nothing says that it only reads.
    let arguments = ["grant", "notes", "--root", &root, "--tool", "read=allow"];
    let granted = desk.palisade(arguments).output().success();
    assert!(granted.stdout.contains("read-only"), "{granted:?}");
    let when = "holds from its next start on";
    assert!(granted.stdout.contains(when), "{granted:?}");
    assert_eq!(call().success().stdout, "the folder's a\n");

    let revoked = desk
        .palisade(["revoke", "notes", "--root", "notes"])
        .output()
        .success();
    assert!(
        !revoked.stdout.contains(&folder.display().to_string()),
        "{revoked:?}"
    );
    let refused = call();
    assert_ne!(refused.code, Some(0), "{refused:?}");

    let listed = desk.palisade(["list", "--json"]).output().success().json();
    assert_eq!(listed[0]["name"], "notes");
    assert_eq!(listed[0]["version"], "1.0.0");
    let removed = desk.palisade(["remove", "notes"]).output().success();
    assert!(removed.stdout.contains("notes is removed"), "{removed:?}");
    assert!(!desk.grant_file().exists());
    let blobs = fs::read_dir(desk.store().join("blobs/sha256"))
        .unwrap()
        .count();
    assert_eq!(blobs, 0);
    let listed = desk.palisade(["list", "--json"]).output().success().json();
    assert_eq!(listed, json!([]));
}

#[test]
fn flags_answer_in_a_script() {
    let desk = Desk::new();
    let root = format!("notes={}:rw", desk.folder().display());
    let installed = desk
        .install(&desk.notes(), &["--root", &root, "--json"])
        .success();
    assert_eq!(installed.json()["name"], "notes");
    assert_eq!(installed.json()["not_granted"], json!([]));
    let shown = desk
        .palisade(["permissions", "notes", "--json"])
        .output()
        .success()
        .json();
    let rows = shown["permissions"].as_array().unwrap();
    let row = |what: &str| {
        rows.iter()
            .find(|row| row["what"].as_str().unwrap().contains(what))
    };
    assert!(
        row("notes").unwrap()["effective"]
            .to_string()
            .contains("rw"),
        "{shown}"
    );
    // What may destroy something asks first, unless the person says otherwise.
    assert_eq!(row("tool delete").unwrap()["effective"], "ask", "{shown}");
    let call = || desk.palisade(["call", "notes", "delete", READ]).output();
    let refused = call();
    assert_eq!(refused.code, Some(REFUSED), "{refused:?}");
    let file = desk.folder().join("a.txt");
    assert!(file.exists());
    desk.palisade(["grant", "notes", "--tool", "delete=allow"])
        .output()
        .success();
    call().success();
    assert!(!file.exists());
}

#[test]
fn other_bytes_under_one_name_are_refused() {
    let desk = Desk::new();
    let file = desk.notes();
    desk.install(&file, &[]).success();
    let same = desk.install(&file, &[]).success();
    assert!(same.stdout.contains("is the same"), "{same:?}");
    fs::copy(guest("shows-roots"), &file).unwrap();
    let other = desk.install(&file, &[]);
    assert_eq!(other.code, Some(FAILED), "{other:?}");
    assert!(other.stderr.contains("palisade update notes"), "{other:?}");
    let listed = desk.palisade(["list", "--json"]).output().success().json();
    assert!(
        listed[0]["tools"].to_string().contains("read_link"),
        "{listed}"
    );
    desk.install(&file, &["--name", "beside"]).success();
}

#[test]
fn what_runs_is_what_was_agreed_to() {
    let desk = Desk::new();
    let installed = desk.install(&desk.notes(), &["--json"]).success().json();
    let digest = installed["digest"].as_str().unwrap().replace("sha256:", "");
    let blob = desk.store().join("blobs/sha256").join(digest);
    let good = fs::read(&blob).unwrap();
    let mut bad = good.clone();
    let last = bad.len() - 1;
    bad[last] ^= 1;
    fs::remove_file(&blob).unwrap();
    fs::write(&blob, &bad).unwrap();
    let call = desk.palisade(["call", "notes", "env"]).output();
    assert_eq!(call.code, Some(FAILED), "{call:?}");
    assert!(call.stderr.contains("not what was installed"), "{call:?}");
    let verified = desk.palisade(["verify"]).output();
    assert_eq!(verified.code, Some(FAILED), "{verified:?}");
    assert!(verified.stderr.contains("notes"), "{verified:?}");
    fs::remove_file(&blob).unwrap();
    fs::write(&blob, &good).unwrap();
    desk.palisade(["verify"]).output().success();
}

#[test]
fn an_installed_name_goes_before_a_file() {
    let desk = Desk::new();
    desk.install(&desk.notes(), &[]).success();
    let folder = tempfile::tempdir().unwrap();
    fs::copy(plugin("hello"), folder.path().join("notes")).unwrap();
    let shown = desk.palisade(["inspect", "notes", "--json"]);
    let shown = shown.in_folder(folder.path()).output().success().json();
    assert!(
        shown["tools"].to_string().contains("\"read_link\""),
        "{shown}"
    );
    let shown = desk.palisade(["inspect", "./notes", "--json"]);
    let shown = shown.in_folder(folder.path()).output().success().json();
    assert!(shown["tools"].to_string().contains("greet"), "{shown}");
}

#[test]
fn an_update_shows_every_word_and_needs_a_yes() {
    let desk = Desk::new();
    let file = desk.source(&guest("escapes"), NOTES);
    desk.install(&file, &[]).success();
    let update = |more: &[&str]| {
        let arguments = ["update", "notes"].iter().chain(more).copied();
        desk.palisade(arguments).output()
    };
    let same = update(&[]).success();
    assert!(same.stdout.contains("is what its source has"), "{same:?}");

    let manifest = format!("{NOTES}[[network]]\nto = \"https://collect.example\"\n");
    desk.source(&plugin("hello"), &manifest);
    let shown = update(&[]);
    assert_eq!(shown.code, Some(REFUSED), "{shown:?}");
    for says in [
        "+ asks to talk to collect.example over https",
        "+ tool greet",
        "- tool read_link",
    ] {
        assert!(shown.stdout.contains(says), "{says}: {shown:?}");
    }
    let before = desk.palisade(["list", "--json"]).output().success().json();
    let wrong = update(&["--accept", &format!("sha256:{}", "0".repeat(64))]);
    assert_eq!(wrong.code, Some(REFUSED), "{wrong:?}");
    let after = desk.palisade(["list", "--json"]).output().success().json();
    assert_eq!(before, after);

    let json = update(&["--json"]);
    let digest = json.json()["digest"].as_str().unwrap().to_owned();
    update(&["--accept", &digest]).success();
    let listed = desk.palisade(["list", "--json"]).output().success().json();
    assert_eq!(listed[0]["digest"], digest.as_str());
    // Nobody has granted what is new.
    let shown = desk
        .palisade(["permissions", "notes", "--json"])
        .output()
        .success()
        .json();
    let rows = shown["permissions"].as_array().unwrap();
    let network = rows
        .iter()
        .find(|row| row["asked"].to_string().contains("collect.example"));
    assert!(network.unwrap()["effective"].is_null(), "{shown}");
}

#[test]
fn what_comes_with_an_update_asks_as_what_was_there_did() {
    let desk = Desk::new();
    let file = desk.source(&plugin("hello"), NOTES);
    desk.install(&file, &[]).success();
    desk.palisade(["grant", "notes", "--tool", "greet=deny"])
        .output()
        .success();
    desk.source(&guest("escapes"), NOTES);
    let json = desk.palisade(["update", "notes", "--json"]).output();
    let digest = json.json()["digest"].as_str().unwrap().to_owned();
    let updated = desk.palisade(["update", "notes", "--accept", &digest]);
    let updated = updated.output().success();
    assert!(updated.stdout.contains("asked each time"), "{updated:?}");
    // A rule about a tool that is gone went with it, and keeps nothing from starting.
    assert!(updated.stdout.contains("greet=deny"), "{updated:?}");
    let call = desk.palisade(["call", "notes", "env"]).output();
    assert_eq!(call.code, Some(REFUSED), "{call:?}");
    assert!(call.stderr.contains("--tool env=allow"), "{call:?}");
    // What a person has said about all tools holds for those to come.
    desk.palisade(["grant", "notes", "--tool", "*=allow"])
        .output()
        .success();
    desk.palisade(["revoke", "notes", "--tool", "env"])
        .output()
        .success();
    desk.palisade(["call", "notes", "env"]).output().success();
}

#[test]
fn mistakes_are_told_in_a_sentence() {
    let desk = Desk::new();
    let notes = desk.notes();
    desk.install(&notes, &[]).success();
    let text = desk.home().join("text.wasm");
    fs::write(&text, "<html>").unwrap();
    let text = text.display().to_string();
    for (arguments, code, says) in [
        (
            vec!["install", "/nowhere/a.wasm"],
            FAILED,
            "/nowhere/a.wasm",
        ),
        (vec!["install", &text], FAILED, "text.wasm"),
        (vec!["install", "ftp://a.test/x"], USAGE, "ftp://"),
        (
            vec!["grant", "other", "--env", "A=b"],
            FAILED,
            "installed: notes",
        ),
        (
            vec!["grant", "notes", "--root", "notes=/nowhere"],
            FAILED,
            "does not exist",
        ),
        (
            vec!["grant", "notes", "--tool", "reed=deny"],
            USAGE,
            "matches no tool",
        ),
        (
            vec!["grant", "notes", "--tool", "reed"],
            USAGE,
            "PATTERN=ask",
        ),
        (vec!["revoke", "notes"], USAGE, "--all"),
        (
            vec!["revoke", "notes", "--root", "x"],
            FAILED,
            "palisade permissions notes",
        ),
        (vec!["run", "absent"], FAILED, "absent"),
    ] {
        let finished = desk.palisade(arguments.iter().copied()).output();
        assert_eq!(finished.code, Some(code), "{arguments:?}: {finished:?}");
        assert!(
            finished.stderr.contains(says),
            "{arguments:?}: {finished:?}"
        );
        assert!(
            finished.stderr.lines().count() <= 2,
            "{arguments:?}: {finished:?}"
        );
    }
}

#[test]
fn the_store_is_granted_to_nobody() {
    let desk = Desk::new();
    desk.install(&desk.notes(), &[]).success();
    for place in [desk.store(), desk.home().join(".config/palisade/grants")] {
        let root = format!("notes={}", place.display());
        let refused = desk.palisade(["grant", "notes", "--root", &root]).output();
        assert_eq!(refused.code, Some(REFUSED), "{refused:?}");
        assert!(refused.stderr.contains("its own files"), "{refused:?}");
    }
}
