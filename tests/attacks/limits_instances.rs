//! What an instance is made of is limited as well: memories, tables, their
//! elements and core instances. And what there is of all that is shared.

use std::fs;
use std::path::{Path, PathBuf};

use palisade_tests::component::{A_MEMORY, GROWS_A_TABLE, NOTHING, with_instances};
use palisade_tests::stage::{done, open};
use palisade_tests::{Palisade, guest, plugin, rpc};
use serde_json::json;
use tempfile::TempDir;

/// `mallory` with more in it, as a file of its own.
fn with(folder: &TempDir, name: &str, module: &[u8], count: u32) -> PathBuf {
    let component = fs::read(guest("mallory")).unwrap();
    let path = folder.path().join(format!("{name}.wasm"));
    fs::write(&path, with_instances(&component, module, count)).unwrap();
    path
}

/// The sentence with which it is not loaded.
#[track_caller]
fn refused(plugin: &Path) -> String {
    let finished = Palisade::inspect(plugin).output();
    assert_eq!(finished.code, Some(1), "{finished:?}");
    let told = finished.stderr.lines().next().unwrap_or_default();
    assert!(told.starts_with("palisade: "), "{finished:?}");
    told.to_owned()
}

#[test]
fn table_elements_are_limited_where_a_table_grows() {
    let folder = tempfile::tempdir().unwrap();
    let told = refused(&with(&folder, "grows", GROWS_A_TABLE, 1));
    assert!(told.contains("limit of table elements (100000)"), "{told}");
}

#[test]
fn more_than_an_instance_may_have_is_refused_when_it_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    for (name, module, count, limit) in [
        ("memories", A_MEMORY, 9, "8"),
        ("instances", NOTHING, 65, "64"),
    ] {
        let told = refused(&with(&folder, name, module, count));
        assert!(told.contains(name), "{told}");
        assert!(told.contains(&format!("maximum of {limit}")), "{told}");
    }
}

/// Instances with many memories take the room of as many: their plugin runs
/// fewer at once, and nobody else has less.
#[test]
fn large_instances_leave_other_plugins_their_room() {
    let folder = tempfile::tempdir().unwrap();
    let large = with(&folder, "large", A_MEMORY, 7);
    let names = ["a", "b", "c", "d"];
    let mut command = Palisade::run(plugin("hello"));
    for name in names {
        command = command.arg(format!("{name}={}", large.display()));
    }
    let mut session = open(&command);
    let mut naps = Vec::new();
    for name in names {
        for _ in 0..16 {
            let nap = rpc::tool(&format!("{name}__sleep"), json!({"ms": 500}));
            naps.push(session.request("tools/call", nap));
        }
    }
    let greets: Vec<_> = (0..16)
        .map(|_| {
            let greet = rpc::tool("hello__greet", json!({"name": "Ada"}));
            session.request("tools/call", greet)
        })
        .collect();
    for id in greets {
        let answer = session.answer(id);
        assert_eq!(rpc::tool_text(rpc::result(&answer)), "Hello, Ada!");
    }
    let mut slept = 0;
    for id in naps {
        let answer = session.answer(id);
        let result = rpc::result(&answer);
        if result["isError"] == true {
            // More than run and wait: never that there was no room.
            let why = rpc::tool_error(result);
            assert!(why.contains("busy: 4 calls are running"), "{why}");
        } else {
            slept += 1;
        }
    }
    assert!(slept >= names.len() * 8, "only {slept} slept");
    assert_eq!(done(&mut session, "a__echo", json!({"text": "a"})), "a");
}
