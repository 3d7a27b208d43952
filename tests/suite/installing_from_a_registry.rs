//! Published by one person, installed by another: through a real registry.

use palisade_tests::oci::Registry;
use palisade_tests::{guest, plugin};

use crate::install_stage::{Desk, NOTES};
use crate::mistakes::{FAILED, REFUSED, USAGE};

/// A packed plugin under the name notes.
fn packed(desk: &Desk, component: &std::path::Path) -> String {
    let folder = desk.source(component, NOTES).parent().unwrap().to_owned();
    let file = desk.home().join("packed.wasm").display().to_string();
    let pack = desk.palisade(["pack", folder.to_str().unwrap(), "-o", &file]);
    pack.output().success();
    file
}

#[test]
fn pushed_installed_and_updated() {
    let registry = Registry::open();
    let author = Desk::new();
    let reference = registry.reference("team/notes:1");
    let push = |component: &std::path::Path| {
        let file = packed(&author, component);
        author
            .palisade(["push", &file, &reference, "--json"])
            .output()
            .success()
            .json()
    };
    let first = push(&guest("escapes"));

    let person = Desk::new();
    let installed = person.palisade(["install", &reference]).output().success();
    assert!(installed.stdout.contains(&reference), "{installed:?}");
    assert!(
        installed.stdout.contains("A folder of notes"),
        "{installed:?}"
    );
    let listed = person
        .palisade(["list", "--json"])
        .output()
        .success()
        .json();
    assert_eq!(listed[0]["digest"], first["digest"]);
    assert_eq!(listed[0]["source"], reference.as_str());

    // The tag leads elsewhere now.
    let second = push(&guest("shows-roots"));
    assert_ne!(first["digest"], second["digest"]);
    let again = person.palisade(["install", &reference]).output();
    assert_eq!(again.code, Some(FAILED), "{again:?}");
    assert!(again.stderr.contains("palisade update notes"), "{again:?}");
    let update = person.palisade(["update", "notes"]).output();
    assert_eq!(update.code, Some(REFUSED), "{update:?}");
    assert!(update.stdout.contains("+ tool mounts"), "{update:?}");
    let pinned = first["pinned"].as_str().unwrap();
    let same = person.palisade(["install", pinned]).output().success();
    assert!(same.stdout.contains("is the same"), "{same:?}");
}

#[test]
fn with_a_login() {
    let registry = Registry::closed();
    let desk = Desk::new();
    let file = packed(&desk, &guest("escapes"));
    let reference = registry.reference("team/notes:1");
    let with = |arguments: [&str; 3], password: &str| {
        let command = desk.palisade(arguments.into_iter().filter(|word| !word.is_empty()));
        command
            .env("DOCKER_CONFIG", registry.login(password))
            .output()
    };
    with(["push", &file, &reference], palisade_tests::oci::PASSWORD).success();
    let refused = with(["install", &reference, ""], "wrong");
    assert_eq!(refused.code, Some(FAILED), "{refused:?}");
    assert_eq!(refused.stderr.lines().count(), 1, "{refused:?}");
    with(["install", &reference, ""], palisade_tests::oci::PASSWORD).success();
}

#[test]
fn mistakes_are_told_in_a_sentence() {
    let registry = Registry::open();
    let desk = Desk::new();
    let file = packed(&desk, &guest("escapes"));
    let bare = plugin("hello").display().to_string();
    let absent = registry.reference("team/absent:1");
    let there = registry.reference("team/notes:1");
    for (arguments, code, says) in [
        (["install", &absent, ""], FAILED, "absent"),
        (
            ["install", "oci://127.0.0.1:1/a:1", ""],
            FAILED,
            "127.0.0.1:1",
        ),
        (["push", &file, "https://a.test/x"], USAGE, "oci://"),
        (["push", &bare, &there], FAILED, "palisade pack"),
        (["push", "/nowhere.wasm", &there], FAILED, "/nowhere.wasm"),
    ] {
        let words = arguments.into_iter().filter(|word| !word.is_empty());
        let finished = desk.palisade(words).output();
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
