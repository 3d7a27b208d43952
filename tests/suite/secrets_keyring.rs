//! Secrets in the system's keyring: a real one, of GNOME, on a bus of its own.

use std::fs;
use std::path::{Path, PathBuf};

use palisade_tests::internet::{Internet, Web, ok};
use palisade_tests::keyring::Keyring;
use palisade_tests::stage::open;
use palisade_tests::{Finished, Palisade, guest, rpc};
use serde_json::json;

use crate::mistakes::FAILED;

const VALUE: &str = "ghp_hunter2";

/// `palisade secret …` in one home, with a keyring in reach.
fn secret(keyring: &Keyring, home: &Path, arguments: &[&str]) -> Finished {
    let command = Palisade::new(["secret"].iter().chain(arguments).copied());
    let command = keyring.reach(command.env("HOME", home));
    let (input, output) = (home.join("input"), home.join("output"));
    fs::write(&input, format!("{VALUE}\n")).unwrap();
    let mut finished = command.output_with(
        fs::File::open(&input).unwrap(),
        fs::File::create(&output).unwrap(),
    );
    finished.stdout = fs::read_to_string(&output).unwrap();
    fs::remove_file(input).unwrap();
    finished
}

/// The files below a folder in which the value can be read.
fn files_with_it(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let kind = path.symlink_metadata().unwrap().file_type();
        if kind.is_dir() {
            found.extend(files_with_it(&path));
        } else if kind.is_file() {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            found.extend(text.contains(VALUE).then_some(path));
        }
    }
    found
}

#[test]
fn it_is_there_and_in_no_file() {
    let Some(keyring) = Keyring::unlocked() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let set = secret(&keyring, home, &["set", "TOKEN"]).success();
    assert_eq!(set.stdout, "TOKEN is set, in the keyring\n");
    assert!(files_with_it(home).is_empty());
    assert!(files_with_it(keyring.folder()).is_empty());
    let listed = secret(&keyring, home, &["list"]).success();
    assert_eq!(listed.stdout, "TOKEN  keyring\n");
    let listed = secret(&keyring, home, &["list", "--json"]).success();
    let place = json!([{"name": "TOKEN", "place": "keyring"}]);
    assert_eq!(listed.json()["secrets"], place);

    // From there to a file and back, it is in one place.
    secret(&keyring, home, &["set", "--store", "file", "TOKEN"]).success();
    assert_eq!(files_with_it(home).len(), 1);
    secret(&keyring, home, &["set", "--store", "keyring", "TOKEN"]).success();
    assert!(files_with_it(home).is_empty());

    let gone = secret(&keyring, home, &["remove", "TOKEN"]).success();
    assert_eq!(gone.stdout, "TOKEN is removed, from the keyring\n");
    assert_eq!(secret(&keyring, home, &["list"]).success().stdout, "");
    let gone = secret(&keyring, home, &["remove", "TOKEN"]);
    assert_eq!(gone.code, Some(FAILED), "{gone:?}");
}

/// A mark that somebody removed by hand, or who was killed before it was made: the
/// value goes with the next that is said of it.
#[test]
fn what_was_left_there_goes_as_well() {
    let Some(keyring) = Keyring::unlocked() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    secret(&keyring, home, &["set", "TOKEN"]).success();
    let mark = home.join(".local/share/palisade/secrets/TOKEN");
    let marked = fs::read(&mark).unwrap();
    secret(&keyring, home, &["set", "--store", "file", "TOKEN"]).success();
    fs::write(&mark, &marked).unwrap();
    // It was taken out when the file came.
    let command = keyring.reach(with_the_secret(home));
    let lost = command.output();
    assert_eq!(lost.code, Some(FAILED), "{lost:?}");
    assert!(lost.stderr.contains("no longer has it"), "{lost:?}");
    let says = "set it again: palisade secret set TOKEN";
    assert!(lost.stderr.contains(says), "{lost:?}");
    secret(&keyring, home, &["remove", "TOKEN"]).success();
    assert!(!mark.exists());
}

/// A plugin that is granted the secret, in this home.
fn with_the_secret(home: &Path) -> Palisade {
    let command = Palisade::call(guest("escapes"), "env", "{}").env("HOME", home);
    let grant = home.join("grant.toml");
    let text = "[[secrets]]\nname = \"TOKEN\"\ninject = { to = \"https://api.test\", header = \"x-key\" }\n";
    fs::write(&grant, text).unwrap();
    command.grant(grant)
}

#[test]
fn a_plugin_has_the_use_of_it() {
    let Some(keyring) = Keyring::unlocked() else {
        return;
    };
    let internet = Internet::new();
    internet.names.here("api.test");
    let server = Web::plain(|asked, pipe| ok(pipe, &asked.head));
    let url = format!("http://api.test:{}", server.port());
    let command = keyring.reach(internet.run(&[&format!("private:{url}")]));
    secret(&keyring, command.home(), &["set", "TOKEN"]).success();
    let grant = command.home().join("grant.toml");
    let text = format!(
        "[[secrets]]\nname = \"TOKEN\"\ninject = {{ to = \"{url}\", header = \"x-key\" }}\n"
    );
    fs::write(&grant, text).unwrap();
    let mut session = open(&command.grant(grant).env("PALISADE_LOG", "trace"));
    let arguments = json!({"method": "GET", "url": url, "headers": ""});
    let said = rpc::tool_text(&session.call("http", arguments));
    assert!(said.contains("***********"), "{said}");
    let head = server.asked()[0].head.clone();
    assert!(
        head.to_ascii_lowercase()
            .contains(&format!("x-key: {VALUE}")),
        "{head}"
    );
    let finished = session.finish();
    assert!(
        !format!("{said}{finished:?}").contains(VALUE),
        "{finished:?}"
    );
}

#[test]
fn a_keyring_that_does_not_give_it_is_named() {
    let Some(mut keyring) = Keyring::unlocked() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    secret(&keyring, home, &["set", "TOKEN"]).success();
    let refused = |finished: Finished, says: &str| {
        assert_eq!(finished.code, Some(FAILED), "{finished:?}");
        assert!(finished.stderr.contains(says), "{finished:?}");
        let remedy = "palisade secret set --store file TOKEN";
        assert!(finished.stderr.contains(remedy), "{finished:?}");
        assert!(!finished.stderr.contains(VALUE), "{finished:?}");
    };
    keyring.lock();
    let run = || keyring.reach(with_the_secret(home)).output();
    refused(run(), "the keyring is locked, and was not unlocked");
    // Nor is a value put elsewhere than where its owner thinks it is.
    refused(secret(&keyring, home, &["set", "TOKEN"]), "is locked");
    assert!(files_with_it(home).is_empty());
    // Where it is need not be asked there.
    let listed = secret(&keyring, home, &["list"]).success();
    assert_eq!(listed.stdout, "TOKEN  keyring\n");
    keyring.end();
    refused(
        keyring.reach(with_the_secret(home)).output(),
        "no keyring answers here",
    );
    // Nor is there a bus.
    refused(with_the_secret(home).output(), "no keyring answers here");
    let set = secret(&keyring, home, &["set", "TOKEN"]).success();
    assert!(
        set.stdout.starts_with("TOKEN is set, in the file /"),
        "{set:?}"
    );
    assert!(
        set.stderr.contains("may still be in the keyring"),
        "{set:?}"
    );
    with_the_secret(home).output().success();
}

#[test]
fn where_there_is_none_it_is_a_file() {
    let Some(bus) = Keyring::bus_alone() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let set = secret(&bus, home.path(), &["set", "TOKEN"]).success();
    assert!(
        set.stdout.starts_with("TOKEN is set, in the file /"),
        "{set:?}"
    );
    assert_eq!(set.stderr, "");
    let set = secret(&bus, home.path(), &["set", "--store", "keyring", "TOKEN"]);
    assert_eq!(set.code, Some(FAILED), "{set:?}");
    assert!(set.stderr.contains("no keyring answers here"), "{set:?}");
}
