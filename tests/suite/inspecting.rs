//! A person can look at a plugin before they grant it anything.

use std::fs;

use palisade_tests::{Palisade, guest, plugin};
use serde_json::{Value, json};

#[test]
fn it_says_what_a_plugin_offers_and_needs() {
    let done = Palisade::inspect(plugin("hello")).output().success();
    for word in [
        "hello",
        "mcp",
        "sha256:",
        "palisade:mcp/tools",
        "greet",
        "64 MiB",
        "30 s",
    ] {
        assert!(
            done.stdout.contains(word),
            "{word} is not mentioned:\n{}",
            done.stdout
        );
    }
    assert_eq!(done.stderr, "");
}

#[test]
fn it_marks_what_may_change_things() {
    let done = Palisade::inspect(plugin("filesystem")).output().success();
    let line = |tool: &str| {
        let found = done.stdout.lines().find(|line| line.contains(tool));
        found.unwrap_or_else(|| panic!("{tool} is not mentioned:\n{}", done.stdout))
    };
    for tool in ["write_file", "edit_file"] {
        assert!(line(tool).contains('⚠'), "{}", line(tool));
    }
    for tool in ["read_text_file", "list_directory ", "search_files"] {
        assert!(!line(tool).contains('⚠'), "{}", line(tool));
    }
}

#[test]
fn it_shows_everything_a_plugin_offers() {
    let inspect = || Palisade::inspect(guest("all-interfaces"));
    let text = inspect().output().success().stdout;
    for words in [
        "tools (6)",
        "resource templates (1)",
        "test://{name}",
        "prompts (1)",
        "who [how]",
        "Greets somebody",
    ] {
        assert!(text.contains(words), "{words} is not there:\n{text}");
    }
    let shown = inspect().arg("--json").output().success().json();
    let template = &shown["resource_templates"][0];
    assert_eq!(template["uriTemplate"], "test://{name}");
    assert_eq!(shown["prompts"][0]["arguments"][1]["name"], "how");
    assert_eq!(shown["prompts"][0]["arguments"][1]["required"], false);
    for offer in ["tools", "resources", "prompts", "completion", "lifecycle"] {
        assert_eq!(shown["offers"][offer], true, "{offer}");
    }
}

#[test]
fn it_shows_what_would_come_of_a_grant() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    let command = Palisade::inspect(plugin("filesystem")).root("notes", folder.path(), "ro");
    let text = command.clone().output().success().stdout;
    assert!(text.contains(&format!("{} ro", real.display())), "{text}");

    let shown = command.arg("--json").output().success().json();
    let rows = shown["permissions"].as_array().unwrap();
    let notes = rows.iter().find(|row| row["what"] == "folder notes");
    let notes = notes.unwrap_or_else(|| panic!("no row for it: {rows:?}"));
    assert_eq!(notes["effective"], json!(format!("{} ro", real.display())));
}

/// Not even what the plugin can't do without: that is what one looks for.
#[test]
fn nothing_needs_to_be_granted_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("notes.wasm");
    fs::copy(plugin("hello"), &copy).unwrap();
    let manifest = "[plugin]\nname = \"notes\"\n[[roots]]\nname = \"inbox\"\nrequired = true\n";
    fs::write(folder.path().join("palisade.toml"), manifest).unwrap();
    let done = Palisade::inspect(&copy).output();
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("inbox"), "{}", done.stdout);
}

#[test]
fn the_permission_hash_changes_with_the_permission_only() {
    let folder = tempfile::tempdir().unwrap();
    let hash = |command: Palisade| -> Value {
        let shown = command.arg("--json").output().success().json();
        assert!(shown["permission_hash"].is_string(), "{shown}");
        shown["permission_hash"].clone()
    };
    let inspect = || Palisade::inspect(plugin("filesystem"));
    let nothing = hash(inspect());
    assert_eq!(hash(inspect()), nothing);
    let read = hash(inspect().root("notes", folder.path(), "ro"));
    let write = hash(inspect().root("notes", folder.path(), "rw"));
    let named = hash(inspect().root("other", folder.path(), "ro"));
    let hashes = [&nothing, &read, &write, &named];
    for (place, hash) in hashes.iter().enumerate() {
        assert!(!hashes[..place].contains(hash), "{hashes:?}");
    }
}

/// It is only looked at: nothing of it may run on.
#[test]
fn a_plugin_whose_tools_would_never_end_can_be_looked_at() {
    let shown = Palisade::inspect(guest("loops-forever"))
        .arg("--json")
        .output();
    assert_eq!(shown.success().json()["kind"], "mcp");
}
