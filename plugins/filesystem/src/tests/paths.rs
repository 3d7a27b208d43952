use std::path::{Component, Path};

use proptest::prelude::*;

use crate::roots::{Root, Roots};

fn two() -> Roots {
    Roots::new([
        Root::new("/notes", "file:///home/ada/My%20Notes", true),
        Root::new("/data", "file:///srv/data", false),
    ])
}

fn one() -> Roots {
    Roots::new([Root::new("/notes", "file:///home/ada/My%20Notes", true)])
}

fn windows() -> Roots {
    Roots::new([
        Root::new("/docs", "file:///c:/Users/Ada/Docs", true),
        Root::new("/share", "file://server/team/files", true),
    ])
}

/// The guest's path, and the path as it is shown.
fn resolve(roots: &Roots, path: &str) -> (String, String) {
    let place = roots.resolve(path).unwrap();
    (place.real(), place.shown())
}

fn refusal(roots: &Roots, path: &str) -> String {
    roots.resolve(path).unwrap_err().to_string()
}

#[test]
fn a_path_is_taken_as_the_guest_or_the_host_writes_it() {
    for (path, real, shown) in [
        ("/notes/a.md", "/notes/a.md", "/notes/a.md"),
        ("/notes", "/notes", "/notes"),
        ("/notes//x/./../a.md/", "/notes/a.md", "/notes/a.md"),
        (
            "/home/ada/My Notes/a.md",
            "/notes/a.md",
            "/home/ada/My Notes/a.md",
        ),
        ("/home/ada/My Notes", "/notes", "/home/ada/My Notes"),
        (
            "/home/ada/x/../My Notes/b/c",
            "/notes/b/c",
            "/home/ada/My Notes/b/c",
        ),
        ("/srv/data/x", "/data/x", "/srv/data/x"),
    ] {
        assert_eq!(
            resolve(&two(), path),
            (real.to_owned(), shown.to_owned()),
            "{path}"
        );
    }
}

#[test]
fn a_relative_path_needs_a_single_directory() {
    let shown = |path: &str| resolve(&one(), path).1;
    assert_eq!(shown("a/b.md"), "/home/ada/My Notes/a/b.md");
    assert_eq!(shown(""), "/home/ada/My Notes");
    assert_eq!(shown("../My Notes/c"), "/home/ada/My Notes/c");
    assert_eq!(
        refusal(&one(), "../c"),
        "Access denied - path outside allowed directories: /home/ada/c not in /home/ada/My Notes"
    );
    let several = refusal(&two(), "a.md");
    assert!(
        several.contains("/home/ada/My Notes, /srv/data"),
        "{several}"
    );
}

#[test]
fn what_is_outside_is_named_with_what_is_inside() {
    for (path, shown) in [
        ("/etc/passwd", "/etc/passwd"),
        ("/notes/../etc/passwd", "/etc/passwd"),
        ("/notes-2/a.md", "/notes-2/a.md"),
        ("/home/ada/My Notes 2/a", "/home/ada/My Notes 2/a"),
        ("/home/ada/My%20Notes/a", "/home/ada/My%20Notes/a"),
        ("/home/ada", "/home/ada"),
        ("/", "/"),
        ("/notes/a\0b", "/notes/a\\0b"),
    ] {
        assert_eq!(
            refusal(&two(), path),
            format!(
                "Access denied - path outside allowed directories: {shown} not in /home/ada/My Notes, /srv/data"
            )
        );
    }
    assert!(refusal(&one(), "~/a").contains("full path"));
    assert!(refusal(&one(), "C:\\a").contains("Windows-style path"));
    assert!(refusal(&Roots::default(), "/notes/a").contains("no directory is granted"));
}

#[test]
fn the_host_may_be_windows() {
    for (path, real, shown) in [
        (
            "C:\\Users\\Ada\\Docs\\a.md",
            "/docs/a.md",
            "C:\\Users\\Ada\\Docs\\a.md",
        ),
        (
            "c:/users/ADA/docs/b/a.md",
            "/docs/b/a.md",
            "C:\\Users\\Ada\\Docs\\b\\a.md",
        ),
        (
            "\\\\SERVER\\team\\files\\x",
            "/share/x",
            "\\\\server\\team\\files\\x",
        ),
        ("/docs/b\\c", "/docs/b/c", "/docs/b/c"),
    ] {
        assert_eq!(
            resolve(&windows(), path),
            (real.to_owned(), shown.to_owned()),
            "{path}"
        );
    }
    for path in [
        "C:\\Users\\Ada\\Docs\\..\\secret",
        "C:Docs\\a",
        "D:\\Users\\Ada\\Docs\\a",
        "\\\\server\\other\\files\\x",
        "\\\\?\\C:\\Users\\Ada\\Docs\\a",
        "/docs/..\\..\\x",
    ] {
        assert!(
            refusal(&windows(), path).starts_with("Access denied"),
            "{path}"
        );
    }
}

#[test]
fn the_innermost_directory_decides_whether_a_change_is_granted() {
    let roots = Roots::new([
        Root::new("/all", "file:///srv", true),
        Root::new("/safe", "file:///srv/safe", false),
    ]);
    assert!(roots.resolve("/srv/a").unwrap().writable().is_ok());
    assert_eq!(
        roots
            .resolve("/srv/safe/a")
            .unwrap()
            .writable()
            .unwrap_err()
            .to_string(),
        "Access denied - /srv/safe is granted read-only, so /srv/safe/a cannot be changed"
    );
}

#[test]
fn a_place_has_the_uri_a_client_knows() {
    let place = |path: &str| two().resolve(path).unwrap().uri();
    assert_eq!(
        place("/notes/ä b#1%.md"),
        "file:///home/ada/My%20Notes/%C3%A4%20b%231%25.md"
    );
    assert_eq!(place("/srv/data"), "file:///srv/data");
}

#[test]
fn a_root_without_a_usable_uri_is_known_by_its_mount() {
    for uri in [
        "https://example.com/x",
        "file:///a%FFb",
        "file:///a%00b",
        "file:x",
        "",
    ] {
        let roots = Roots::new([Root::new("/notes", uri, true)]);
        assert_eq!(
            resolve(&roots, "/notes/a"),
            ("/notes/a".to_owned(), "/notes/a".to_owned())
        );
        assert_eq!(resolve(&roots, "a").0, "/notes/a");
        assert!(roots.resolve("../a").is_err());
        assert_eq!(roots.lines(), "/notes");
    }
}

#[test]
fn the_whole_disk_can_be_granted() {
    let roots = Roots::new([Root::new("/all", "file:///", true)]);
    assert_eq!(
        resolve(&roots, "/etc/hosts"),
        ("/all/etc/hosts".to_owned(), "/etc/hosts".to_owned())
    );
    assert_eq!(resolve(&roots, "/../../x").0, "/all/x");
    assert_eq!(roots.lines(), "/");
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("..".to_owned()),
        Just(".".to_owned()),
        Just(String::new()),
        Just("notes".to_owned()),
        Just("home/ada/My Notes".to_owned()),
        Just("C:\\Users\\Ada\\Docs".to_owned()),
        Just("..\\..".to_owned()),
        Just("%2e%2e".to_owned()),
        any::<String>(),
    ]
}

proptest! {
    #[test]
    fn nothing_resolves_to_outside_a_root(pieces in prop::collection::vec(piece(), 0..8), absolute: bool) {
        let path = format!("{}{}", if absolute { "/" } else { "" }, pieces.join("/"));
        for (roots, mounts) in [(one(), vec!["/notes"]), (two(), vec!["/notes", "/data"]), (windows(), vec!["/docs", "/share"])] {
            let Ok(place) = roots.resolve(&path) else { continue };
            let real = place.real();
            prop_assert!(mounts.iter().any(|mount| real.starts_with(mount)), "{}", real);
            let plain = |component| matches!(component, Component::RootDir | Component::Normal(_));
            prop_assert!(Path::new(&real).components().all(plain), "{}", real);
            prop_assert!(!real.contains('\0'));
            // What is shown leads back to the same place.
            let shown = place.shown();
            let again = roots.resolve(&shown).unwrap();
            prop_assert_eq!(again.real(), real);
        }
    }
}
