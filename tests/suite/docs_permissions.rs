//! What stands in the permission reference is read by the program that people run.

use std::fs;
use std::path::Path;

use palisade_tests::{Palisade, guest};

/// The TOML on the page: all of a manifest, and all of a grant.
fn blocks() -> [String; 2] {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/permissions.md");
    let page = fs::read_to_string(page).unwrap();
    let blocks = page.split("```toml\n").skip(1);
    let blocks = blocks.map(|rest| rest.split("```").next().unwrap().to_owned());
    blocks.collect::<Vec<_>>().try_into().unwrap()
}

#[test]
fn every_key_on_the_page_is_understood() {
    let [manifest, grant] = blocks();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::copy(guest("escapes"), path("plugin.wasm")).unwrap();
    fs::create_dir(path("notes")).unwrap();
    fs::write(path("palisade.toml"), manifest).unwrap();
    fs::write(path("grant.toml"), &grant).unwrap();
    let inspect = || {
        let inspect = Palisade::new(["inspect"]).arg(path("plugin.wasm"));
        let inspect = inspect.arg("--grant").arg(path("grant.toml")).arg("--json");
        inspect.env("HOME", folder.path()).output()
    };
    let shown = inspect().success().json();
    let rows = shown["permissions"].to_string();
    for says in ["notes", "https://api.example.com", "LANG", "EXAMPLE_TOKEN"] {
        assert!(rows.contains(says), "{says}: {shown}");
    }
    // And what is not on it is not.
    fs::write(path("grant.toml"), grant.replace("memory", "memry")).unwrap();
    let refused = inspect();
    assert!(
        refused.stderr.contains("did you mean `memory`?"),
        "{refused:?}"
    );
}
