//! A command that is killed at any step leaves the old state or the new one.

use std::fs;
use std::path::Path;

use palisade_tests::{Finished, guest};
use serde_json::Value;

use crate::install_stage::{Desk, NOTES};

/// What is installed, and what it is granted.
fn state(desk: &Desk) -> (Value, Option<String>) {
    let listed = desk.palisade(["list", "--json"]).output().success().json();
    (listed, fs::read_to_string(desk.grant_file()).ok())
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
    assert_ne!(
        old.0.to_string() + &format!("{:?}", old.1),
        new.0.to_string() + &format!("{:?}", new.1)
    );
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
        let is = |wanted: &(Value, Option<String>)| {
            let names = |value: &Value| value[0]["digest"].clone();
            names(&left.0) == names(&wanted.0) && left.1.is_some() == wanted.1.is_some()
        };
        assert!(is(&old) || is(&new), "step {step}: {left:?}");
        desk.palisade(["verify"]).output().success();
        // And it can be done again.
        if !is(&new) {
            act(&desk, &file, &[]).success();
        }
        assert!(is_now(&desk, &new), "step {step}");
    }
}

fn is_now(desk: &Desk, wanted: &(Value, Option<String>)) -> bool {
    state(desk).0[0]["digest"] == wanted.0[0]["digest"]
}

fn with(command: palisade_tests::Palisade, variables: &[(&str, &str)]) -> Finished {
    let set =
        |command: palisade_tests::Palisade, (name, value): &(&str, &str)| command.env(name, value);
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
