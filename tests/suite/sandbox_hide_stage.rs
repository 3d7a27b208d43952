//! What the tests of hidden paths share: a granted folder of which something is
//! hidden.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use palisade_tests::{Palisade, Session, guest};

use palisade_tests::stage::{SECRET, Stage, open};

/// What a guest is told of what is hidden.
pub(crate) const NOT_THERE: &str = "no-entry";
/// What it is told where it would make something hidden.
pub(crate) const NOT_TO_BE_MADE: &str = "not-permitted";

/// What the folder hides.
pub(crate) const PATTERNS: [&str; 3] = ["**/.git/**", "**/.env", "secrets/key"];

/// The hidden places that are there, however they are named.
pub(crate) const HIDDEN: [&str; 13] = [
    ".git",
    ".git/config",
    ".git/hooks",
    "sub/.git",
    "sub/.git/config",
    ".env",
    "sub/.env",
    "secrets/key",
    "./.env",
    "sub/../.env",
    "secrets//key",
    "sub/./../secrets/./key",
    ".git/hooks/../config",
];

/// The folder, with secrets in what is hidden, and links that lead there.
pub(crate) fn stage() -> Stage {
    let stage = Stage::new();
    let inside = stage.inside();
    for folder in [".git/hooks", "sub/.git", "secrets/deep"] {
        fs::create_dir_all(inside.join(folder)).unwrap();
    }
    for file in [
        ".git/config",
        ".git/hooks/pre-commit",
        "sub/.git/config",
        ".env",
        "sub/.env",
        "secrets/key",
    ] {
        fs::write(inside.join(file), SECRET).unwrap();
    }
    fs::write(inside.join("secrets/open.txt"), "no secret").unwrap();
    fs::write(inside.join("secrets/deep/key"), "no secret either").unwrap();
    symlink("../.git", inside.join("sub/to-git")).unwrap();
    symlink("sub/to-git", inside.join("far")).unwrap();
    symlink("secrets", inside.join("to-secrets")).unwrap();
    symlink(".env", inside.join("to-env")).unwrap();
    symlink("../secrets/key", inside.join("sub/to-key")).unwrap();
    symlink("sub/to-key", inside.join("to-key")).unwrap();
    symlink("secrets/./../sub/to-git/../.git/config", inside.join("odd")).unwrap();
    symlink(".env-of-tomorrow/../.env", inside.join("dangling")).unwrap();
    symlink("sub/.git/new", inside.join("to-new")).unwrap();
    stage
}

/// A grant file for the folder, as `/in`.
pub(crate) fn grant_of(stage: &Stage, access: &str, hide: &[&str]) -> PathBuf {
    let file = stage.path().join("grant.toml");
    let text = format!(
        "[[roots]]\nname = \"in\"\npath = {:?}\naccess = \"{access}\"\nhide = {hide:?}\n",
        stage.inside()
    );
    fs::write(&file, text).unwrap();
    file
}

/// A session with a guest to which the folder is granted for writing, without
/// what these patterns hide.
pub(crate) fn session_without(stage: &Stage, name: &str, hide: &[&str]) -> Session {
    let grant = grant_of(stage, "read-write", hide);
    open(&Palisade::run(guest(name)).grant(grant))
}

/// The same, with the patterns of this stage.
pub(crate) fn session(stage: &Stage, name: &str) -> Session {
    session_without(stage, name, &PATTERNS)
}
