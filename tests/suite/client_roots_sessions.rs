//! The roots of a client narrow what a plugin sees, for its session.

use palisade_tests::{Palisade, plugin, rpc};
use serde_json::{Value, json};

use crate::client_roots_stage::{
    Folders, answer, asked, change, hello, missing, mounts, open, opened, read,
};

#[test]
fn in_every_revision_a_folder_outside_is_not_there() {
    let folders = Folders::new();
    for version in rpc::HANDSHAKE_REVISIONS {
        let roots = folders.list(&["desk/a", "outside"]);
        let mut session = opened(&folders.command(), version, &roots);
        assert_eq!(mounts(&mut session), "/desk/a", "{version}");
        assert_eq!(read(&mut session, "/desk/a/one.txt"), "one", "{version}");
        assert_eq!(read(&mut session, "/desk/a/deep/two.txt"), "two");
        for path in [
            "/desk/top.txt",
            "/desk/b/three.txt",
            "/desk/a/../top.txt",
            "/desk/a/../b/three.txt",
            "/desk/a/deep/../../b/three.txt",
            "/other/five.txt",
            "/outside/secret.txt",
            "/desk/a/../../outside/secret.txt",
        ] {
            missing(&mut session, path);
        }
        let new = json!({"path": "/desk/a/new.txt", "text": "new"});
        rpc::tool_text(&session.call("write", new));
        let new = json!({"path": "/desk/new.txt", "text": "new"});
        rpc::tool_error(&session.call("write", new));
        let end = session.finish().success();
        assert!(end.stderr.contains("other is not available"), "{version}");
    }
    assert!(folders.path("desk/a/new.txt").exists());
    assert!(!folders.path("desk/new.txt").exists());
}

#[test]
fn what_is_left_of_granted_folders() {
    let folders = Folders::new();
    for (roots, expected) in [
        (&["desk", "other"][..], "/desk /other"),
        (&["other", "desk"], "/desk /other"),
        // Around both of them.
        (&[""], "/desk /other"),
        (&["desk"], "/desk"),
        (&["desk/a", "desk/b"], "/desk/a /desk/b"),
        (&["desk/a", "desk/a/deep", "desk/a"], "/desk/a"),
        (&["desk/a/deep", "other"], "/desk/a/deep /other"),
        (&["desk/a/../b"], "/desk/b"),
        (&["desk/My Folder"], "/desk/My Folder"),
        // Neither folders nor there, or nothing of what is granted.
        (&["desk/top.txt"], "none"),
        (&["desk/never"], "none"),
        (&["outside"], "none"),
        (&[], "none"),
    ] {
        let list = folders.list(roots);
        let mut session = opened(&folders.command(), "2025-11-25", &list);
        assert_eq!(mounts(&mut session), expected, "{roots:?}");
    }
}

#[test]
fn a_plugin_is_told_the_addresses_of_what_it_has() {
    let folders = Folders::new();
    let roots = folders.list(&["desk/My Folder", "other"]);
    let mut session = opened(&folders.command(), "2025-11-25", &roots);
    let uris = rpc::tool_text(&session.call("uris", json!({})));
    let expected = [folders.uri("desk/My Folder"), folders.uri("other")];
    assert_eq!(uris, expected.join(" "));
}

/// Also where the plugin shows the host's own paths.
#[test]
fn the_filesystem_plugin_serves_what_is_left() {
    let folders = Folders::new();
    let command = Palisade::run(plugin("filesystem")).root("desk", folders.path("desk"), "ro");
    let roots = folders.list(&["desk/a", "desk/b"]);
    let mut session = opened(&command, "2025-11-25", &roots);
    let allowed = rpc::tool_text(&session.call("list_allowed_directories", json!({})));
    let (a, b) = (folders.path("desk/a"), folders.path("desk/b"));
    assert_eq!(
        allowed,
        format!("Allowed directories:\n{}\n{}", a.display(), b.display())
    );
    let read = |path| json!({ "path": path });
    let inside = session.call("read_text_file", read(a.join("one.txt")));
    assert_eq!(rpc::tool_text(&inside), "one");
    let top = session.call("read_text_file", read(folders.path("desk/top.txt")));
    assert!(rpc::tool_error(&top).contains("Access denied"), "{top}");
}

#[test]
fn a_client_without_roots_gets_what_is_granted() {
    let folders = Folders::new();
    for version in rpc::HANDSHAKE_REVISIONS {
        let mut session = folders.command().start();
        session.initialize(version);
        session.notify("notifications/roots/list_changed", Value::Null);
        assert_eq!(mounts(&mut session), "/desk /other", "{version}");
        assert_eq!(session.take_others(), [] as [Value; 0]);
        assert_eq!(session.finish().success().stderr, "", "{version}");
    }
}

#[test]
fn a_client_is_not_asked_where_no_folder_is_granted() {
    let mut session = open(
        &Palisade::run(palisade_tests::guest("shows-roots")),
        "2025-11-25",
    );
    session.notify("notifications/roots/list_changed", Value::Null);
    assert_eq!(mounts(&mut session), "none");
    assert_eq!(session.take_others(), [] as [Value; 0]);
}

#[test]
fn one_who_has_roots_is_asked_as_soon_as_the_session_is_open() {
    let folders = Folders::new();
    let mut session = folders.command().start();
    rpc::result(&session.ask("initialize", hello("2025-11-25")));
    rpc::result(&session.ask("tools/list", Value::Null));
    assert_eq!(session.take_others(), [] as [Value; 0]);
    session.notify("notifications/initialized", Value::Null);
    let question = asked(&mut session);
    answer(&mut session, &question, &folders.list(&["desk"]));
    // Once.
    session.notify("notifications/initialized", Value::Null);
    assert_eq!(mounts(&mut session), "/desk");
    assert_eq!(session.take_others(), [] as [Value; 0]);
}

/// Some forget to say that the session is open.
#[test]
fn or_with_its_first_call() {
    let folders = Folders::new();
    let mut session = folders.command().start();
    rpc::result(&session.ask("initialize", hello("2025-11-25")));
    let id = session.request("tools/call", rpc::tool("mounts", json!({})));
    let question = asked(&mut session);
    answer(&mut session, &question, &folders.list(&["desk"]));
    let response = session.answer(id);
    assert_eq!(rpc::tool_text(rpc::result(&response)), "/desk");
}

#[test]
fn calls_wait_for_the_answer() {
    let folders = Folders::new();
    let mut session = open(&folders.command(), "2025-11-25");
    let question = asked(&mut session);
    let ids: Vec<_> = (0..5)
        .map(|_| session.request("tools/call", rpc::tool("mounts", json!({}))))
        .collect();
    // What needs no folder does not wait.
    rpc::result(&session.ask("tools/list", Value::Null));
    assert_eq!(session.take_others(), [] as [Value; 0]);
    answer(&mut session, &question, &folders.list(&["other"]));
    for id in ids {
        let response = session.answer(id);
        assert_eq!(rpc::tool_text(rpc::result(&response)), "/other");
    }
}

#[test]
fn a_call_that_waits_can_be_cancelled() {
    let folders = Folders::new();
    let mut session = open(&folders.command(), "2025-11-25");
    let question = asked(&mut session);
    let id = session.request("tools/call", rpc::tool("mounts", json!({})));
    session.notify("notifications/cancelled", json!({ "requestId": id }));
    let next = session.request("tools/call", rpc::tool("mounts", json!({})));
    // It is the same question that is open.
    rpc::result(&session.ask("ping", Value::Null));
    assert_eq!(session.take_others(), [] as [Value; 0]);
    answer(&mut session, &question, &folders.list(&["other"]));
    let response = session.answer(next);
    assert_eq!(rpc::tool_text(rpc::result(&response)), "/other");
    assert_eq!(session.finish().success().stdout, "");
}

#[test]
fn changed_roots_hold_from_the_next_call() {
    let folders = Folders::new();
    let mut session = opened(&folders.command(), "2025-11-25", &folders.list(&["desk"]));
    assert_eq!(read(&mut session, "/desk/top.txt"), "top");
    change(&mut session, &folders.list(&["desk/a"]));
    missing(&mut session, "/desk/top.txt");
    assert_eq!(read(&mut session, "/desk/a/one.txt"), "one");
    // They may be more again, and nothing of what was is left.
    change(&mut session, &folders.list(&["other"]));
    assert_eq!(mounts(&mut session), "/other");
    change(&mut session, &folders.list(&["desk", "other"]));
    assert_eq!(mounts(&mut session), "/desk /other");
    assert_eq!(read(&mut session, "/desk/top.txt"), "top");
}

#[test]
fn a_call_that_runs_keeps_what_it_has() {
    let folders = Folders::new();
    let mut session = opened(&folders.command(), "2025-11-25", &folders.list(&["desk"]));
    let read = rpc::tool("read_when_told", json!({"path": "/desk/top.txt"}));
    let id = session.request("tools/call", read.clone());
    let now = session.receive().unwrap();
    assert_eq!(now["method"], "elicitation/create", "{now}");
    change(&mut session, &folders.list(&["other"]));
    assert_eq!(mounts(&mut session), "/other");
    let yes = json!({"action": "accept", "content": {"now": true}});
    answer(&mut session, &now, &yes);
    let response = session.answer(id);
    assert_eq!(rpc::tool_text(rpc::result(&response)), "top");
    // The next one has the new ones.
    let id = session.request("tools/call", read);
    let now = session.receive().unwrap();
    answer(&mut session, &now, &yes);
    rpc::tool_error(rpc::result(&session.answer(id)));
}

/// A change while the host asks is asked about anew, and a call that comes
/// after it does not see what was before.
#[test]
fn a_change_during_the_question() {
    let folders = Folders::new();
    let mut session = open(&folders.command(), "2025-11-25");
    let first = asked(&mut session);
    session.notify("notifications/roots/list_changed", Value::Null);
    let id = session.request("tools/call", rpc::tool("mounts", json!({})));
    answer(&mut session, &first, &folders.list(&["desk"]));
    let second = asked(&mut session);
    answer(&mut session, &second, &folders.list(&["other"]));
    let response = session.answer(id);
    assert_eq!(rpc::tool_text(rpc::result(&response)), "/other");
}

#[test]
fn everything_that_runs_a_plugin_sees_the_same() {
    let folders = Folders::new();
    let roots = folders.list(&["desk/a"]);
    let mut session = opened(&folders.command(), "2025-11-25", &roots);
    let listed = session.ask("resources/list", Value::Null);
    assert!(listed.to_string().contains("mount:/desk/a"), "{listed}");
    assert!(!listed.to_string().contains("/other"), "{listed}");
    let read = session.ask("resources/read", json!({"uri": "roots://all"}));
    let text = &rpc::result(&read)["contents"][0]["text"];
    assert_eq!(text, "/desk/a");
    let prompt = session.ask("prompts/get", json!({"name": "prompt"}));
    let text = &rpc::result(&prompt)["messages"][0]["content"]["text"];
    assert_eq!(text, "/desk/a");
    let complete = session.ask(
        "completion/complete",
        json!({
            "ref": {"type": "ref/prompt", "name": "prompt"},
            "argument": {"name": "what", "value": ""},
        }),
    );
    let values = &rpc::result(&complete)["completion"]["values"];
    assert_eq!(*values, json!(["/desk/a"]));
    let task = session.call("read_as_task", json!({"path": "/desk/a/one.txt"}));
    assert_eq!(rpc::tool_text(&task), "one");
}

#[test]
fn each_of_several_plugins_is_narrowed() {
    let folders = Folders::new();
    let shows = palisade_tests::guest("shows-roots");
    let named = |name: &str| {
        let mut argument = std::ffi::OsString::from(format!("{name}="));
        argument.push(&shows);
        argument
    };
    let command = Palisade::run(named("one"))
        .arg(named("two"))
        .arg(named("none"))
        .root("one/desk", folders.path("desk"), "ro")
        .root("two/other", folders.path("other"), "ro");
    let roots = folders.list(&["desk/a"]);
    let mut session = opened(&command, "2025-11-25", &roots);
    for (tool, expected) in [
        ("one__mounts", "/desk/a"),
        ("two__mounts", "none"),
        ("none__mounts", "none"),
    ] {
        let said = rpc::tool_text(&session.call(tool, json!({})));
        assert_eq!(said, expected, "{tool}");
    }
    let end = session.finish().success();
    assert!(end.stderr.contains("two: "), "{}", end.stderr);
}

#[test]
fn a_person_is_told_what_is_not_available_once_a_change() {
    let folders = Folders::new();
    let desk = folders.list(&["desk"]);
    let mut session = opened(&folders.command(), "2025-11-25", &desk);
    mounts(&mut session);
    change(&mut session, &desk);
    mounts(&mut session);
    change(&mut session, &folders.list(&["desk", "other"]));
    mounts(&mut session);
    change(&mut session, &desk);
    mounts(&mut session);
    let stderr = session.finish().success().stderr;
    let other = folders.path("other").display().to_string();
    let lines: Vec<_> = stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{stderr}");
    for line in lines {
        assert!(line.contains(&other), "{line}");
        assert!(line.contains("--client-roots ignore"), "{line}");
    }
}
