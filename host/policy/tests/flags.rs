//! `--root` and `--env`, as people type them.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::PathBuf;

use palisade_policy::{
    Access, EnvFlag, FileFlag, GrantError, Manifest, RootFlag, RootKind, is_env_name, is_name,
    name_roots,
};
use proptest::prelude::*;

fn root(text: &str) -> RootFlag {
    text.parse().unwrap()
}

#[test]
fn roots() {
    use Access::{ReadOnly, ReadWrite};
    for (text, name, path, access) in [
        ("/srv/notes", None, "/srv/notes", ReadOnly),
        (".", None, ".", ReadOnly),
        ("notes=/srv/notes", Some("notes"), "/srv/notes", ReadOnly),
        ("notes=/srv/notes:ro", Some("notes"), "/srv/notes", ReadOnly),
        (
            "notes=/srv/notes:rw",
            Some("notes"),
            "/srv/notes",
            ReadWrite,
        ),
        ("/srv/notes:rw", None, "/srv/notes", ReadWrite),
        ("C:\\x:rw", None, "C:\\x", ReadWrite),
        ("C:\\x", None, "C:\\x", ReadOnly),
        ("c=C:\\x:rw", Some("c"), "C:\\x", ReadWrite),
        ("./a=b", None, "./a=b", ReadOnly),
        ("/srv/a=b:rw", None, "/srv/a=b", ReadWrite),
        ("C:\\a=b", None, "C:\\a=b", ReadOnly),
        ("a=b", Some("a"), "b", ReadOnly),
        ("a=b=c", Some("a"), "b=c", ReadOnly),
        ("a==", Some("a"), "=", ReadOnly),
        ("./x:rw:ro", None, "./x:rw", ReadOnly),
        ("/srv/a:b", None, "/srv/a:b", ReadOnly),
        ("a b", None, "a b", ReadOnly),
        ("~/Notizbücher:rw", None, "~/Notizbücher", ReadWrite),
    ] {
        let flag = root(text);
        assert_eq!(
            (flag.name.as_deref(), flag.path, flag.access),
            (name, PathBuf::from(path), access),
            "{text}"
        );
    }
}

#[test]
fn roots_that_are_not_plain_are_refused_with_a_way_out() {
    for (text, message, remedy) in [
        ("", "has no path", "write --root"),
        (":rw", "has no path", "write --root"),
        ("notes=", "has no path", "write --root"),
        ("notes=:rw", "has no path", "write --root"),
        ("=/srv", "empty name", "./=…"),
        ("Notes=/srv", "`Notes` is not a folder's name", "./Notes=…"),
        (
            "my_notes=/srv",
            "`my_notes` is not a folder's name",
            "a-z, 0-9 and -",
        ),
        ("*=/srv", "`*` is not a folder's name", "a-z, 0-9 and -"),
        ("..=/srv", "`..` is not a folder's name", "a-z, 0-9 and -"),
        ("/srv:RW", "`:RW` is not an access", ":ro or :rw"),
        ("/srv:w", "`:w` is not an access", ":ro or :rw"),
        (
            "/srv:read-write",
            "`:read-write` is not an access",
            ":ro or :rw",
        ),
        ("/srv/a\0b", "NUL", "write --root"),
    ] {
        let error = text.parse::<RootFlag>().unwrap_err();
        assert!(error.message.contains(message), "{text:?}: {error}");
        assert!(
            error.remedy.as_ref().unwrap().contains(remedy),
            "{text:?}: {error}"
        );
    }
}

#[test]
fn variables() {
    for (text, name, value) in [
        ("LANG", "LANG", None),
        ("LANG=", "LANG", Some("")),
        ("LANG=de", "LANG", Some("de")),
        ("A=b=c", "A", Some("b=c")),
        ("A=two\nlines", "A", Some("two\nlines")),
    ] {
        let flag: EnvFlag = text.parse().unwrap();
        assert_eq!((flag.name.as_str(), flag.value.as_deref()), (name, value));
        assert_eq!(flag.to_string(), text);
    }
    for text in ["", "=x", "A B=x", "A\0=x", "A=x\0"] {
        assert!(text.parse::<EnvFlag>().is_err(), "{text:?}");
    }
    let secret = "TOKEN=hunter2\0".parse::<EnvFlag>().unwrap_err();
    assert!(!secret.to_string().contains("hunter2"));
}

fn asks(names: &[&str]) -> Manifest {
    let roots: String = (names.iter())
        .map(|name| format!("[[roots]]\nname = \"{name}\"\n"))
        .collect();
    Manifest::parse(&format!("[plugin]\nname = \"p\"\n{roots}")).unwrap()
}

/// The names that the flags get.
fn names(flags: &[&str], manifest: Option<&Manifest>) -> Result<Vec<String>, GrantError> {
    let flags = flags.iter().map(|flag| root(flag)).collect();
    let grants = name_roots(flags, manifest)?;
    Ok(grants.into_iter().map(|grant| grant.name).collect())
}

#[test]
fn the_only_request_is_filled() {
    for (asked, flags, expected) in [
        (&["notes"][..], &["/srv/x:rw"][..], &["notes"][..]),
        (
            &["notes", "config"],
            &["config=/etc/x", "/srv/x"],
            &["config", "notes"],
        ),
        (
            &["notes", "config"],
            &["/srv/x", "config=/etc/x"],
            &["notes", "config"],
        ),
        (&["notes", "*"], &["/srv/x"], &["notes"]),
        (
            &["notes", "*"],
            &["notes=/srv/a", "/srv/x", "/srv/y"],
            &["notes", "x", "y"],
        ),
        // Nothing is left to fill: the plugin will not see it, and is told so.
        (
            &["notes"],
            &["notes=/srv/a", "/srv/notes"],
            &["notes", "notes-2"],
        ),
        (&[], &["/srv/x"], &["x"]),
    ] {
        assert_eq!(names(flags, Some(&asks(asked))).unwrap(), expected);
    }
}

#[test]
fn directories_are_called_after_themselves() {
    let long = format!("/srv/{}", "x".repeat(60));
    let cut = "x".repeat(48);
    let cut_2 = format!("{}-2", "x".repeat(46));
    for (flags, expected) in [
        (&["/srv/notes"][..], &["notes"][..]),
        (&["/srv/notes/"], &["notes"]),
        (&["/srv/My Notes (old)"], &["my-notes-old"]),
        (&["/srv/.config"], &["config"]),
        (&["/srv/Übung"], &["bung"]),
        (&["/srv/日本"], &["root"]),
        (&["/"], &["root"]),
        (&["/a/x", "/b/x", "/c/x"], &["x", "x-2", "x-3"]),
        (&["/a/x", "x=/b", "x-2=/c"], &["x-3", "x", "x-2"]),
        (&[&long, &long], &[&cut, &cut_2]),
    ] {
        assert_eq!(names(flags, None).unwrap(), expected);
        assert_eq!(names(flags, Some(&asks(&["*"]))).unwrap(), expected);
    }
}

#[test]
fn what_could_fill_several_requests_has_to_say_which() {
    let error = names(&["/srv/my notes"], Some(&asks(&["notes", "config"]))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`/srv/my notes` could be any of the folders the plugin asks for: config, notes\n  \
         say which: --root 'config=/srv/my notes' or --root 'notes=/srv/my notes'"
    );
    let error = names(&["/a", "/b"], Some(&asks(&["notes"]))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the plugin asks for one more folder, `notes`, and 2 directories have no name\n  \
         name them: --root notes=PATH"
    );
    // With `*` beside them there is a place for it.
    assert_eq!(
        names(&["/srv/x"], Some(&asks(&["notes", "config", "*"]))).unwrap(),
        ["x"]
    );
}

#[test]
fn no_two_directories_share_a_name() {
    let error = names(&["a=/x", "a=/y"], None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "two directories are named `a`\n  give each its own name: --root NAME=PATH"
    );
}

#[test]
fn a_file_is_written_as_a_directory_is() {
    let FileFlag(flag) = "todo=/srv/todo.txt:rw".parse().unwrap();
    assert_eq!(flag.kind, RootKind::File);
    assert_eq!(flag.access, Access::ReadWrite);
    let granted = name_roots(vec![flag], None).unwrap();
    assert_eq!(granted[0].kind, RootKind::File);
    let nameless: FileFlag = "/srv/To Do.txt".parse().unwrap();
    assert_eq!(
        name_roots(vec![nameless.0], None).unwrap()[0].name,
        "to-do-txt"
    );
    let error = "todo=".parse::<FileFlag>().unwrap_err();
    assert!(
        error.to_string().contains("--file todo=/srv/todo.txt"),
        "{error}"
    );
}

/// A flag that a command line can hold.
fn any_flag() -> impl Strategy<Value = RootFlag> {
    let access = prop_oneof![Just(Access::ReadOnly), Just(Access::ReadWrite)];
    let path = prop_oneof!["[^\0]{1,12}", "[a-c=:./\\\\]{1,8}(:rw|:ro|:RW)?"];
    (prop::option::of("[a-z0-9-]{1,8}"), path, access).prop_map(|(name, path, access)| RootFlag {
        name,
        kind: RootKind::Directory,
        path: path.into(),
        access,
    })
}

proptest! {
    #[test]
    fn a_written_root_flag_reads_back(flag in any_flag()) {
        let read: RootFlag = flag.to_string().parse().unwrap();
        let plain = |flag: &RootFlag| {
            let path = flag.path.display().to_string();
            path.strip_prefix("./").map(str::to_owned).unwrap_or(path)
        };
        prop_assert_eq!(plain(&read), plain(&flag));
        prop_assert_eq!((&read.name, read.access), (&flag.name, flag.access));
        prop_assert_eq!(read.to_string().parse::<RootFlag>().unwrap(), read);
    }

    #[test]
    fn flags_never_panic_and_are_valid(text: String) {
        if let Ok(flag) = text.parse::<RootFlag>() {
            prop_assert!(flag.name.is_none_or(|name| is_name(&name)));
            prop_assert!(!flag.path.as_os_str().is_empty());
            prop_assert!(flag.access == Access::ReadOnly || text.ends_with(":rw"));
        }
        if let Ok(flag) = text.parse::<EnvFlag>() {
            prop_assert!(is_env_name(&flag.name));
            prop_assert_eq!(flag.to_string(), text);
        }
    }

    #[test]
    fn every_directory_gets_a_good_name_of_its_own(
        flags in prop::collection::vec(any_flag(), 0..6),
        asked in prop::option::of(prop::collection::btree_set("[a-c]|\\*", 0..4)),
    ) {
        let asked = asked.map(|names| asks(&names.iter().map(String::as_str).collect::<Vec<_>>()));
        if let Ok(grants) = name_roots(flags.clone(), asked.as_ref()) {
            let names: std::collections::BTreeSet<_> =
                grants.iter().map(|grant| grant.name.clone()).collect();
            prop_assert_eq!(names.len(), flags.len());
            prop_assert!(names.iter().all(|name| is_name(name)));
            for (flag, grant) in flags.iter().zip(&grants) {
                prop_assert!(flag.name.as_ref().is_none_or(|name| *name == grant.name));
                prop_assert_eq!((&flag.path, flag.access), (&grant.path, grant.access));
            }
        }
    }
}
