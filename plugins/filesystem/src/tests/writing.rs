use std::fs;
use std::os::unix::fs::symlink;

use super::{Granted, names};
use crate::write;

fn put(granted: &Granted, path: &str, content: &str) -> Result<(), String> {
    write::file(&granted.roots, path, content).map_err(|failure| failure.to_string())
}

#[test]
fn a_file_is_created_or_replaced_and_nothing_else_is_left() {
    let granted = Granted::new();
    put(&granted, "a.txt", "one").unwrap();
    put(&granted, &granted.path("a.txt"), "two").unwrap();
    assert_eq!(granted.get("a.txt"), "two");
    let longest = "é".repeat(127);
    put(&granted, &longest, "1").unwrap();
    put(&granted, &longest, "2").unwrap();
    assert_eq!(granted.get(&longest), "2");
    assert_eq!(granted.names(), ["a.txt", &longest]);
}

#[test]
fn a_reader_of_the_old_file_keeps_it() {
    use std::io::Read;
    let granted = Granted::holding(&[("a", "old content")]);
    let mut reader = fs::File::open(granted.at("a")).unwrap();
    put(&granted, "a", "new").unwrap();
    let mut old = String::new();
    reader.read_to_string(&mut old).unwrap();
    assert_eq!(
        (old.as_str(), granted.get("a").as_str()),
        ("old content", "new")
    );
}

#[test]
fn a_link_stays_a_link() {
    let granted = Granted::holding(&[("d/target", "old"), ("x/y", "")]);
    symlink("../d/target", granted.at("x/link")).unwrap();
    symlink("x/link", granted.at("second")).unwrap();
    put(&granted, "second", "new").unwrap();
    assert_eq!(granted.get("d/target"), "new");
    assert!(
        fs::symlink_metadata(granted.at("second"))
            .unwrap()
            .is_symlink()
    );
    assert_eq!(names(&granted.at("d")), ["target"]);
}

#[test]
fn a_link_that_names_a_place_on_the_host_is_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret");
    fs::write(&secret, "untouched").unwrap();
    let granted = Granted::new();
    symlink(&secret, granted.at("link")).unwrap();
    let told = put(&granted, "link", "x").unwrap_err();
    assert!(
        told.starts_with("Access denied - symlink target outside allowed directories: "),
        "{told}"
    );
    assert_eq!(fs::read_to_string(&secret).unwrap(), "untouched");
    assert_eq!(granted.names(), ["link"]);
}

#[test]
fn what_cannot_be_written_is_told() {
    let granted = Granted::holding(&[("d/a", "")]);
    symlink("nowhere", granted.at("dangling")).unwrap();
    assert!(
        put(&granted, "no/such/a", "")
            .unwrap_err()
            .starts_with("ENOENT: no such file or directory, open")
    );
    assert!(
        put(&granted, "d", "")
            .unwrap_err()
            .starts_with("EISDIR: illegal operation on a directory, open")
    );
    assert!(
        put(&granted, "d/a/b", "")
            .unwrap_err()
            .starts_with("ENOTDIR")
    );
    assert!(
        put(&granted, "dangling", "")
            .unwrap_err()
            .starts_with("ENOENT")
    );
    assert!(
        put(&granted, "/etc/x", "")
            .unwrap_err()
            .starts_with("Access denied")
    );
    assert_eq!(granted.names(), ["d", "dangling"]);
}

#[test]
fn nothing_changes_in_a_directory_granted_read_only() {
    let granted = Granted::with_access(false);
    granted.put("a", "kept");
    let told = [
        put(&granted, "a", "x"),
        put(&granted, "new", "x"),
        write::directory(&granted.roots, "d").map_err(|failure| failure.to_string()),
        write::rename(&granted.roots, "a", "b").map_err(|failure| failure.to_string()),
    ];
    for result in told {
        assert!(result.unwrap_err().contains("is granted read-only"));
    }
    assert_eq!(
        (granted.names().as_slice(), granted.get("a").as_str()),
        (&["a".to_owned()][..], "kept")
    );
}

#[test]
fn directories_are_created_with_those_above() {
    let granted = Granted::holding(&[("file", "")]);
    let create =
        |path: &str| write::directory(&granted.roots, path).map_err(|failure| failure.to_string());
    create("a/b/c").unwrap();
    create("a/b/c").unwrap();
    create(&granted.path("")).unwrap();
    assert!(granted.at("a/b/c").is_dir());
    assert!(
        create("file")
            .unwrap_err()
            .starts_with("EEXIST: file already exists, mkdir")
    );
    assert!(create("file/x").unwrap_err().starts_with("ENOTDIR"));
}
