//! A plugin that is no good is left out of a server of several: the person and
//! the client are told, and nobody else notices.

use palisade_tests::stage::open;
use palisade_tests::{Palisade, plugin, rpc};
use serde_json::json;

use crate::guest_cases::Cases;
use crate::mistakes::{FAILED, Table, USAGE};

/// `palisade run hello.wasm BAD`; the client finds `hello` well, and is told
/// of `name` in words that are not the plugin's.
#[track_caller]
fn left_out(bad: &str, name: &str, says: &str) {
    let mut session =
        Palisade::run_several([plugin("hello").display().to_string(), bad.to_owned()]).start();
    let hello = session.initialize("2025-11-25");
    let instructions = hello["instructions"].as_str().unwrap();
    assert!(
        instructions.contains(&format!("{name} is left out")),
        "{instructions}"
    );
    assert!(!instructions.contains("no list today"), "{instructions}");
    let tools = session.ask("tools/list", json!({}));
    let tools = rpc::result(&tools)["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 1, "{tools:?}");
    let greeted = session.call("hello__greet", json!({"name": "Ada"}));
    assert_eq!(rpc::tool_text(&greeted), "Hello, Ada!");
    let finished = session.finish().success();
    let begins = format!("palisade: {name} is left out: ");
    let notes: Vec<_> = finished
        .stderr
        .lines()
        .filter(|line| line.starts_with(&begins))
        .collect();
    assert_eq!(notes.len(), 1, "{}", finished.stderr);
    assert!(notes[0].contains(says), "{}", notes[0]);
}

#[test]
fn whatever_is_wrong_with_its_list() {
    let cases = Cases::new("bad-listings", "listing-case");
    for (case, says) in [
        ("trap", "crashed"),
        ("thousands", "5000 tools"),
        ("error", "no list today"),
        ("loop", "limit of c"),
    ] {
        left_out(cases.plugin(case).to_str().unwrap(), case, says);
    }
}

#[test]
fn a_file_that_is_none_or_no_plugin() {
    left_out("missing.wasm", "missing", "there is no file");
    left_out("other=missing.wasm", "other", "there is no file");
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text.wasm");
    std::fs::write(&text, "no component").unwrap();
    left_out(text.to_str().unwrap(), "text", "text.wasm");
}

/// Nobody else may have its name: what is granted by it was meant for it.
#[test]
fn what_was_granted_to_it_goes_to_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let cases = Cases::new("bad-listings", "listing-case");
    let bad = cases.plugin("thousands").display().to_string();
    let good = plugin("hello").display().to_string();
    let impostor = Palisade::run_several([bad.clone(), format!("thousands={good}")]);
    let impostor = impostor.root("thousands/docs", folder.path(), "ro");
    let mut table = Table::default();
    let says = ["two plugins are called thousands"];
    table.row("its name", &impostor, USAGE, &says);
    // Beside others, a grant for it is no mistake.
    let command = Palisade::run_several([bad, good]).root("thousands/docs", folder.path(), "ro");
    open(&command).finish().success();
}

#[test]
fn with_none_left_nothing_is_served() {
    let cases = Cases::new("bad-listings", "listing-case");
    let command = Palisade::run_several([cases.plugin("trap"), cases.plugin("thousands")]);
    let finished = command.output();
    assert_eq!(finished.code, Some(FAILED), "{finished:?}");
    assert_eq!(finished.stdout, "");
    for says in [
        "trap is left out",
        "thousands is left out",
        "none of the plugins",
    ] {
        assert!(finished.stderr.contains(says), "{finished:?}");
    }
}
