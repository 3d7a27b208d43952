//! Where the system lets the host open few files, its guests get fewer handles,
//! and where that is too few for anything the host says so and does not start.

use std::process::{Command, Output};

use palisade_tests::{guest, palisade};
use tempfile::TempDir;

/// `palisade ARGUMENTS`, with this many open files at most.
fn with_files(home: &TempDir, files: u32, arguments: &[&str]) -> Output {
    limited(home, &format!("-n {files}"), arguments)
}

/// `palisade ARGUMENTS` after `ulimit LIMIT`.
fn limited(home: &TempDir, limit: &str, arguments: &[&str]) -> Output {
    Command::new("sh")
        .arg("-c")
        .arg(format!(r#"ulimit {limit}; exec "$0" "$@""#))
        .arg(palisade())
        .args(arguments)
        .current_dir(home.path())
        .env("HOME", home.path())
        .env_remove("XDG_CACHE_HOME")
        .output()
        .unwrap()
}

#[test]
fn too_few_open_files_is_one_sentence() {
    let home = tempfile::tempdir().unwrap();
    let mallory = guest("mallory");
    let mallory = mallory.to_str().unwrap();
    for files in [6, 8, 10, 16, 63] {
        for arguments in [
            &["run", mallory][..],
            &["run", mallory, "--http", "127.0.0.1:0", "--no-auth"],
            &["inspect", mallory],
            &["call", mallory, "echo", r#"{"text":"a"}"#],
        ] {
            let output = with_files(&home, files, arguments);
            let told = String::from_utf8(output.stderr).unwrap();
            assert_eq!(
                output.status.code(),
                Some(1),
                "{files} {arguments:?}: {told}"
            );
            let sentence = format!(
                "palisade: this process may have only {files} files open at once, and needs 64"
            );
            assert_eq!(told.lines().next(), Some(&*sentence));
            assert!(told.contains("ulimit -n 1024"), "{told}");
        }
    }
}

#[test]
fn too_little_stack_is_one_sentence() {
    let home = tempfile::tempdir().unwrap();
    for kib in [64, 128, 256] {
        let output = limited(&home, &format!("-s {kib}"), &["doctor"]);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{kib}: {told}");
        let sentence =
            format!("palisade: this process may have a stack of {kib} KiB, and needs 512");
        assert_eq!(told.lines().next(), Some(&*sentence));
    }
    // With what it asks for, it runs.
    let mallory = guest("mallory");
    let call = ["call", mallory.to_str().unwrap(), "echo", r#"{"text":"a"}"#];
    let output = limited(&home, "-s 512", &call);
    assert_eq!(output.stdout, b"a\n", "{output:?}");
}

/// Where no file may be written, nothing new can be compiled, and that is said.
#[test]
fn no_room_for_files_is_one_sentence() {
    let home = tempfile::tempdir().unwrap();
    let mallory = guest("mallory");
    let call = ["call", mallory.to_str().unwrap(), "echo", r#"{"text":"a"}"#];
    let output = limited(&home, "-f 0", &call);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.starts_with("palisade: "), "{told}");
    assert!(told.contains("too large"), "{told}");
}

#[test]
fn few_open_files_are_shared_out() {
    let home = tempfile::tempdir().unwrap();
    let given = home.path().join("in");
    std::fs::create_dir(&given).unwrap();
    std::fs::write(given.join("a.txt"), "a").unwrap();
    let mallory = guest("mallory");
    let call = |files: u32, kind: &str, count: u32| {
        let arguments = format!(r#"{{"kind":"{kind}","count":{count},"root":"/in"}}"#);
        let mallory = mallory.to_str().unwrap();
        let arguments = [
            "call",
            mallory,
            "many_handles",
            &arguments,
            "--root",
            "in=in",
        ];
        let output = with_files(&home, files, &arguments);
        let said = |bytes| String::from_utf8(bytes).unwrap();
        format!("{}{}", said(output.stdout), said(output.stderr))
    };
    // Half of them, for sixteen calls.
    let told = call(1_024, "files", 33);
    assert!(told.contains("limit of handles (32 at once)"), "{told}");
    let told = call(1_024, "files", 20);
    assert!(told.contains("20 handles"), "{told}");
    let told = call(128, "files", 9);
    assert!(told.contains("limit of handles (8 at once)"), "{told}");
}
