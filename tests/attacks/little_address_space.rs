//! Where a process may not reserve as much address space as the pool of
//! instances wants, plugins run all the same, and the person is told.

use std::process::Command;

use palisade_tests::{palisade, plugin};

#[test]
fn plugins_run_without_the_pool() {
    let home = tempfile::tempdir().unwrap();
    let kibibytes = 2 * 1024 * 1024;
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!(r#"ulimit -v {kibibytes}; exec "$0" "$@""#))
        .arg(palisade())
        .arg("call")
        .arg(plugin("hello"))
        .args(["greet", r#"{"name":"Ada"}"#])
        .env("HOME", home.path())
        .env_remove("XDG_CACHE_HOME")
        .output()
        .unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("Ada"));
    assert!(told.contains("no room to reserve memory"), "{told}");
}
