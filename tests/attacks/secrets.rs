//! Secrets, without the network: nothing of them gets to a plugin by way of
//! files, variables or messages, whatever is granted beside them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use palisade_tests::stage::{done, open};
use palisade_tests::{Palisade, guest};
use serde_json::json;

const VALUE: &str = "ghp_hunter2";

const INJECT: &str = "[[secrets]]\nname = \"TOKEN\"\ninject = { to = \"https://api.test\", header = \"authorization\", format = \"Bearer {}\" }\n";

fn refused(command: &Palisade, says: &str) {
    let finished = command.output();
    assert_eq!(finished.code, Some(3), "{finished:?}");
    assert!(finished.stderr.contains(says), "{finished:?}");
    assert!(!finished.stderr.contains(VALUE), "{finished:?}");
}

fn only_mine(path: &Path, mode: u32) {
    fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

/// A command with a secret in its store, and a grant of it.
fn with_a_secret(command: Palisade) -> Palisade {
    let folder = command.home().join(".local/share/palisade/secrets");
    fs::create_dir_all(&folder).unwrap();
    only_mine(&folder, 0o700);
    fs::write(folder.join("TOKEN"), format!("TOKEN\n{VALUE}")).unwrap();
    only_mine(&folder.join("TOKEN"), 0o600);
    let grant = command.home().join("grant.toml");
    fs::write(&grant, INJECT).unwrap();
    command.grant(grant)
}

#[test]
fn the_store_is_granted_to_nobody() {
    let command = with_a_secret(Palisade::run(guest("escapes")));
    let home = command.home().to_owned();
    let store = home.join(".local/share/palisade/secrets");
    let link = home.join("innocent");
    symlink(&store, &link).unwrap();
    for path in [
        store.as_path(),
        &home.join(".local/share/palisade"),
        &home.join(".local"),
        &home,
        &link,
    ] {
        for access in ["ro", "rw"] {
            let command = Palisade::run(guest("escapes")).env("HOME", &home);
            refused(&command.root("own", path, access), "can't be granted");
        }
    }
    let file = Palisade::run(guest("escapes"))
        .env("HOME", &home)
        .arg("--file")
        .arg(format!("own={}", store.join("TOKEN").display()));
    refused(&file, "can't be granted");
    // Nor where it is kept elsewhere in this run.
    let elsewhere = tempfile::tempdir().unwrap();
    let command = Palisade::run(guest("escapes")).env("XDG_DATA_HOME", elsewhere.path());
    refused(
        &command.root("own", elsewhere.path(), "ro"),
        "can't be granted",
    );
}

/// A folder that may be read would show it, wherever links lead.
#[test]
fn nor_a_file_that_a_grant_takes_one_from() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    fs::write(&token, VALUE).unwrap();
    let link = elsewhere.path().join("link");
    symlink(&token, &link).unwrap();
    for path in [&token, &link] {
        let grant = elsewhere.path().join("grant.toml");
        fs::write(&grant, format!("{INJECT}file = {path:?}\n")).unwrap();
        let command = || Palisade::run(guest("escapes")).grant(&grant);
        command().output().success();
        for access in ["ro", "rw"] {
            let command = command().root("own", folder.path(), access);
            refused(&command, "could be read there");
        }
        let alone = command()
            .arg("--file")
            .arg(format!("own={}", token.display()));
        refused(&alone, "could be read there");
    }
}

/// Nor to the plugin beside it.
#[test]
fn nor_to_another_plugin() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    fs::write(&token, VALUE).unwrap();
    let grant = elsewhere.path().join("grant.toml");
    fs::write(
        &grant,
        format!("[plugin]\nname = \"ada\"\n{INJECT}file = {token:?}\n"),
    )
    .unwrap();
    let file = guest("escapes").display().to_string();
    let command = Palisade::run_several([format!("ada={file}"), format!("bob={file}")])
        .grant(&grant)
        .root("bob/own", folder.path(), "ro");
    let finished = command.output().success();
    assert!(finished.stderr.contains("bob is left out"), "{finished:?}");
    assert!(
        finished.stderr.contains("could be read there"),
        "{finished:?}"
    );
}

/// All that a plugin can read of itself, and all that is said of it, at the most
/// talkative.
#[test]
fn a_plugin_never_sees_one_that_is_only_used_for_it() {
    let command = with_a_secret(Palisade::run(guest("escapes")))
        .env("PALISADE_LOG", "trace")
        .env("TOKEN", VALUE);
    let mut session = open(&command);
    for tool in ["env", "args", "roots", "stdin", "current_dir"] {
        let said = session.call(tool, json!({})).to_string();
        assert!(!said.contains("hunter2"), "{tool}: {said}");
    }
    assert_eq!(done(&mut session, "env", json!({})), "");
    let finished = session.finish();
    assert!(!finished.stderr.contains("hunter2"), "{finished:?}");
    let shown = with_a_secret(Palisade::inspect(guest("escapes")).arg("--json"))
        .env("PALISADE_LOG", "trace")
        .output()
        .success();
    assert!(!format!("{shown:?}").contains("hunter2"), "{shown:?}");
}
