//! `palisade new` makes a project that builds, tests, packs and answers.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use palisade_tests::{Palisade, author, source};

fn new(folder: &Path, arguments: &[&str]) -> Palisade {
    Palisade::new(["new"].iter().chain(arguments).copied()).in_folder(folder)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<_> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

#[test]
fn a_new_project_tests_packs_and_answers() {
    let folder = tempfile::tempdir().unwrap();
    let project = author::project(folder.path(), "new-and-packed");
    let tests = Command::new(author::cargo())
        .arg("test")
        .current_dir(&project)
        .envs(author::native_environment())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&tests.stdout);
    assert!(
        tests.status.success() && said.contains("2 passed"),
        "{said}{}",
        String::from_utf8_lossy(&tests.stderr)
    );

    let pack = author::author(&project, &["pack", ".", "--json"]);
    let packed = author::finished(&pack).success().json();
    assert_eq!(packed["name"], "new-and-packed");
    assert_eq!(packed["tools"][0], "greet");
    let again = author::finished(&pack).success().json();
    assert_eq!(packed, again);

    // Alone, far from its project.
    let elsewhere = tempfile::tempdir().unwrap();
    let file = elsewhere.path().join("any-name.wasm");
    fs::rename(project.join("new-and-packed.wasm"), &file).unwrap();
    fs::remove_dir_all(&project).unwrap();
    let called = Palisade::call(&file, "greet", r#"{"name": "Ada"}"#)
        .output()
        .success();
    assert_eq!(called.stdout, "Hello, Ada!\n");
    let readme = Palisade::inspect(&file).arg("--readme").output().success();
    assert!(
        readme.stdout.starts_with("# new-and-packed\n"),
        "{readme:?}"
    );
}

#[test]
fn nothing_that_is_there_is_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("full")).unwrap();
    fs::write(at("full").join("mine.txt"), "mine").unwrap();
    fs::write(at("file"), "mine").unwrap();
    fs::create_dir(at("target")).unwrap();
    symlink("target", at("link")).unwrap();
    for name in ["full", "file", "link"] {
        let done = new(folder.path(), &[name]).output();
        assert_eq!(done.code, Some(1), "{name}: {done:?}");
        assert!(done.stderr.contains("is there already"), "{done:?}");
    }
    assert_eq!(names(&at("full")), ["mine.txt"]);
    assert_eq!(fs::read_to_string(at("file")).unwrap(), "mine");
    assert_eq!(names(&at("target")), [""; 0]);
    assert_eq!(names(folder.path()), ["file", "full", "link", "target"]);

    // An empty folder is as good as none.
    fs::create_dir(at("empty")).unwrap();
    new(folder.path(), &["empty"]).output().success();
    assert!(at("empty").join("src/lib.rs").is_file());
}

#[test]
fn what_it_cannot_do_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(49);
    for (arguments, says) in [
        (&["notes", "--lang", "go"][..], "there are: rust"),
        (&["Notes"], "a-z, 0-9 and -"),
        (&["../notes"], "a-z, 0-9 and -"),
        (&[&long], "a-z, 0-9 and -"),
        (&["2fast"], "begin with a letter"),
        (&["match"], "no word of the language"),
        (&["notes", "--sdk", "/"], "there is no SDK in /"),
        (&["notes", "--sdk", "/no/such"], "there is no SDK in"),
    ] {
        let done = new(folder.path(), arguments).output();
        assert_eq!(done.code, Some(2), "{arguments:?}: {done:?}");
        assert!(done.stderr.contains(says), "{arguments:?}: {done:?}");
    }
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn the_sdk_may_lie_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let sdk = folder.path().join("a \"quoted\" place");
    symlink(source("../sdk-guest"), &sdk).unwrap();
    let arguments = ["with-sdk", "--sdk", sdk.to_str().unwrap()];
    new(folder.path(), &arguments).output().success();
    let manifest = fs::read_to_string(folder.path().join("with-sdk/Cargo.toml")).unwrap();
    let real = source("../sdk-guest").canonicalize().unwrap();
    let line = format!("palisade-sdk = {{ path = {:?} }}", real.to_str().unwrap());
    assert!(manifest.contains(&line), "{manifest}");
}
