//! A component that is no plugin, or needs what the host does not have, does
//! not start; one sentence says why, another what to do.

use palisade_tests::{Palisade, guest};

fn refused(name: &str) -> String {
    let plugin = guest(name);
    let commands = [
        Palisade::run(&plugin),
        Palisade::inspect(&plugin),
        Palisade::call(&plugin, "knock", "{}"),
    ];
    let [first, others @ ..] = commands.map(|command| {
        let finished = command.output();
        assert_eq!(finished.code, Some(1), "{finished:?}");
        assert_eq!(finished.stdout, "");
        finished.stderr
    });
    for other in others {
        assert_eq!(other, first);
    }
    assert!(first.starts_with("palisade: "), "{first}");
    assert!(first.contains(&format!("{name}.wasm")), "{first}");
    assert!(first.lines().count() <= 2, "{first}");
    first
}

#[test]
fn nothing_is_exported() {
    let why = refused("no-tools");
    assert!(why.contains("exports nothing"), "{why}");
}

#[test]
fn the_list_is_empty() {
    let why = refused("empty-list");
    assert!(why.contains("tool list is empty"), "{why}");
}

#[test]
fn an_import_nobody_offers() {
    let why = refused("unknown-import");
    assert!(why.contains("needs evil:host/door@1.0.0"), "{why}");
    assert!(why.contains("offered: "), "{why}");
}

/// The package is one the host has, the interface is not in it.
#[test]
fn an_import_that_looks_like_one_of_the_hosts() {
    let why = refused("wrong-import");
    assert!(why.contains("needs palisade:mcp/powers@0.1.0"), "{why}");
    assert!(why.contains("does not offer"), "{why}");
}

/// The interface is one of the contract's, what is in it is not.
#[test]
fn an_export_that_only_has_the_name() {
    let why = refused("wrong-export");
    assert!(why.contains("palisade:mcp/tools@0.1.0#list-tools"), "{why}");
    assert!(why.contains("another type"), "{why}");
}

/// Nothing of it is read: it is too large to be one.
#[test]
fn what_is_larger_than_any_plugin() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.wasm");
    let file = std::fs::File::create(&path).unwrap();
    file.set_len((256 << 20) + 1).unwrap();
    let finished = Palisade::inspect(&path).output();
    assert_eq!(finished.code, Some(1), "{finished:?}");
    assert!(
        finished.stderr.contains("larger than the 256 MiB"),
        "{finished:?}"
    );
}
