//! Two granted folders stay two: what may be done in one says nothing about
//! the other.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use palisade_tests::stage::{SECRET, Stage, done, open, refused, state_of};
use palisade_tests::{Palisade, Session, guest};
use serde_json::json;

/// The inside may be changed, the outside only read.
fn session(stage: &Stage, name: &str) -> Session {
    open(
        &Palisade::run(guest(name))
            .root("in", stage.inside(), "rw")
            .root("kept", stage.outside(), "ro"),
    )
}

#[test]
fn each_is_seen_where_it_is_mounted() {
    let stage = Stage::new();
    let mut session = session(&stage, "escapes");
    let secret = json!({"path": "/kept/secret.txt"});
    assert_eq!(done(&mut session, "read", secret), SECRET);
    refused(&mut session, "read", json!({"path": "/in/secret.txt"}));
    refused(&mut session, "read", json!({"path": "/kept/a.txt"}));
    refused(&mut session, "list", json!({"path": "/"}));
    let roots = done(&mut session, "roots", json!({}));
    let uri =
        |path: std::path::PathBuf| format!("file://{}", path.canonicalize().unwrap().display());
    assert_eq!(
        roots.lines().collect::<Vec<_>>(),
        [
            format!("in /in {} true", uri(stage.inside())),
            format!("kept /kept {} false", uri(stage.outside())),
        ]
    );
}

/// A hard link to a file that may only be read would be a way to write to it.
#[test]
fn nothing_gets_from_one_into_the_other() {
    let stage = Stage::new();
    let before = (state_of(&stage.inside()), state_of(&stage.outside()));
    let mut by_libc = session(&stage, "escapes");
    let mut by_handle = session(&stage, "escapes-by-handle");
    for (from, to) in [("/kept/secret.txt", "/in/got"), ("/in/a.txt", "/kept/got")] {
        for tool in ["rename", "link"] {
            refused(&mut by_libc, tool, json!({"from": from, "to": to}));
        }
    }
    for (root, path, to_root) in [("/kept", "secret.txt", "/in"), ("/in", "a.txt", "/kept")] {
        let mut at = json!({"root": root, "path": path, "to_root": to_root, "to_path": "got"});
        refused(&mut by_handle, "rename_at", at.clone());
        for follow in [true, false] {
            at["follow"] = json!(follow);
            refused(&mut by_handle, "link_at", at.clone());
        }
    }
    assert_eq!(
        (state_of(&stage.inside()), state_of(&stage.outside())),
        before
    );
    let secret = stage.outside().join("secret.txt");
    assert_eq!(secret.metadata().unwrap().nlink(), 1);
}

/// A folder within another: the path decides, and the stricter one holds where
/// it was granted.
#[test]
fn one_in_the_other() {
    let stage = Stage::new();
    let mut session = open(
        &Palisade::run(guest("escapes"))
            .root("all", stage.inside(), "ro")
            .root("part", stage.inside().join("sub"), "rw"),
    );
    let write = |path: &str| json!({"path": path, "text": "mine"});
    refused(&mut session, "write", write("/all/sub/b.txt"));
    refused(&mut session, "write", write("/part/../a.txt"));
    done(&mut session, "write", write("/part/b.txt"));
    let b = stage.inside().join("sub/b.txt");
    assert_eq!(fs::read_to_string(b).unwrap(), "mine");
}
