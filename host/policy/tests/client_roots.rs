//! A client's roots: its addresses are read strictly, and they only narrow.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};

use palisade_policy::{
    BadRoot, ClientPath, ClientRootList, MAX_CLIENT_ROOT_BYTES, MAX_CLIENT_ROOTS, narrow,
};
use proptest::prelude::*;

fn path(uri: &str) -> Result<PathBuf, BadRoot> {
    ClientPath::parse(uri)?.to_path()
}

#[test]
fn addresses_and_their_paths() {
    for (uri, expected) in [
        ("file:///", "/"),
        ("file:///srv/notes", "/srv/notes"),
        ("file:///srv/notes/", "/srv/notes"),
        ("FILE:///srv", "/srv"),
        ("file://localhost/srv", "/srv"),
        ("file://LOCALHOST/srv", "/srv"),
        ("file:///srv//a///b", "/srv/a/b"),
        ("file:///srv/./a", "/srv/a"),
        ("file:///srv/a/../b", "/srv/b"),
        ("file:///../../etc", "/etc"),
        ("file:///srv/a/%2e%2e/b", "/srv/b"),
        ("file:///srv/%2E%2E/%2e%2E/etc", "/etc"),
        ("file:///srv/My%20Folder", "/srv/My Folder"),
        ("file:///srv/My Folder", "/srv/My Folder"),
        ("file:///srv/Gr%C3%BC%C3%9Fe", "/srv/Grüße"),
        ("file:///srv/Grüße", "/srv/Grüße"),
        ("file:///srv/100%25", "/srv/100%"),
        // Decoded once.
        ("file:///srv/%252e%252e", "/srv/%2e%2e"),
        ("file:///srv/a%3Fb%23c", "/srv/a?b#c"),
        ("file:///srv/C:/x", "/srv/C:/x"),
        ("file:///srv/...", "/srv/..."),
    ] {
        assert_eq!(path(uri), Ok(expected.into()), "{uri}");
    }
}

#[test]
fn addresses_that_are_none() {
    for (uri, expected) in [
        ("", BadRoot::NotFile),
        ("file", BadRoot::NotFile),
        ("file:/srv", BadRoot::NotFile),
        ("/srv", BadRoot::NotFile),
        ("http:///srv", BadRoot::NotFile),
        ("https://example.com/srv", BadRoot::NotFile),
        (" file:///srv", BadRoot::NotFile),
        ("file:\\\\\\srv", BadRoot::NotFile),
        ("ﬁle:///srv", BadRoot::NotFile),
        ("file://", BadRoot::Relative),
        ("file://localhost", BadRoot::Relative),
        ("file://srv", BadRoot::Relative),
        ("file://host/srv", BadRoot::Host),
        ("file://127.0.0.1/srv", BadRoot::Host),
        ("file://localhost:80/srv", BadRoot::Host),
        ("file://me@localhost/srv", BadRoot::Host),
        ("file://./srv", BadRoot::Host),
        ("file://C:/srv", BadRoot::Host),
        ("file://%6cocalhost/srv", BadRoot::Host),
        ("file:////server/share", BadRoot::Share),
        ("file://localhost//server/share", BadRoot::Share),
        ("file:///srv?", BadRoot::NotOnlyPath),
        ("file:///srv?x=/etc", BadRoot::NotOnlyPath),
        ("file:///srv#top", BadRoot::NotOnlyPath),
        ("file:///srv/%", BadRoot::Escape),
        ("file:///srv/%2", BadRoot::Escape),
        ("file:///srv/%zz", BadRoot::Escape),
        ("file:///srv/%+1", BadRoot::Escape),
        ("file:///srv/%2/x", BadRoot::Escape),
        ("file:///srv/%ü", BadRoot::Escape),
        ("file:///srv%2Fetc", BadRoot::Separator),
        ("file:///srv/..%2f..%2fetc", BadRoot::Separator),
        ("file:///srv%5Cetc", BadRoot::Separator),
        ("file:///srv\\etc", BadRoot::Separator),
        ("file:///srv/%00", BadRoot::Character),
        ("file:///srv\0/x", BadRoot::Character),
        ("file:///srv\t", BadRoot::Character),
        ("file:///s\nrv", BadRoot::Character),
        ("file:///srv/%ff", BadRoot::NotUtf8),
        // `/` in too many bytes.
        ("file:///srv/..%c0%af", BadRoot::NotUtf8),
        ("file:///srv/%ed%a0%80", BadRoot::NotUtf8),
        ("file:///C:/x", BadRoot::Drive),
        ("file:///c%3A/x", BadRoot::Drive),
        ("file:///C|/x", BadRoot::Drive),
        ("file:///c%7c/../..", BadRoot::Drive),
        ("file:///C:", BadRoot::Drive),
    ] {
        assert_eq!(path(uri), Err(expected), "{uri:?}");
        assert!(!expected.to_string().is_empty());
    }
}

#[test]
fn lists_are_bounded() {
    let long = format!("file:///{}", "x".repeat(MAX_CLIENT_ROOT_BYTES));
    assert_eq!(path(&long), Err(BadRoot::TooLong));
    assert!(path(&long[..MAX_CLIENT_ROOT_BYTES]).is_ok());
    let many = vec!["file:///srv"; MAX_CLIENT_ROOTS + 1];
    let list = ClientRootList::read(many.iter().copied());
    assert_eq!(list.paths.len(), MAX_CLIENT_ROOTS);
    assert_eq!(list.problems.len(), 1, "{:?}", list.problems);
    let exactly = ClientRootList::read(many.iter().copied().skip(1));
    assert_eq!(exactly.problems, [] as [String; 0]);
}

#[test]
fn what_is_bad_in_a_list_is_left_out_and_said() {
    let uris = ["http://x/", "file:///a", "file:///\u{1b}[2J", "file:///b"];
    let list = ClientRootList::read(uris);
    assert_eq!(list.paths, [(1, "/a".into()), (3, "/b".into())]);
    let [problem] = list.problems.as_slice() else {
        unreachable!("{:?}", list.problems)
    };
    assert!(problem.contains("2 roots") && problem.contains("http://x/"));
    let hostile = ClientRootList::read(["http://\u{1b}[2J\u{202e}"]);
    assert!(!hostile.problems[0].contains(['\u{1b}', '\u{202e}']));
    assert_eq!(ClientRootList::read([]), ClientRootList::default());
}

fn portions(granted: &[&str], client: &[&str]) -> Vec<(usize, String)> {
    let found = narrow(granted, client).into_iter();
    found
        .map(|one| (one.root, one.below.to_str().unwrap().to_owned()))
        .collect()
}

#[test]
fn the_portions_of_granted_directories() {
    let two = &["/srv/notes", "/srv/other"];
    let whole = |root| (root, String::new());
    assert_eq!(portions(two, &["/"]), [whole(0), whole(1)]);
    assert_eq!(portions(two, &["/srv"]), [whole(0), whole(1)]);
    assert_eq!(portions(two, &["/srv/notes"]), [whole(0)]);
    assert_eq!(portions(two, &["/srv/note"]), []);
    assert_eq!(portions(two, &["/srv/notes2"]), []);
    assert_eq!(portions(two, &[]), []);
    assert_eq!(portions(two, &["/srv/notes/a"]), [(0, "a".into())]);
    // Several, nested, twice, and beside each other by name.
    assert_eq!(
        portions(
            two,
            &[
                "/srv/notes/a/b",
                "/srv/notes/a",
                "/srv/notes/a-b",
                "/srv/notes/a",
                "/srv/other/c"
            ]
        ),
        [(0, "a".into()), (0, "a-b".into()), (1, "c".into())]
    );
    assert_eq!(
        portions(two, &["/srv/notes/a", "/srv"]),
        [whole(0), whole(1)]
    );
    assert_eq!(portions(&["/"], &["/a"]), [(0, "a".into())]);
    // What is no plain path is as if it were not there.
    assert_eq!(portions(two, &["/srv/x/../notes", "srv", ""]), []);
    assert_eq!(portions(&["/srv/..", "srv"], &["/"]), []);
}

/// Paths of few names, so that they often meet.
fn directory() -> impl Strategy<Value = PathBuf> {
    prop::collection::vec("a|b|ab", 0..4).prop_map(|names| {
        let mut path = PathBuf::from("/");
        path.extend(names);
        path
    })
}

/// Whether a directory contains a path, name by name.
fn contains(directory: &Path, path: &Path) -> bool {
    let names = |path: &Path| -> Vec<String> {
        let text = path.to_str().unwrap();
        let names = text.split('/').filter(|name| !name.is_empty());
        names.map(str::to_owned).collect()
    };
    let (outer, inner) = (names(directory), names(path));
    outer.len() <= inner.len() && outer.iter().zip(&inner).all(|(one, other)| one == other)
}

/// Every path of those names, down to a depth.
fn every_path(depth: usize) -> Vec<PathBuf> {
    let mut all = vec![PathBuf::from("/")];
    let mut last = all.clone();
    for _ in 0..depth {
        last = last
            .iter()
            .flat_map(|path| ["a", "b", "ab"].map(|name| path.join(name)))
            .collect();
        all.extend(last.clone());
    }
    all
}

proptest! {
    #[test]
    fn a_path_is_left_where_both_contain_it_and_nowhere_else(
        granted in prop::collection::vec(directory(), 0..4),
        client in prop::collection::vec(directory(), 0..6),
    ) {
        let found = narrow(&granted, &client);
        for path in every_path(5) {
            for (root, granted) in granted.iter().enumerate() {
                let allowed = contains(granted, &path)
                    && client.iter().any(|client| contains(client, &path));
                let left = found.iter().filter(|one| {
                    one.root == root && contains(&granted.join(&one.below), &path)
                });
                // And never twice: nested ones are one.
                prop_assert_eq!(left.count(), usize::from(allowed), "{:?} {:?}", path, found);
            }
        }
        for one in &found {
            let place = granted[one.root].join(&one.below);
            prop_assert!(contains(&client[one.by], &place));
        }
    }

    #[test]
    fn whatever_an_address_is_its_path_is_plain(uri in "(file://)?[a-c./%0-9A-F:|\\\\ü?#\u{0}-]{0,40}") {
        if let Ok(path) = path(&uri) {
            prop_assert!(path.is_absolute());
            let text = path.to_str().unwrap();
            prop_assert!(!text.contains(['\0', '\\']), "{}", text);
            prop_assert!(text.split('/').all(|name| name != ".." && name != "."), "{}", text);
        }
    }

    #[test]
    fn an_escaped_path_comes_back(path in "(/[^/\\\\\u{0}]{1,8}){1,4}") {
        let plain = Path::new(&path)
            .components()
            .all(|part| part.as_os_str() != "..");
        let drive = path.as_bytes().get(2).is_some_and(|it| b":|".contains(it));
        prop_assume!(plain && !drive);
        let mut uri = "file://".to_owned();
        for byte in path.bytes() {
            match byte {
                b'/' => uri.push('/'),
                byte => uri.push_str(&format!("%{byte:02x}")),
            }
        }
        prop_assert_eq!(self::path(&uri), Ok(Path::new(&path).components().collect()));
    }
}
