//! What a grant hides does not exist, whatever is asked of it and by whatever
//! handle.

use std::fs;

use palisade_tests::Session;
use serde_json::{Value, json};

use crate::sandbox_hide_stage::{
    HIDDEN, NOT_THERE, NOT_TO_BE_MADE, PATTERNS, grant_of, session, stage,
};
use palisade_tests::stage::{SECRET, Stage, done, open, refused, state_of};

/// Each hidden place as a root and a path below it: from the mount point, and
/// by the handle of a directory that may be opened.
fn hidden() -> Vec<(String, String)> {
    let from_mount = HIDDEN.map(|path| ("/in".to_owned(), path.to_owned()));
    let by_handle = [
        ("/in:sub", ".git"),
        ("/in:sub", ".git/config"),
        ("/in:sub", ".env"),
        ("/in:sub", "./.env"),
        ("/in:secrets", "key"),
        ("/in:secrets", "deep/../key"),
        ("/in:secrets/deep/..", "key"),
        ("/in:to-secrets", "key"),
        ("/in:.", ".env"),
    ]
    .map(|(root, path)| (root.to_owned(), path.to_owned()));
    from_mount.into_iter().chain(by_handle).collect()
}

/// Calls a tool on every hidden place; each must be refused with this word.
#[track_caller]
fn each_is(session: &mut Session, word: &str, tool: &str, more: Value) {
    for (root, path) in hidden() {
        let mut arguments = json!({"root": root, "path": path});
        for (name, value) in more.as_object().unwrap() {
            arguments[name] = value.clone();
        }
        let why = refused(session, tool, arguments);
        assert_eq!(why, word, "{tool} of {path} below {root}");
    }
}

/// Runs a test and sees that nothing in the folder has changed.
fn unchanged(test: impl FnOnce(&mut Session)) {
    let stage = stage();
    let before = state_of(&stage.inside());
    test(&mut session(&stage, "escapes-by-handle"));
    assert_eq!(state_of(&stage.inside()), before);
}

#[test]
fn opening() {
    unchanged(|session| {
        for follow in [true, false] {
            each_is(session, NOT_THERE, "read_at", json!({"follow": follow}));
        }
        each_is(session, NOT_THERE, "list_at", json!({}));
        each_is(session, NOT_THERE, "truncate_at", json!({}));
        each_is(session, NOT_THERE, "write_read_only", json!({}));
    });
}

#[test]
fn creating_a_file() {
    unchanged(|session| {
        each_is(session, NOT_TO_BE_MADE, "write_at", json!({"text": "mine"}));
        for (root, path) in [
            ("/in", ".git/new"),
            ("/in", "a/../.env"),
            ("/in:sub", ".git/a/b"),
        ] {
            let write = json!({"root": root, "path": path, "text": "mine"});
            refused(session, "write_at", write);
        }
        let create = json!({"root": "/in", "directory": "secrets", "name": "key"});
        assert_eq!(refused(session, "create_in", create), NOT_TO_BE_MADE);
    });
}

#[test]
fn asking_what_it_is() {
    unchanged(|session| {
        for follow in [true, false] {
            each_is(session, NOT_THERE, "stat_at", json!({"follow": follow}));
        }
    });
}

#[test]
fn asking_for_its_hash() {
    unchanged(|session| {
        for follow in [true, false] {
            each_is(session, NOT_THERE, "hash_at", json!({"follow": follow}));
        }
    });
}

#[test]
fn reading_it_as_a_link() {
    unchanged(|session| each_is(session, NOT_THERE, "read_link_at", json!({})));
    let stage = stage();
    std::os::unix::fs::symlink("a.txt", stage.inside().join("sub/.git/link")).unwrap();
    let mut session = session(&stage, "escapes-by-handle");
    for (root, path) in [("/in", "sub/.git/link"), ("/in:sub", ".git/link")] {
        let link = json!({"root": root, "path": path});
        assert_eq!(refused(&mut session, "read_link_at", link), NOT_THERE);
    }
}

#[test]
fn setting_its_times() {
    unchanged(|session| {
        for follow in [true, false] {
            each_is(
                session,
                NOT_THERE,
                "set_times_at",
                json!({"follow": follow}),
            );
        }
    });
}

#[test]
fn making_a_directory() {
    unchanged(|session| {
        each_is(session, NOT_TO_BE_MADE, "create_directory_at", json!({}));
    });
    // As little where nothing is there yet.
    let stage = Stage::new();
    let mut session = session(&stage, "escapes-by-handle");
    for path in [".git", "sub/.git", ".git/", "a/../.git/hooks"] {
        let make = json!({"root": "/in", "path": path});
        refused(&mut session, "create_directory_at", make);
    }
    assert!(!stage.inside().join(".git").exists());
    assert!(!stage.inside().join("sub/.git").exists());
}

#[test]
fn removing_a_directory() {
    let stage = stage();
    fs::create_dir(stage.inside().join("sub/.git/empty")).unwrap();
    fs::remove_dir_all(stage.inside().join(".git")).unwrap();
    fs::create_dir(stage.inside().join(".git")).unwrap();
    let before = state_of(&stage.inside());
    let mut session = session(&stage, "escapes-by-handle");
    each_is(&mut session, NOT_THERE, "remove_directory_at", json!({}));
    for (root, path) in [("/in", "sub/.git/empty"), ("/in:sub", ".git/empty")] {
        let remove = json!({"root": root, "path": path});
        assert_eq!(
            refused(&mut session, "remove_directory_at", remove),
            NOT_THERE
        );
    }
    assert_eq!(state_of(&stage.inside()), before);
}

#[test]
fn deleting_a_file() {
    unchanged(|session| each_is(session, NOT_THERE, "unlink_at", json!({})));
}

#[test]
fn giving_it_a_second_name() {
    unchanged(|session| {
        let to = json!({"to_root": "/in", "to_path": "got", "follow": false});
        each_is(session, NOT_THERE, "link_at", to);
    });
}

#[test]
fn giving_something_its_name() {
    unchanged(|session| {
        for (root, path) in hidden() {
            let names = [
                ("a.txt", "link_at"),
                ("a.txt", "rename_at"),
                ("sub", "rename_at"),
            ];
            for (from, tool) in names {
                let mut arguments =
                    json!({"root": "/in", "path": from, "to_root": root, "to_path": path});
                if tool == "link_at" {
                    arguments["follow"] = json!(false);
                }
                let why = refused(session, tool, arguments);
                assert_eq!(why, NOT_TO_BE_MADE, "{tool} {from} to {path} below {root}");
            }
        }
    });
}

#[test]
fn giving_it_another_name() {
    unchanged(|session| {
        let to = json!({"to_root": "/in", "to_path": "got"});
        each_is(session, NOT_THERE, "rename_at", to);
    });
}

#[test]
fn making_a_link_in_its_place() {
    unchanged(|session| {
        each_is(
            session,
            NOT_TO_BE_MADE,
            "symlink_at",
            json!({"target": "a.txt"}),
        );
    });
    let stage = Stage::new();
    let mut session = session(&stage, "escapes-by-handle");
    let link = json!({"root": "/in", "path": ".git", "target": "sub"});
    assert_eq!(refused(&mut session, "symlink_at", link), NOT_TO_BE_MADE);
}

#[test]
fn listing_what_it_lies_in() {
    let stage = stage();
    let mut session = session(&stage, "escapes-by-handle");
    for (root, path, expected) in [
        (
            "/in",
            ".",
            "directory secrets\ndirectory sub\nfile a.txt\nlink dangling\nlink far\nlink odd\n\
             link to-env\nlink to-key\nlink to-new\nlink to-secrets",
        ),
        ("/in", "sub", "file b.txt\nlink to-git\nlink to-key"),
        ("/in:sub", ".", "file b.txt\nlink to-git\nlink to-key"),
        ("/in", "secrets", "directory deep\nfile open.txt"),
        ("/in:sub", "../secrets", "not-permitted"),
        ("/in", "to-secrets/", "directory deep\nfile open.txt"),
        ("/in:secrets", "deep", "file key"),
    ] {
        let list = json!({"root": root, "path": path});
        let listed = session.call("list_at", list);
        assert_eq!(
            palisade_tests::rpc::text(&listed),
            expected,
            "{path} below {root}"
        );
    }
}

/// What is not hidden is as it always was.
#[test]
fn the_rest_is_as_ever() {
    let stage = stage();
    let mut guest = session(&stage, "escapes-by-handle");
    for (root, path, text) in [
        ("/in", "a.txt", "the inside's a"),
        ("/in", "sub/b.txt", "the inside's b"),
        ("/in", "./sub/../sub/./b.txt", "the inside's b"),
        ("/in", "secrets/open.txt", "no secret"),
        ("/in", "to-secrets/deep/key", "no secret either"),
        ("/in:sub", "b.txt", "the inside's b"),
        ("/in:secrets", "deep/key", "no secret either"),
        ("/in:secrets/deep", "key", "no secret either"),
    ] {
        let read = json!({"root": root, "path": path, "follow": true});
        assert_eq!(done(&mut guest, "read_at", read), format!("file: {text}"));
        for follow in [true, false] {
            let at = json!({"root": root, "path": path, "follow": follow});
            done(&mut guest, "stat_at", at.clone());
            done(&mut guest, "hash_at", at.clone());
            done(&mut guest, "set_times_at", at);
        }
    }
    let at = |path: &str| json!({"root": "/in", "path": path});
    let with = |path: &str, name: &str, value: &str| {
        let mut at = at(path);
        at[name] = json!(value);
        at
    };
    assert_eq!(done(&mut guest, "read_link_at", at("to-key")), "sub/to-key");
    done(&mut guest, "create_directory_at", at("new/"));
    done(&mut guest, "write_at", with("new/git", "text", "mine"));
    done(&mut guest, "truncate_at", at("new/git"));
    done(&mut guest, "symlink_at", with("new/link", "target", "git"));
    done(&mut guest, "unlink_at", at("new/link"));
    let mut link = with("new/git", "to_path", "new/two");
    link["to_root"] = json!("/in");
    let rename = link.clone();
    link["follow"] = json!(false);
    done(&mut guest, "link_at", link);
    done(&mut guest, "unlink_at", at("new/two"));
    done(&mut guest, "rename_at", rename);
    done(&mut guest, "unlink_at", at("new/two"));
    done(&mut guest, "remove_directory_at", at("new/"));
    assert!(!stage.inside().join("new").exists());
    // And what is not there, or not what it should be, is said as elsewhere.
    for (path, word) in [
        ("missing", "no-entry"),
        ("missing/b", "no-entry"),
        ("a.txt/", "not-directory"),
        ("a.txt/b", "not-directory"),
        ("..", "not-permitted"),
        ("sub/../..", "not-permitted"),
        ("/in/a.txt", "not-permitted"),
        ("", "no-entry"),
        (&"x".repeat(256), "name-too-long"),
        (&"x/".repeat(3000), "name-too-long"),
    ] {
        let stat = json!({"root": "/in", "path": path, "follow": true});
        assert_eq!(refused(&mut guest, "stat_at", stat), word, "{path:.20}");
    }
    for (path, word) in [
        ("sub", "exist"),
        ("a.txt", "exist"),
        ("missing/new", "no-entry"),
    ] {
        assert_eq!(
            refused(&mut guest, "create_directory_at", at(path)),
            word,
            "{path}"
        );
    }
    assert_eq!(
        refused(&mut guest, "remove_directory_at", at("secrets")),
        "not-empty"
    );
}

/// By the names that a program uses, as the guest's own libc resolves them.
#[test]
fn by_ordinary_means() {
    let stage = stage();
    let before = state_of(&stage.inside());
    let mut session = session(&stage, "escapes");
    for path in HIDDEN {
        let path = format!("/in/{path}");
        for tool in ["read", "list", "delete", "remove_dir", "stat", "read_link"] {
            refused(&mut session, tool, json!({"path": path}));
        }
        refused(&mut session, "write", json!({"path": path, "text": "x"}));
    }
    let names = done(&mut session, "list", json!({"path": "/in/sub"}));
    assert_eq!(names, "b.txt\nto-git\nto-key");
    assert_eq!(state_of(&stage.inside()), before);
}

/// What a manifest does not want to see is hidden as well; `inspect` says what.
#[test]
fn what_a_plugin_asks_not_to_see() {
    let stage = stage();
    let folder = tempfile::tempdir().unwrap();
    let plugin = folder.path().join("guest.wasm");
    fs::copy(palisade_tests::guest("escapes"), &plugin).unwrap();
    fs::write(
        folder.path().join("palisade.toml"),
        "[plugin]\nname = \"guest\"\n[[roots]]\nname = \"in\"\nhide = [\"sub/*.txt\"]\n",
    )
    .unwrap();
    let grant = grant_of(&stage, "read-only", &["**/.env"]);
    let mut session = open(&palisade_tests::Palisade::run(&plugin).grant(&grant));
    for path in ["/in/sub/b.txt", "/in/.env"] {
        refused(&mut session, "read", json!({"path": path}));
    }
    done(&mut session, "read", json!({"path": "/in/a.txt"}));
    let inspected = palisade_tests::Palisade::inspect(&plugin)
        .grant(grant)
        .output();
    assert!(
        inspected.stdout.contains("without sub/*.txt, **/.env"),
        "{inspected:?}"
    );
}

/// Where the file system may take names for one that differ in case, such names
/// are hidden together. What `/proc` does is not known to the host; that is
/// enough. Its files are also reached by way of other threads.
#[cfg(target_os = "linux")]
#[test]
fn names_that_might_be_one_are_hidden_together() {
    let folder = tempfile::tempdir().unwrap();
    let grant = folder.path().join("grant.toml");
    let text = "[[roots]]\nname = \"in\"\npath = \"/proc/sys\"\nhide = [\"VM\", \"Kernel/**\"]\n";
    fs::write(&grant, text).unwrap();
    let command = palisade_tests::Palisade::run(palisade_tests::guest("escapes"));
    let mut session = open(&command.grant(grant));
    for path in ["/in/vm", "/in/kernel/ostype", "/in/kernel", "/in/Kernel"] {
        for tool in ["read", "stat", "list"] {
            refused(&mut session, tool, json!({"path": path}));
        }
    }
    done(&mut session, "read", json!({"path": "/in/fs/file-max"}));
    let names = done(&mut session, "list", json!({"path": "/in"}));
    assert!(names.lines().any(|name| name == "fs"), "{names}");
    let shown = names.lines().find(|name| ["vm", "kernel"].contains(name));
    assert_eq!(shown, None, "{names}");
}

/// A second folder, of which nothing is hidden, is seen as a whole; what is
/// hidden can't be brought there.
#[test]
fn another_folder_is_not_concerned() {
    let stage = stage();
    fs::create_dir_all(stage.outside().join(".git")).unwrap();
    fs::write(stage.outside().join(".git/config"), "not hidden").unwrap();
    let grant = grant_of(&stage, "read-write", &PATTERNS);
    let command = palisade_tests::Palisade::run(palisade_tests::guest("escapes-by-handle"));
    let mut guest = open(&command.grant(grant).root("out", stage.outside(), "rw"));
    let read = json!({"root": "/out", "path": ".git/config", "follow": true});
    assert_eq!(done(&mut guest, "read_at", read), "file: not hidden");
    for (path, word) in [(".env", NOT_THERE), ("secrets", NOT_TO_BE_MADE)] {
        let rename = json!({"root": "/in", "path": path, "to_root": "/out", "to_path": "got"});
        assert_eq!(refused(&mut guest, "rename_at", rename), word, "{path}");
    }
    let rename = json!({"root": "/out", "path": ".git", "to_root": "/in", "to_path": "git"});
    done(&mut guest, "rename_at", rename);
    let text = fs::read_to_string(stage.inside().join("git/config")).unwrap();
    assert_eq!(text, "not hidden");
    assert!(!SECRET.is_empty() && !stage.outside().join("got").exists());
}
