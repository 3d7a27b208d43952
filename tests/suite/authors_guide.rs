//! The guide for authors, command by command, as a person follows it.

use std::path::Path;
use std::process::{Command, Stdio};

use palisade_tests::author;

use crate::docs_commands::commands;

#[test]
fn every_command_of_the_guide_works() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/authors.md");
    let start = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    let mut folder = start.path().to_owned();
    let mut tried = 0;
    for command in commands(&guide) {
        if let Some(into) = command.strip_prefix("cd ") {
            folder = folder.join(into);
            author::pin(&folder);
            continue;
        }
        let program = command.split(' ').next().unwrap();
        let environment = match program {
            "palisade" => author::environment(),
            "cargo" => author::native_environment(),
            _ => panic!("nothing tests `{command}`"),
        };
        let output = Command::new("sh")
            .args(["-c", &command])
            .current_dir(&folder)
            .env_clear()
            .env("PATH", author::path())
            .env("HOME", home.path())
            .envs(environment)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{command}\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        tried += 1;
    }
    assert!(tried > 5, "the guide shows only {tried} commands");
}
