//! A file that is written anew stays as private, or as runnable, as it was.

use std::os::unix::fs::PermissionsExt;

use palisade_tests::{Palisade, guest, plugin};
use serde_json::json;

fn mode(file: &std::path::Path) -> u32 {
    file.metadata().unwrap().permissions().mode() & 0o7777
}

#[test]
fn when_the_filesystem_plugin_writes_it() {
    let folder = tempfile::tempdir().unwrap();
    for wanted in [0o600, 0o640, 0o755] {
        let file = folder.path().join(format!("file-{wanted:o}"));
        std::fs::write(&file, "old").unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(wanted)).unwrap();
        let arguments = json!({"path": file, "content": "new"}).to_string();
        let finished = Palisade::call(plugin("filesystem"), "write_file", &arguments)
            .root("notes", folder.path(), "rw")
            .output();
        assert_eq!(finished.code, Some(0), "{finished:?}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(mode(&file), wanted);
    }
}

/// What runs as its owner must not do so with what a plugin wrote.
#[test]
fn but_never_runs_as_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tool");
    std::fs::write(&file, "old").unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o4755)).unwrap();
    std::fs::write(folder.path().join("new"), "hostile").unwrap();
    let arguments = json!({"from": "/notes/new", "to": "/notes/tool"}).to_string();
    let finished = Palisade::call(guest("escapes"), "rename", &arguments)
        .root("notes", folder.path(), "rw")
        .output();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "hostile");
    assert_eq!(mode(&file), 0o755);
}
