//! A command that is killed at any step leaves the old state or the new one.

use std::fs;
use std::path::Path;

use palisade_tests::{Finished, Palisade, guest};
use serde_json::Value;

use crate::hardening::WITHOUT;
use crate::install_stage::{Desk, NOTES};

/// What a person finds: the digest that is installed, what it is granted, what the
/// plugin may do with that when it is served, and what nobody has agreed to.
#[derive(Debug, Clone, PartialEq)]
struct State {
    digest: Value,
    grant: Option<String>,
    read: (Option<i32>, String),
    withheld: String,
}

fn state(desk: &Desk) -> State {
    let listed = desk.palisade(["list", "--json"]).output().success().json();
    let grant = fs::read_to_string(desk.grant_file()).ok();
    let folder = desk.folder().display().to_string();
    let read = desk.palisade(["call", "notes", "read", "{\"path\":\"/notes/a.txt\"}"]);
    let read = read.output();
    State {
        digest: listed[0]["digest"].clone(),
        grant: grant.map(|text| text.replace(&folder, "FOLDER")),
        read: (read.code, read.stdout),
        withheld: desk.palisade(["approve", "notes"]).output().stdout,
    }
}

/// Kills a command before each of its steps, each time at a new desk, and looks
/// at what is left. Returns how often.
fn at_every_step(
    desk: impl Fn() -> (Desk, std::path::PathBuf),
    act: impl Fn(&Desk, &Path, &[(&str, &str)]) -> Finished,
) -> u32 {
    let (calm, file) = desk();
    let old = state(&calm);
    act(&calm, &file, &[]).success();
    let new = state(&calm);
    assert_ne!(old, new);
    let mut kills = 0;
    loop {
        let (desk, file) = desk();
        let step = (kills + 1).to_string();
        let finished = act(&desk, &file, &[("PALISADE_FAULT_AT", &step)]);
        if finished.code == Some(0) {
            return kills;
        }
        assert_eq!(finished.code, None, "step {step}: {finished:?}");
        kills += 1;
        let left = state(&desk);
        assert!(left == old || left == new, "step {step}: {left:?}");
        desk.palisade(["verify"]).output().success();
        // And it can be done again.
        if left == old {
            act(&desk, &file, &[]).success();
        }
        assert_eq!(state(&desk), new, "step {step}");
    }
}

fn with(command: Palisade, variables: &[(&str, &str)]) -> Finished {
    let set = |command: Palisade, (name, value): &(&str, &str)| command.env(name, value);
    variables.iter().fold(command, set).output()
}

#[test]
fn installing() {
    let kills = at_every_step(
        || {
            let desk = Desk::new();
            let file = desk.notes();
            (desk, file)
        },
        |desk, file, variables| with(desk.palisade(["install"]).arg(file), variables),
    );
    assert!(kills >= 10, "{kills}");
}

#[test]
fn updating() {
    let kills = at_every_step(
        || {
            let desk = Desk::new();
            desk.install(&desk.notes(), &[]).success();
            let file = desk.source(&guest("shows-roots"), NOTES);
            (desk, file)
        },
        |desk, file, variables| {
            let shown = desk.palisade(["inspect", "--json"]).arg(file).output();
            let digest = shown.success().json()["digest"]
                .as_str()
                .unwrap()
                .to_owned();
            let accept = ["update", "notes", "--accept", &digest];
            with(desk.palisade(accept), variables)
        },
    );
    assert!(kills >= 10, "{kills}");
}

/// Installed, and granted a folder for reading.
fn granted() -> (Desk, std::path::PathBuf) {
    let desk = Desk::new();
    let file = desk.notes();
    let root = format!("notes={}:ro", desk.folder().display());
    desk.install(&file, &["--root", &root]).success();
    let allow = ["grant", "notes", "--tool", "read=allow"];
    desk.palisade(allow).output().success();
    (desk, file)
}

#[test]
fn granting() {
    let kills = at_every_step(
        || {
            let desk = Desk::new();
            let file = desk.notes();
            desk.install(&file, &[]).success();
            (desk, file)
        },
        |desk, _, variables| {
            let root = format!("notes={}:ro", desk.folder().display());
            let arguments = ["grant", "notes", "--root", &root, "--tool", "read=allow"];
            with(desk.palisade(arguments), variables)
        },
    );
    assert!(kills >= 5, "{kills}");
}

#[test]
fn revoking() {
    let kills = at_every_step(granted, |desk, _, variables| {
        let arguments = ["revoke", "notes", "--root", "notes", "--tool", "read"];
        with(desk.palisade(arguments), variables)
    });
    assert!(kills >= 5, "{kills}");
}

#[test]
fn approving() {
    let kills = at_every_step(
        || {
            let desk = Desk::new();
            let file = desk.source(&guest("turncoat"), NOTES);
            let root = format!("notes={}:rw", desk.folder().display());
            desk.install(&file, &["--root", &root]).success();
            let mut session = desk.palisade(["run", "notes"]).start();
            session.initialize("2025-11-25");
            session.call("become", serde_json::json!({"what": "more"}));
            session.ask("tools/list", serde_json::json!({}));
            let shown = || desk.palisade(["approve", "notes"]).output().stdout;
            while !shown().contains("tool wipe") {}
            (desk, file)
        },
        |desk, _, variables| {
            let shown = desk.palisade(["approve", "notes", "--json"]).output();
            let digest = shown.json()["digest"].as_str().unwrap().to_owned();
            let accept = ["approve", "notes", "--accept", &digest];
            with(desk.palisade(accept), variables)
        },
    );
    assert!(kills >= 5, "{kills}");
}

#[test]
fn removing() {
    let kills = at_every_step(granted, |desk, _, variables| {
        with(desk.palisade(["remove", "notes"]), variables)
    });
    assert!(kills >= 5, "{kills}");
}

/// A secret that is being set: the value from before or the new one, and no copy
/// beside it once somebody has set one again.
#[test]
fn setting_a_secret() {
    for call in ["fsync", "renameat"] {
        let desk = Desk::new();
        let set = |value: &str, command: Palisade| {
            let input = desk.home().join("input");
            fs::write(&input, value).unwrap();
            let output = fs::File::create(desk.home().join("output")).unwrap();
            command.output_with(fs::File::open(input).unwrap(), output)
        };
        let command = || desk.palisade(["secret", "set", "TOKEN"]);
        set("before", command()).success();
        let killed = set("after", command().under(WITHOUT, &[call]));
        assert_eq!(killed.code, None, "{call}: {killed:?}");
        let folder = desk.home().join(".local/share/palisade/secrets");
        let kept = || fs::read_to_string(folder.join("TOKEN")).unwrap();
        assert_eq!(kept(), "TOKEN\nbefore", "{call}");
        let names = || fs::read_dir(&folder).unwrap().count();
        assert_eq!(names(), 2, "nothing was on its way at {call}");
        set("again", command()).success();
        assert_eq!(kept(), "TOKEN\nagain", "{call}");
        assert_eq!(names(), 1, "a copy is left at {call}");
    }
}
