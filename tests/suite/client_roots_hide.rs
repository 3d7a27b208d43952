//! Client roots where something is hidden, or a single file is granted.

use std::fs;
use std::os::unix::fs::symlink;

use palisade_tests::{Palisade, Session, guest};

use crate::client_roots_stage::{Folders, missing, mounts, opened, read};

/// `desk/` without `deep`, and `other/five.txt` alone.
fn session(folders: &Folders, roots: &[&str]) -> Session {
    let grant = folders.path("grant.toml");
    let text = format!(
        "[[roots]]\nname = \"desk\"\npath = {:?}\naccess = \"read-write\"\nhide = [\"**/deep\"]\n\
         [[roots]]\nname = \"five\"\nfile = {:?}\n",
        folders.path("desk"),
        folders.path("other/five.txt"),
    );
    fs::write(&grant, text).unwrap();
    let command = Palisade::run(guest("shows-roots")).grant(&grant);
    opened(&command, "2025-11-25", &folders.list(roots))
}

#[test]
fn what_is_hidden_stays_so_in_what_is_left() {
    let folders = Folders::new();
    symlink("deep", folders.path("desk/a/shallow")).unwrap();
    let mut session = session(&folders, &["desk/a"]);
    assert_eq!(mounts(&mut session), "/desk/a");
    assert_eq!(read(&mut session, "/desk/a/one.txt"), "one");
    for path in [
        "/desk/a/deep/two.txt",
        "/desk/a/shallow/two.txt",
        "/desk/a/./deep/../deep/two.txt",
        "/desk/a/../top.txt",
        "/desk/top.txt",
        "/five/five.txt",
    ] {
        missing(&mut session, path);
    }
}

/// A client that has open what is hidden has nothing of it.
#[test]
fn a_root_in_what_is_hidden_leaves_nothing_to_see() {
    let folders = Folders::new();
    let mut session = session(&folders, &["desk/a/deep"]);
    missing(&mut session, "/desk/a/deep/two.txt");
    missing(&mut session, "/desk/a/one.txt");
    // Not even that it is there.
    assert_eq!(mounts(&mut session), "none");
    session.until_stderr(|told| told.contains("is not available at a/deep: it is hidden"));
}

/// A file is there where its folder is.
#[test]
fn a_single_file_is_in_its_folder() {
    let folders = Folders::new();
    for (roots, there) in [
        (&["other"][..], true),
        (&[""], true),
        (&["desk"], false),
        (&["other/five.txt"], false),
        (&["other/sub"], false),
    ] {
        fs::create_dir_all(folders.path("other/sub")).unwrap();
        let mut session = session(&folders, roots);
        match there {
            true => assert_eq!(read(&mut session, "/five/five.txt"), "five", "{roots:?}"),
            false => missing(&mut session, "/five/five.txt"),
        }
    }
}
