//! `palisade doctor` says what protects a machine, and what to do where that is
//! less than it could be.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use palisade_tests::Palisade;
use serde_json::Value;

use crate::hardening::WITHOUT;
use crate::install_stage::Desk;
use crate::mistakes::FAILED;

fn doctor() -> Palisade {
    Palisade::new(["doctor"])
}

/// Its checks, and whether it says that all is well.
fn checks(command: &Palisade) -> (Vec<Value>, bool) {
    let finished = command.clone().arg("--json").output();
    assert_eq!(finished.stderr, "");
    let json: Value = serde_json::from_str(&finished.stdout).unwrap();
    let well = json["well"].as_bool().unwrap();
    let code = if well { 0 } else { FAILED };
    assert_eq!(finished.code, Some(code), "{json}");
    let checks = json["checks"].as_array().unwrap().clone();
    for check in &checks {
        let remedy = check["remedy"].is_string();
        assert_eq!(check["well"], !remedy, "{check}");
    }
    (checks, well)
}

/// The names of those that are not well.
fn ill(checks: &[Value]) -> Vec<&str> {
    checks
        .iter()
        .filter(|check| check["well"] == false)
        .map(|check| check["name"].as_str().unwrap())
        .collect()
}

#[test]
fn a_machine_that_is_well() {
    let command = doctor();
    let (checks, well) = checks(&command);
    assert!(well, "{checks:?}");
    let found = |name: &str| {
        let check = checks.iter().find(|check| check["name"] == name);
        check.unwrap()["found"].as_str().unwrap()
    };
    assert!(found("palisade").starts_with("0."));
    assert!(found("wasmtime").starts_with("48."));
    assert!(found("machine").starts_with("linux "));
    assert!(found("landlock").contains("ABI"));
    assert!(found("seccomp").contains("holds"));
    assert!(found("cache").contains("/palisade/compiled"));
    assert!(found("config").contains("/.config/palisade"));
    let finished = command.output().success();
    for check in &checks {
        let found = check["found"].as_str().unwrap();
        assert!(finished.stdout.contains(found), "{}", finished.stdout);
    }
    assert!(!finished.stdout.contains('✗'), "{}", finished.stdout);
}

#[test]
fn a_system_that_lacks_a_part_of_the_wall() {
    for what in ["landlock", "seccomp"] {
        let command = doctor().under(WITHOUT, &[what]);
        let (checks, well) = checks(&command);
        assert!(!well);
        assert_eq!(ill(&checks), [what]);
        let finished = command.output();
        assert_eq!(finished.code, Some(FAILED));
        assert!(finished.stdout.contains('→'), "{}", finished.stdout);
    }
}

#[test]
fn folders_that_others_can_write_to() {
    let cache = tempfile::tempdir().unwrap();
    let command = doctor().cache(cache.path());
    let compiled = cache.path().join("palisade/compiled");
    let config = command.home().join(".config/palisade");
    for folder in [&compiled, &config] {
        fs::create_dir_all(folder).unwrap();
        fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
    }
    let (checks, _) = checks(&command);
    assert_eq!(ill(&checks), ["cache", "config"]);
    for folder in [&compiled, &config] {
        let shown = folder.display().to_string();
        let remedy = |check: &Value| {
            check["remedy"]
                .as_str()
                .is_some_and(|it| it.contains(&shown))
        };
        assert!(checks.iter().any(remedy), "{checks:?}");
    }
}

/// A plugin that is installed, granted a folder and a secret, and started by a client.
fn lived_in() -> Desk {
    let desk = Desk::new();
    desk.install(&desk.notes(), &[]).success();
    let root = format!("notes={}", desk.folder().display());
    desk.palisade(["grant", "notes", "--root", &root])
        .output()
        .success();
    desk.palisade(["client", "add", "cursor", "notes"])
        .output()
        .success();
    desk
}

#[test]
fn what_is_installed_is_there() {
    let desk = lived_in();
    let (checks, well) = checks(&desk.palisade(["doctor"]));
    assert!(well, "{checks:?}");
    let found = |name: &str| {
        let check = checks.iter().find(|check| check["name"] == name);
        check.unwrap()["found"].as_str().unwrap().to_owned()
    };
    assert!(found("installed").contains("as it was agreed to (1)"));
    assert!(found("grants").contains("all there (1)"));
    assert!(found("clients").contains("Cursor starts notes"));
}

/// Each thing that is wrong is said alone, with what to do.
#[test]
fn what_is_missing_of_what_is_installed() {
    type Harm = fn(&Desk);
    let harms: [(Harm, &str, &str, &str); 6] = [
        (
            |desk| {
                let blobs = fs::read_dir(desk.store().join("blobs/sha256")).unwrap();
                for blob in blobs {
                    let blob = blob.unwrap().path();
                    fs::remove_file(&blob).unwrap();
                    fs::write(&blob, "other bytes").unwrap();
                }
            },
            "installed",
            "not what was installed",
            "palisade remove notes",
        ),
        (
            |desk| fs::remove_dir_all(desk.folder()).unwrap(),
            "grants",
            "where there is no folder",
            "palisade revoke notes --root notes",
        ),
        (
            |desk| {
                let text = fs::read_to_string(desk.grant_file()).unwrap();
                let text = format!("{text}\n[[secrets]]\nname = \"TOKEN\"\n");
                fs::write(desk.grant_file(), text).unwrap();
            },
            "grants",
            "the secret TOKEN, which is not set",
            "palisade secret set TOKEN",
        ),
        (
            |desk| fs::write(desk.grant_file(), "[[roots]\n").unwrap(),
            "grants",
            "notes.toml",
            "correct it",
        ),
        (
            |desk| {
                let keep = ["remove", "notes", "--keep-clients"];
                desk.palisade(keep).output().success();
            },
            "clients",
            "Cursor starts notes, which is not installed",
            "palisade client remove cursor notes",
        ),
        (
            |desk| {
                let folder = desk.home().join(".config/palisade/grants");
                fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
            },
            "grants",
            "others may write to it",
            "chmod go-w",
        ),
    ];
    for (harm, name, says, remedy) in harms {
        let desk = lived_in();
        harm(&desk);
        let (checks, well) = checks(&desk.palisade(["doctor"]));
        assert!(!well, "{says}");
        assert_eq!(ill(&checks), [name], "{checks:?}");
        let check = checks.iter().find(|check| check["well"] == false).unwrap();
        assert!(check["found"].as_str().unwrap().contains(says), "{check}");
        assert!(
            check["remedy"].as_str().unwrap().contains(remedy),
            "{check}"
        );
    }
}
