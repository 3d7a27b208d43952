//! A client that answers something else than a few good addresses, and folders
//! that change under the host.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use palisade_tests::{Session, rpc};
use rustix::fs::{CWD, RenameFlags};
use serde_json::{Value, json};

use crate::client_roots_stage::{
    Folders, answer, asked, change, list, missing, mounts, open, opened, read, uri,
};

fn narrowed(folders: &Folders, roots: &Value) -> Session {
    opened(&folders.command(), "2025-11-25", roots)
}

#[test]
fn addresses_that_are_not_understood_grant_nothing() {
    let folders = Folders::new();
    let desk = folders.path("desk").display().to_string();
    let up = "/..".repeat(desk.matches('/').count());
    for bad in [
        String::new(),
        "file://".to_owned(),
        desk.clone(),
        format!("file:{desk}"),
        format!("http://{desk}"),
        format!("https://localhost{desk}"),
        format!("file://host{desk}"),
        format!("file://127.0.0.1{desk}"),
        format!("file://{desk}?x"),
        format!("file://{desk}#x"),
        format!("file:///{desk}"),
        format!("file://{desk}%00"),
        format!("file://{desk}%2Fa"),
        format!("file://{desk}%5Ca"),
        format!("file://{desk}\\a"),
        format!("file://{desk}/%ff"),
        format!("file://{desk}/%zz"),
        format!("file:///C:{desk}"),
        format!("file:///c%3A{desk}"),
        format!("file:///C|{desk}"),
        format!("file:///C:{up}{desk}"),
        format!("file://{desk}/{}", "x".repeat(9 * 1024)),
    ] {
        let mut session = narrowed(&folders, &list(&[&bad]));
        assert_eq!(mounts(&mut session), "none", "{bad}");
        let stderr = session.finish().success().stderr;
        assert!(stderr.contains("can't be used"), "{bad}: {stderr}");
        assert!(stderr.lines().all(|line| line.len() < 1000), "{stderr}");
    }
}

#[test]
fn escaped_and_roundabout_addresses_mean_what_they_say() {
    let folders = Folders::new();
    let desk = folders.path("desk").display().to_string();
    let escaped = desk.replace('o', "%6f").replace('k', "%6B");
    let outside = "%2e%2e/%2E%2E/outside";
    for (address, expected) in [
        (format!("file://{escaped}"), "/desk"),
        (format!("file://localhost{desk}/"), "/desk"),
        (format!("FILE://{desk}//a/./"), "/desk/a"),
        (format!("file://{desk}/a/%2e%2e/b"), "/desk/b"),
        (format!("file://{desk}/a/{outside}"), "none"),
        (format!("file://{desk}/b/../../other"), "/other"),
        (format!("file://{desk}/%252e%252e"), "none"),
        (format!("file://{}", "/..".repeat(30)), "/desk /other"),
    ] {
        let mut session = narrowed(&folders, &list(&[&address]));
        assert_eq!(mounts(&mut session), expected, "{address}");
    }
}

#[test]
fn what_is_bad_is_skipped() {
    let folders = Folders::new();
    let roots = list(&[
        "http://example.com/".to_owned(),
        folders.uri("desk/b"),
        "\u{1b}[2J".to_owned(),
    ]);
    let mut session = narrowed(&folders, &roots);
    assert_eq!(mounts(&mut session), "/desk/b");
    let stderr = session.finish().success().stderr;
    assert!(stderr.contains("2 roots of the client"), "{stderr}");
    assert!(!stderr.contains('\u{1b}'), "{stderr}");
}

#[test]
fn answers_that_are_none() {
    let folders = Folders::new();
    for answered in [
        json!({}),
        json!({"roots": null}),
        json!({"roots": {}}),
        json!({"roots": [{}]}),
        json!({"roots": [{"uri": 7}]}),
        json!({"roots": [folders.uri("desk")]}),
        json!({"content": [], "roots": "file:///"}),
        json!([]),
        json!(7),
    ] {
        let mut session = open(&folders.command(), "2025-11-25");
        let question = asked(&mut session);
        answer(&mut session, &question, &answered);
        // What can't be read as an answer at all may be none: then the host
        // has to give up waiting.
        assert_eq!(mounts(&mut session), "none", "{answered}");
        session.take_others();
        change(&mut session, &folders.list(&["desk"]));
        assert_eq!(mounts(&mut session), "/desk", "{answered}");
    }
}

#[test]
fn an_error_is_no_answer() {
    let folders = Folders::new();
    let mut session = open(&folders.command(), "2025-11-25");
    let question = asked(&mut session);
    let error = json!({"code": -32603, "message": "no roots today"});
    session.send(&json!({"jsonrpc": "2.0", "id": question["id"], "error": error}));
    assert_eq!(mounts(&mut session), "none");
    missing(&mut session, "/desk/top.txt");
    // It is not asked again and again.
    assert_eq!(session.take_others(), [] as [Value; 0]);
    let stderr = session.finish().success().stderr;
    assert!(stderr.contains("no roots today"), "{stderr}");
}

#[test]
fn a_client_that_never_answers() {
    let folders = Folders::new();
    let mut session = open(&folders.command(), "2025-11-25");
    let question = asked(&mut session);
    let since = Instant::now();
    assert_eq!(mounts(&mut session), "none");
    let took = since.elapsed();
    assert!(took < Duration::from_secs(20), "it waited for {took:?}");
    // It is told that nobody waits any more.
    let told = session.take_others();
    let [told] = told.as_slice() else {
        panic!("{told:?}")
    };
    assert_eq!(told["method"], "notifications/cancelled");
    assert_eq!(told["params"]["requestId"], question["id"]);
    // A late answer is none, and the next call does not wait again.
    answer(&mut session, &question, &folders.list(&["desk"]));
    let since = Instant::now();
    assert_eq!(mounts(&mut session), "none");
    assert!(since.elapsed() < Duration::from_secs(5));
    change(&mut session, &folders.list(&["desk"]));
    assert_eq!(mounts(&mut session), "/desk");
}

#[test]
fn very_long_lists() {
    let folders = Folders::new();
    let mut many: Vec<_> = (0..50_000)
        .map(|number| format!("file:///never/{number}"))
        .collect();
    many[999] = folders.uri("desk");
    many[1000] = folders.uri("other");
    let mut session = narrowed(&folders, &list(&many));
    assert_eq!(mounts(&mut session), "/desk");
    // As many that are there.
    for number in 0..200 {
        fs::create_dir(folders.path(&format!("desk/{number}"))).unwrap();
    }
    let many: Vec<_> = (0..200)
        .map(|number| folders.uri(&format!("desk/{number}")))
        .collect();
    change(&mut session, &list(&many));
    assert_eq!(mounts(&mut session).split(' ').count(), 64);
    let stderr = session.finish().success().stderr;
    assert!(stderr.contains("more roots"), "{stderr}");
    assert!(stderr.contains("and not in more"), "{stderr}");
    assert!(stderr.lines().count() < 10, "{stderr}");
}

/// At most one question is open, however often they change.
#[test]
fn a_flood_of_changes() {
    let folders = Folders::new();
    let mut session = open(&folders.command(), "2025-11-25");
    let first = asked(&mut session);
    for _ in 0..2_000 {
        session.notify("notifications/roots/list_changed", Value::Null);
    }
    rpc::result(&session.ask("ping", Value::Null));
    assert_eq!(session.take_others(), [] as [Value; 0]);
    answer(&mut session, &first, &folders.list(&["desk"]));
    let second = asked(&mut session);
    rpc::result(&session.ask("ping", Value::Null));
    assert_eq!(session.take_others(), [] as [Value; 0]);
    answer(&mut session, &second, &folders.list(&["other"]));
    assert_eq!(mounts(&mut session), "/other");
    assert_eq!(session.take_others(), [] as [Value; 0]);
}

/// A client can't fill standard error by changing its mind.
#[test]
fn a_flood_of_warnings() {
    let folders = Folders::new();
    let mut session = narrowed(&folders, &folders.list(&["desk"]));
    for number in 0..600 {
        change(&mut session, &list(&[format!("bad:{number}")]));
    }
    assert_eq!(mounts(&mut session), "none");
    let stderr = session.finish().success().stderr;
    assert!(stderr.lines().count() < 300, "{}", stderr.lines().count());
}

#[test]
fn links_lead_nowhere_else() {
    let folders = Folders::new();
    symlink("../../outside", folders.path("desk/a/out")).unwrap();
    symlink("../b", folders.path("desk/a/beside")).unwrap();
    symlink(folders.path("outside"), folders.path("desk/absolute")).unwrap();
    symlink("deep", folders.path("desk/a/inside")).unwrap();
    symlink("desk", folders.path("link")).unwrap();
    let mut session = narrowed(&folders, &folders.list(&["desk/a"]));
    assert_eq!(mounts(&mut session), "/desk/a");
    missing(&mut session, "/desk/a/out/secret.txt");
    // What else is granted, but not open in the client.
    missing(&mut session, "/desk/a/beside/three.txt");
    assert_eq!(read(&mut session, "/desk/a/inside/two.txt"), "two");
    // A root that is a link means what it leads to.
    for (root, expected) in [
        ("desk/a/out", "none"),
        ("desk/absolute", "none"),
        ("desk/a/beside", "/desk/b"),
        ("link", "/desk"),
        ("link/a", "/desk/a"),
    ] {
        change(&mut session, &folders.list(&[root]));
        assert_eq!(mounts(&mut session), expected, "{root}");
    }
}

#[test]
fn a_folder_that_is_swapped_for_a_link() {
    let folders = Folders::new();
    let roots = folders.list(&["desk/a"]);
    let mut session = narrowed(&folders, &roots);
    assert_eq!(read(&mut session, "/desk/a/one.txt"), "one");
    fs::rename(folders.path("desk/a"), folders.path("desk/moved")).unwrap();
    symlink(folders.path("outside"), folders.path("desk/a")).unwrap();
    // It is the folder that was opened.
    missing(&mut session, "/desk/a/secret.txt");
    assert_eq!(read(&mut session, "/desk/a/one.txt"), "one");
    // Asked anew, the address leads to what is not granted.
    change(&mut session, &roots);
    assert_eq!(mounts(&mut session), "none");
    // Or to what is, and only that.
    fs::remove_file(folders.path("desk/a")).unwrap();
    symlink("b", folders.path("desk/a")).unwrap();
    change(&mut session, &roots);
    assert_eq!(mounts(&mut session), "/desk/b");
}

/// Sets a flag when it goes, also if a test fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Swapped again and again while the host looks: what a link leads to is
/// granted, but never shows as the folder.
#[test]
fn a_folder_that_is_swapped_all_the_time() {
    let folders = Folders::new();
    fs::write(folders.path("desk/b/one.txt"), "secret").unwrap();
    let (place, link) = (folders.path("desk/a"), folders.path("desk/link"));
    symlink("b", &link).unwrap();
    let roots = folders.list(&["desk/a"]);
    let mut session = narrowed(&folders, &roots);
    let stop = AtomicBool::new(false);
    let mut seen = 0;
    std::thread::scope(|scope| {
        let stopped = Stop(&stop);
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                rustix::fs::renameat_with(CWD, &place, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
        });
        for _ in 0..300 {
            change(&mut session, &roots);
            let result = session.call("read", json!({"path": "/desk/a/one.txt"}));
            match rpc::text(&result).as_str() {
                "one" => seen += 1,
                text => assert!(!text.contains("secret"), "{text}"),
            }
        }
        drop(stopped);
    });
    assert!(seen > 0, "it was never there");
}

/// A granted folder that lies somewhere else by now is not what the client
/// means by its address.
#[test]
fn a_granted_folder_that_is_swapped() {
    let folders = Folders::new();
    let roots = folders.list(&["desk"]);
    let mut session = narrowed(&folders, &roots);
    assert_eq!(read(&mut session, "/desk/top.txt"), "top");
    fs::rename(folders.path("desk"), folders.path("moved")).unwrap();
    fs::rename(folders.path("outside"), folders.path("desk")).unwrap();
    change(&mut session, &roots);
    assert_eq!(mounts(&mut session), "none");
    change(&mut session, &list(&[uri(&folders.path("moved"))]));
    assert_eq!(mounts(&mut session), "none");
    missing(&mut session, "/desk/secret.txt");
}
