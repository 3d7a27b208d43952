use std::fs;
use std::os::unix::fs::symlink;

use super::Granted;
use crate::write;

fn rename(granted: &Granted, from: &str, to: &str) -> Result<(), String> {
    write::rename(&granted.roots, from, to).map_err(|failure| failure.to_string())
}

#[test]
fn files_and_directories_move() {
    let granted = Granted::holding(&[("a", "A"), ("d/x", "X")]);
    rename(&granted, "a", "d/b").unwrap();
    rename(&granted, "d", "e").unwrap();
    assert_eq!(
        (granted.get("e/b"), granted.get("e/x")),
        ("A".to_owned(), "X".to_owned())
    );
    assert_eq!(granted.names(), ["e"]);
}

#[test]
fn what_is_there_is_not_overwritten() {
    let granted = Granted::holding(&[("a", "A"), ("b", "B"), ("d/x", "")]);
    symlink("nowhere", granted.at("dangling")).unwrap();
    for to in ["b", "d", "dangling", "a"] {
        assert_eq!(
            rename(&granted, "a", to).unwrap_err(),
            format!("Destination already exists: {}", granted.path(to))
        );
    }
    assert_eq!(
        (granted.get("a"), granted.get("b")),
        ("A".to_owned(), "B".to_owned())
    );
}

#[test]
fn a_move_that_cannot_be_is_told() {
    let granted = Granted::holding(&[("d/x", "")]);
    let told = rename(&granted, "nope", "y").unwrap_err();
    let (from, to) = (granted.path("nope"), granted.path("y"));
    assert_eq!(
        told,
        format!("ENOENT: no such file or directory, rename '{from}' -> '{to}'")
    );
    assert!(
        rename(&granted, "d", "d/in")
            .unwrap_err()
            .starts_with("EINVAL: invalid argument, rename")
    );
    assert!(
        rename(&granted, "", "x")
            .unwrap_err()
            .contains("is a granted directory itself")
    );
    assert!(
        rename(&granted, "d", "/elsewhere")
            .unwrap_err()
            .starts_with("Access denied")
    );
}

#[test]
fn a_link_moves_not_what_it_leads_to() {
    let granted = Granted::holding(&[("a", "A")]);
    symlink("a", granted.at("link")).unwrap();
    rename(&granted, "link", "moved").unwrap();
    assert_eq!(granted.names(), ["a", "moved"]);
    assert!(
        fs::symlink_metadata(granted.at("moved"))
            .unwrap()
            .is_symlink()
    );
}
