//! The demo, run as a person would whose output goes to a file.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a failed test should say where"
)]

use std::path::Path;
use std::process::Command;

use serde_json::Value;

#[test]
fn it_plays_to_the_end_and_leaves_nothing() {
    let temporary = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_demo"))
        .env("TMPDIR", temporary.path())
        .output()
        .unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}\n{complaints}");
    assert!(complaints.is_empty(), "{complaints}");
    assert!(!told.contains('\x1b'), "colours in a file: {told:?}");
    assert_eq!(told.matches("✓ refused").count(), 3, "{told}");

    let entry: Value =
        serde_json::from_str(told.lines().last().unwrap()).expect("the last line is what to paste");
    let server = &entry["mcpServers"]["filesystem"];
    for path in [&server["command"], &server["args"][1]] {
        let path = Path::new(path.as_str().unwrap());
        assert!(path.is_absolute() && path.is_file(), "{path:?}");
    }

    let left: Vec<_> = temporary.path().read_dir().unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}
