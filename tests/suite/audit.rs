//! What was decided about plugins is written down, and nothing that they were given.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use palisade_tests::guest;
use serde_json::{Value, json};

use crate::install_stage::{Desk, NOTES};
use crate::mistakes::{FAILED, USAGE};

fn events(desk: &Desk) -> Vec<Value> {
    let shown = desk.palisade(["audit", "--json"]).output().success();
    shown.json_lines()
}

fn words(desk: &Desk) -> Vec<String> {
    let word = |record: &Value| record["event"].as_str().unwrap().to_owned();
    events(desk).iter().map(word).collect()
}

#[test]
fn each_decision_is_there_in_its_order() {
    let desk = Desk::new();
    let nothing = desk.palisade(["audit"]).output().success();
    assert!(
        nothing.stdout.contains("nothing is recorded"),
        "{nothing:?}"
    );
    let file = desk.source(&guest("turncoat"), NOTES);
    let root = format!("notes={}:rw", desk.folder().display());
    desk.install(
        &file,
        &["--root", &root, "--env", "CANARY=a-canary-of-a-value"],
    )
    .success();
    let grant = |arguments: &[&str]| {
        let arguments = arguments.iter().copied();
        desk.palisade(arguments).output().success();
    };
    grant(&["grant", "notes", "--tool", "read=ask"]);
    grant(&["revoke", "notes", "--tool", "read"]);
    let mut session = desk.palisade(["run", "notes"]).start();
    session.initialize("2025-11-25");
    session.call(
        "become",
        json!({"what": "evil", "why": "a-canary-of-an-argument"}),
    );
    session.ask("tools/list", json!({}));
    // It is recorded by the process that serves, behind its wall.
    session.until_stderr(|said| said.contains("is withheld"));
    let digest = loop {
        let shown = desk.palisade(["approve", "notes", "--json"]).output();
        if let Some(digest) = shown.json()["digest"].as_str() {
            break digest.to_owned();
        }
    };
    grant(&["approve", "notes", "--accept", &digest]);
    drop(session);
    fs::copy(guest("escapes"), &file).unwrap();
    let update = desk.palisade(["update", "notes", "--json"]).output();
    let digest = update.json()["digest"].as_str().unwrap().to_owned();
    grant(&["update", "notes", "--accept", &digest]);
    grant(&["remove", "notes"]);
    assert_eq!(
        words(&desk),
        [
            "installed",
            "granted",
            "granted",
            "revoked",
            "withheld",
            "approved",
            "updated",
            "granted",
            "removed"
        ]
    );
    let all = events(&desk);
    assert!(
        all[0]["source"].to_string().contains("plugin.wasm"),
        "{all:?}"
    );
    let granted = all[1]["what"].to_string();
    assert!(
        granted.contains("read and write the folder notes"),
        "{granted}"
    );
    assert!(granted.contains("the variable CANARY"), "{granted}");
    assert!(
        all[4]["what"].to_string().contains("tool read (sha256:"),
        "{all:?}"
    );
    assert_eq!(all[4]["what"], all[5]["what"]);
    assert_eq!(all[6]["digest"], digest.as_str());
    let shown = desk
        .palisade(["audit", "notes", "--last", "2"])
        .output()
        .success();
    assert!(
        shown.stdout.contains("removed") && !shown.stdout.contains("installed"),
        "{shown:?}"
    );
    let none = desk.palisade(["audit", "--last", "0"]).output();
    assert_eq!(none.code, Some(USAGE), "{none:?}");
    let other = desk.palisade(["audit", "other"]).output().success();
    assert!(other.stdout.contains("nothing is recorded"), "{other:?}");

    let folder = desk.home().join(".local/state/palisade/audit");
    for entry in fs::read_dir(&folder).unwrap() {
        let file = entry.unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let text = fs::read_to_string(file.path()).unwrap();
        assert!(!text.contains("canary"), "{text}");
    }
}

#[test]
fn what_others_could_have_written_is_not_shown() {
    let desk = Desk::new();
    desk.install(&desk.notes(), &[]).success();
    let file = desk.home().join(".local/state/palisade/audit/audit.jsonl");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    let shown = desk.palisade(["audit"]).output();
    assert_eq!(shown.code, Some(FAILED), "{shown:?}");
    assert!(shown.stderr.contains("others may write to it"), "{shown:?}");
    // What is decided is done all the same, and it is said that nothing was written.
    let grant = desk.palisade(["grant", "notes", "--tool", "env=allow"]);
    let grant = grant.output().success();
    assert!(grant.stderr.contains("is not recorded"), "{grant:?}");
}

#[test]
fn nothing_in_it_steers_the_terminal() {
    let desk = Desk::new();
    desk.install(&desk.notes(), &[]).success();
    let file = desk.home().join(".local/state/palisade/audit/audit.jsonl");
    let forged = r#"{"at":"2026-01-01T00:00:00Z","plugin":"a\nb\u001b[2J","event":"granted","what":["x\n2030-01-01 notes removed"]}"#;
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}{forged}\n\u{1b}[31m not a record\n")).unwrap();
    let shown = desk.palisade(["audit"]).output().success();
    assert!(!shown.stdout.contains('\u{1b}'), "{shown:?}");
    assert!(
        !shown
            .stdout
            .lines()
            .any(|line| line.trim().starts_with("2030")),
        "{shown:?}"
    );
    assert!(shown.stdout.contains("can't be read"), "{shown:?}");
}

#[test]
fn it_goes_on_as_records_come() {
    let desk = Desk::new();
    desk.install(&desk.notes(), &[]).success();
    let mut follow = desk.palisade(["audit", "--follow", "--json"]).start();
    assert_eq!(follow.receive().unwrap()["event"], "installed");
    desk.palisade(["grant", "notes", "--tool", "env=allow"])
        .output()
        .success();
    let mut seen = Vec::new();
    while !seen
        .last()
        .is_some_and(|what: &String| what.contains("the tools env: allow"))
    {
        seen.push(follow.receive().unwrap()["what"].to_string());
    }
}
