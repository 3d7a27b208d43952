//! A bundle for clients that install with one click: by its specification, with
//! nothing of its maker's in it, and it runs.

use std::fs;
use std::path::Path;

use palisade_tests::guest;
use serde_json::{Map, Value, json};

use crate::client_stage::start;
use crate::install_stage::Desk;
use crate::mistakes::USAGE;

const MANIFEST: &str = "[plugin]\nname = \"notes\"\nversion = \"1.2.0\"\n\
    description = \"A folder of notes\"\n\
    [[roots]]\nname = \"notes\"\naccess = \"read-write\"\n\
    [[roots]]\nname = \"other\"\n\
    [[network]]\nto = \"https://api.test\"\n\
    [env]\nLANG = {}\n\
    [[secrets]]\nname = \"TOKEN\"\n\
    inject = { to = \"https://api.test\", header = \"authorization\", format = \"Bearer {}\" }\n";

/// A home in which the plugin has a read-only folder, a place in the network and a
/// variable.
fn desk() -> Desk {
    let desk = Desk::new();
    let file = desk.source(&guest("escapes"), MANIFEST);
    desk.install(&file, &[]).success();
    let root = format!("notes={}:ro", desk.folder().display());
    let flags = [
        "grant",
        "notes",
        "--root",
        &root,
        "--allow",
        "GET https://api.test/v1/**",
        "--env",
        "LANG=my-own-tongue",
        "--tool",
        "read=allow",
        "--tool",
        "env=allow",
        "--tool",
        "write=allow",
    ];
    desk.palisade(flags).output().success();
    desk
}

fn export(desk: &Desk, to: &Path) {
    let command = desk.palisade(["export", "notes", "--mcpb", "-o"]).arg(to);
    command.output().success();
}

/// What a client does with a bundle: its files in a folder, and its manifest.
fn unpack(bundle: &Path, folder: &Path) -> Value {
    let mut archive = zip::ZipArchive::new(fs::File::open(bundle).unwrap()).unwrap();
    archive.extract(folder).unwrap();
    let text = fs::read_to_string(folder.join("manifest.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// What a client makes of `mcp_config` when a person has filled in these.
fn filled_in(manifest: &Value, folder: &Path, values: &Value) -> Value {
    let mut text = manifest["server"]["mcp_config"].to_string();
    text = text.replace("${__dirname}", folder.to_str().unwrap());
    for (key, value) in values.as_object().unwrap() {
        text = text.replace(&format!("${{user_config.{key}}}"), value.as_str().unwrap());
    }
    assert!(!text.contains("${"), "something was not asked for: {text}");
    serde_json::from_str(&text).unwrap()
}

/// The keys that an object has, none of which the schema does not know.
fn only(value: &Value, required: &[&str], optional: &[&str]) -> Map<String, Value> {
    let object = value.as_object().unwrap().clone();
    for key in required {
        assert!(object.contains_key(*key), "{key}: {value}");
    }
    for key in object.keys() {
        let known = required.contains(&key.as_str()) || optional.contains(&key.as_str());
        assert!(known, "{key} is unknown to the schema: {value}");
    }
    object
}

/// The rules of MANIFEST.md 0.3, whose schema takes no other keys.
fn check_rules(manifest: &Value, folder: &Path) {
    only(
        manifest,
        &[
            "manifest_version",
            "name",
            "version",
            "description",
            "author",
            "server",
        ],
        &[
            "long_description",
            "tools",
            "prompts_generated",
            "compatibility",
            "user_config",
        ],
    );
    assert_eq!(manifest["manifest_version"], "0.3");
    only(&manifest["author"], &["name"], &[]);
    let server = &manifest["server"];
    only(server, &["type", "entry_point", "mcp_config"], &[]);
    assert_eq!(server["type"], "binary");
    assert!(
        folder
            .join(server["entry_point"].as_str().unwrap())
            .is_file()
    );
    only(&server["mcp_config"], &["command"], &["args", "env"]);
    only(&manifest["compatibility"], &[], &["platforms"]);
    for tool in manifest["tools"].as_array().unwrap() {
        only(tool, &["name"], &["description"]);
    }
    for option in manifest["user_config"].as_object().unwrap().values() {
        only(
            option,
            &["type", "title", "description"],
            &["required", "sensitive"],
        );
        assert!(["string", "directory", "file"].contains(&option["type"].as_str().unwrap()));
    }
}

#[test]
fn a_bundle_installs_and_runs_in_another_home() {
    let desk = desk();
    let there = tempfile::tempdir().unwrap();
    let bundle = there.path().join("notes.mcpb");
    export(&desk, &bundle);
    let folder = there.path().join("extension");
    let manifest = unpack(&bundle, &folder);
    check_rules(&manifest, &folder);
    assert_eq!(manifest["version"], "1.2.0");
    let fields = manifest["user_config"].as_object().unwrap();
    let keys: Vec<_> = fields.keys().map(String::as_str).collect();
    // What is not granted here is not asked for there, unless it can't do without.
    assert_eq!(keys, ["folder_notes", "secret_TOKEN", "variable_LANG"]);
    assert_eq!(fields["folder_notes"]["type"], "directory");
    assert_eq!(fields["secret_TOKEN"]["sensitive"], true);
    let told = manifest["long_description"].as_str().unwrap();
    assert!(
        told.contains("talk to api.test over https, GET only"),
        "{told}"
    );

    let theirs = tempfile::tempdir().unwrap();
    fs::write(theirs.path().join("a.txt"), "their a").unwrap();
    let values = json!({
        "folder_notes": theirs.path(),
        "secret_TOKEN": "hunter2-and-more",
        "variable_LANG": "theirs",
    });
    let entry = filled_in(&manifest, &folder, &values);
    assert_eq!(entry["command"], "palisade");
    assert!(!entry["args"].to_string().contains("hunter2"), "{entry}");
    let home = tempfile::tempdir().unwrap();
    let write = json!({ "path": "/notes/a.txt", "text": "changed" });
    let calls = [
        ("read", json!({ "path": "/notes/a.txt" })),
        ("env", json!({})),
        ("write", write),
    ];
    let answers = start(&entry, home.path(), &calls).unwrap();
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "notes");
    assert!(answers[1].to_string().contains("their a"), "{}", answers[1]);
    assert!(
        answers[2].to_string().contains("LANG=theirs"),
        "{}",
        answers[2]
    );
    assert!(
        !answers[2].to_string().contains("hunter2"),
        "{}",
        answers[2]
    );
    // Read-only, as it is granted here.
    let text = fs::read_to_string(theirs.path().join("a.txt")).unwrap();
    assert_eq!(text, "their a");

    let mut without = entry.clone();
    without["env"] = json!({});
    assert_eq!(start(&without, home.path(), &[]), None);
}

#[test]
fn the_tools_are_those_that_were_agreed_to() {
    let desk = desk();
    let there = tempfile::tempdir().unwrap();
    let bundle = there.path().join("notes.mcpb");
    export(&desk, &bundle);
    let manifest = unpack(&bundle, &there.path().join("extension"));
    let tools = manifest["tools"].as_array().unwrap().iter();
    let named: Vec<_> = tools.map(|tool| tool["name"].clone()).collect();
    let listed = desk.palisade(["list", "--json"]).output().success().json();
    assert_eq!(json!(named), listed[0]["tools"]);
}

#[test]
fn nothing_of_its_makers_is_in_it_and_it_is_the_same_each_time() {
    let desk = desk();
    let there = tempfile::tempdir().unwrap();
    let (one, two) = (there.path().join("1"), there.path().join("2"));
    let grant = fs::read_to_string(desk.grant_file()).unwrap();
    fs::write(desk.grant_file(), format!("# my-diary\n{grant}")).unwrap();
    export(&desk, &one);
    export(&desk, &two);
    assert_eq!(fs::read(&one).unwrap(), fs::read(&two).unwrap());
    let folder = there.path().join("extension");
    unpack(&one, &folder);
    for file in fs::read_dir(&folder).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        for own in ["my-diary", "my-own-tongue", desk.home().to_str().unwrap()] {
            assert!(!text.contains(own), "{own}");
        }
        assert!(!text.contains(desk.folder().to_str().unwrap()));
    }
}

#[test]
fn what_it_is_to_be_has_to_be_said() {
    let desk = desk();
    let wrong = desk.palisade(["export", "notes"]).output();
    assert_eq!(wrong.code, Some(USAGE), "{wrong:?}");
    assert!(wrong.stderr.contains("--mcpb"), "{wrong:?}");
}
