//! Plugins in the configuration of real clients: the right file, one entry, and
//! everything else as it was.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use palisade_tests::{Finished, Palisade};
use serde_json::{Value, json};

use crate::client_stage::start;
use crate::install_stage::Desk;
use crate::mistakes::{FAILED, USAGE};

/// Each client, its file below the home directory on Linux, and its key.
const CLIENTS: [(&str, &str, &str); 6] = [
    (
        "claude-desktop",
        ".config/Claude/claude_desktop_config.json",
        "mcpServers",
    ),
    ("claude-code", ".claude.json", "mcpServers"),
    ("cursor", ".cursor/mcp.json", "mcpServers"),
    ("vscode", ".config/Code/User/mcp.json", "servers"),
    (
        "windsurf",
        ".codeium/windsurf/mcp_config.json",
        "mcpServers",
    ),
    ("zed", ".config/zed/settings.json", "context_servers"),
];

/// What another server's entry must not lose, and nobody be shown.
const TOKEN: &str = "ghp_somebody_elses";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.install(&desk.notes(), &[]).success();
    desk
}

fn add(desk: &Desk, client: &str, flags: &[&str]) -> Palisade {
    let flags = flags.iter().copied();
    desk.palisade(["client", "add", client, "notes"])
        .args(flags)
}

fn remove(desk: &Desk, client: &str) -> Finished {
    desk.palisade(["client", "remove", client, "notes"])
        .output()
}

fn put(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn json_of(file: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

fn backup(file: &Path) -> PathBuf {
    PathBuf::from(format!("{}.palisade-backup", file.display()))
}

/// As people have it: with comments, another server, and a comma too many.
fn lived_in(key: &str) -> String {
    format!(
        "// my settings\n{{\n    \"theme\": \"dark\", /* for the eyes */\n    \"{key}\": {{\n        \
         \"github\": {{\n            \"command\": \"npx\",\n            \
         \"env\": {{ \"TOKEN\": \"{TOKEN}\" }}, // do not share\n        }},\n    }},\n    \
         \"last\": [1, 2.50, 3]\n}}\n"
    )
}

#[test]
fn every_client_starts_what_is_written_for_it() {
    let desk = desk();
    for (client, file, key) in CLIENTS {
        let file = desk.home().join(file);
        for before in [None, Some(""), Some("{}\n")] {
            match before {
                None => assert!(!file.exists()),
                Some(text) => put(&file, text),
            }
            let said = add(&desk, client, &[]).output().success();
            assert!(
                said.stdout.contains(&file.display().to_string()),
                "{said:?}"
            );
            let entry = &json_of(&file)[key]["notes"];
            assert_eq!(entry["args"], json!(["run", "notes"]), "{client}");
            assert!(Path::new(entry["command"].as_str().unwrap()).is_absolute());
            if before.is_none() {
                assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
                let answers = start(entry, desk.home(), &[]).unwrap();
                assert_eq!(
                    answers[0]["result"]["serverInfo"]["name"], "notes",
                    "{client}"
                );
            }
            let typed = matches!(client, "claude-code" | "vscode");
            assert_eq!(entry["type"] == "stdio", typed, "{client}");

            let text = fs::read(&file).unwrap();
            let inode = fs::metadata(&file).unwrap().ino();
            let again = add(&desk, client, &[]).output().success();
            assert!(again.stdout.contains("already"), "{again:?}");
            assert_eq!(fs::read(&file).unwrap(), text, "{client}");
            assert_eq!(
                fs::metadata(&file).unwrap().ino(),
                inode,
                "it was written anew"
            );

            remove(&desk, client).success();
            assert_eq!(json_of(&file)[key], json!({}), "{client}");
            let gone = remove(&desk, client);
            assert_eq!(gone.code, Some(FAILED), "{gone:?}");
        }
    }
}

#[test]
fn what_stands_there_stays() {
    let desk = desk();
    for (client, file, key) in CLIENTS {
        let file = desk.home().join(file);
        let before = lived_in(key);
        put(&file, &before);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        let said = add(&desk, client, &[]).output().success();
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o640);
        let after = fs::read_to_string(&file).unwrap();
        let mut lines = after.lines();
        for line in before.lines() {
            assert!(
                lines.any(|now| now == line),
                "{line:?} is not in its place: {after}"
            );
        }
        assert!(after.contains("\"args\": [\"run\", \"notes\"]"), "{after}");
        let kept = backup(&file);
        assert_eq!(fs::read_to_string(&kept).unwrap(), before);
        assert_eq!(fs::metadata(&kept).unwrap().mode() & 0o777, 0o600);

        let listed = desk.palisade(["client", "list"]).output().success();
        let removed = remove(&desk, client).success();
        for said in [said, listed, removed] {
            let text = format!("{}{}", said.stdout, said.stderr);
            assert!(!text.contains(TOKEN) && !text.contains("npx"), "{text}");
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), before, "{client}");
        // The first one is what cannot be had again.
        put(&file, "{}");
        add(&desk, client, &[]).output().success();
        assert_eq!(fs::read_to_string(&kept).unwrap(), before);
    }
}

#[test]
fn what_can_not_be_read_is_left_alone() {
    let desk = desk();
    let too_large = format!("{{}}{}", " ".repeat(17 << 20));
    for (client, file, key) in CLIENTS {
        let file = desk.home().join(file);
        let twice = format!("{{\"{key}\": {{}}, \"{key}\": {{}}}}");
        for (text, says) in [
            ("{\n  \"a\": tru\n}", "line 2, column 8"),
            ("{\n  \"a\": \"ghp_somebody_elses", "line 2"),
            ("[]", "not an object"),
            (&format!("{{\"{key}\": []}}"), key),
            (&twice, "twice"),
            (&too_large, "larger than 16 MiB"),
        ] {
            put(&file, text);
            let refused = add(&desk, client, &[]).output();
            assert_eq!(refused.code, Some(FAILED), "{refused:?}");
            assert!(refused.stderr.contains(says), "{says}: {refused:?}");
            assert!(refused.stderr.contains("left as it is"), "{refused:?}");
            assert!(!refused.stderr.contains(TOKEN), "{refused:?}");
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
            assert!(!backup(&file).exists());
            assert_eq!(remove(&desk, client).code, Some(FAILED));
        }
        let listed = desk
            .palisade(["client", "list", "--json"])
            .output()
            .success();
        let all = listed.json();
        let row = all
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["client"] == client);
        let problem = row.unwrap()["problem"].as_str().unwrap();
        assert!(problem.contains("larger"), "{problem}");
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert_eq!(add(&desk, client, &[]).output().code, Some(FAILED));
    }
}

#[test]
fn a_link_is_written_through() {
    let desk = desk();
    let dotfiles = desk.home().join("dotfiles");
    for (client, file, key) in CLIENTS {
        let file = desk.home().join(file);
        let target = dotfiles.join(client).join("config.json");
        put(&target, &lived_in(key));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        symlink(&target, &file).unwrap();
        add(&desk, client, &[]).output().success();
        assert!(file.is_symlink(), "{client}");
        assert!(fs::read_to_string(&target).unwrap().contains("\"notes\""));
        assert_eq!(fs::read_to_string(backup(&file)).unwrap(), lived_in(key));
        let beside: Vec<_> = fs::read_dir(target.parent().unwrap()).unwrap().collect();
        assert_eq!(beside.len(), 1, "{client}: {beside:?}");

        fs::remove_file(&target).unwrap();
        let refused = add(&desk, client, &[]).output();
        assert_eq!(refused.code, Some(FAILED), "{refused:?}");
        assert!(refused.stderr.contains("a link to nothing"), "{refused:?}");
        assert!(!target.exists());
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn what_can_not_be_written_stays_whole() {
    let desk = desk();
    for (client, file, key) in CLIENTS {
        let file = desk.home().join("closed").join(client).join(file);
        let folder = file.parent().unwrap();
        put(&file, &lived_in(key));
        fs::set_permissions(folder, fs::Permissions::from_mode(0o555)).unwrap();
        let flag = file.display().to_string();
        let mut command = add(&desk, client, &["--file", &flag]);
        if is_root() {
            // To whom modes mean nothing otherwise.
            command = command.under("setpriv", &["--bounding-set=-dac_override"]);
        }
        let refused = command.output();
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(refused.code, Some(FAILED), "{refused:?}");
        assert!(refused.stderr.contains("can't be written"), "{refused:?}");
        assert_eq!(fs::read_to_string(&file).unwrap(), lived_in(key));
        assert_eq!(fs::read_dir(folder).unwrap().count(), 1, "{client}");
    }
}

#[test]
fn somebody_elses_file_is_not_touched() {
    let desk = desk();
    let file = desk.home().join(".cursor/mcp.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let theirs = if is_root() {
        let theirs = desk.home().join("theirs.json");
        fs::write(&theirs, "{}").unwrap();
        std::os::unix::fs::chown(&theirs, Some(65534), None).unwrap();
        theirs
    } else {
        PathBuf::from("/etc/hosts")
    };
    let before = fs::read(&theirs).unwrap();
    symlink(&theirs, &file).unwrap();
    let refused = add(&desk, "cursor", &[]).output();
    assert_eq!(refused.code, Some(FAILED), "{refused:?}");
    assert!(
        refused.stderr.contains("belongs to another user"),
        "{refused:?}"
    );
    assert_eq!(fs::read(&theirs).unwrap(), before);
    assert!(!backup(&file).exists());
}

/// Every file below a folder, with what it says.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.append(&mut tree(&path)),
            false => drop(all.insert(path.clone(), fs::read(&path).unwrap())),
        }
    }
    all
}

#[test]
fn printing_touches_nothing() {
    let desk = desk();
    let before = tree(desk.home());
    for (client, file, key) in CLIENTS {
        let printed = add(&desk, client, &["--print"]).output().success().json();
        assert_eq!(tree(desk.home()), before, "{client}");
        let file = desk.home().join("elsewhere").join(file);
        let flag = file.display().to_string();
        add(&desk, client, &["--file", &flag]).output().success();
        assert_eq!(json_of(&file), printed, "{client}");
        assert_eq!(printed[key]["notes"]["args"], json!(["run", "notes"]));
        fs::remove_dir_all(desk.home().join("elsewhere")).unwrap();
    }
}

#[test]
fn another_server_of_that_name_is_replaced_only_if_that_is_said() {
    let desk = desk();
    let file = desk.home().join(".cursor/mcp.json");
    let theirs = json!({ "mcpServers": { "notes": { "command": "npx", "env": { "T": TOKEN } } } });
    put(&file, &theirs.to_string());
    let refused = add(&desk, "cursor", &[]).output();
    assert_eq!(refused.code, Some(FAILED), "{refused:?}");
    assert!(refused.stderr.contains("--replace"), "{refused:?}");
    assert!(!refused.stderr.contains(TOKEN), "{refused:?}");
    assert_eq!(remove(&desk, "cursor").code, Some(FAILED));
    assert_eq!(json_of(&file), theirs);
    add(&desk, "cursor", &["--replace"]).output().success();
    assert_eq!(
        json_of(&file)["mcpServers"]["notes"]["args"],
        json!(["run", "notes"])
    );
    let listed = desk
        .palisade(["client", "list", "--json"])
        .output()
        .success()
        .json();
    assert_eq!(listed.as_array().unwrap().len(), CLIENTS.len());
    let rows = listed.as_array().unwrap();
    let row = rows.iter().find(|row| row["client"] == "cursor").unwrap();
    assert_eq!(
        row["plugins"],
        json!([{ "entry": "notes", "plugin": "notes" }])
    );
    assert_eq!(row["others"], 0);
}

#[test]
fn a_projects_file_names_no_place_of_this_machine() {
    let desk = desk();
    let project = tempfile::tempdir().unwrap();
    for (client, file, key) in [
        ("claude-code", ".mcp.json", "mcpServers"),
        ("cursor", ".cursor/mcp.json", "mcpServers"),
        ("vscode", ".vscode/mcp.json", "servers"),
    ] {
        let command = add(&desk, client, &["--scope", "project"]);
        command.in_folder(project.path()).output().success();
        let entry = &json_of(&project.path().join(file))[key]["notes"];
        assert_eq!(entry["command"], "palisade", "{client}");
        start(entry, desk.home(), &[]).unwrap();
    }
    let refused = add(&desk, "windsurf", &["--scope", "project"]).output();
    assert_eq!(refused.code, Some(USAGE), "{refused:?}");
}

#[test]
fn a_client_starts_it_from_where_a_variable_says_it_is() {
    let desk = desk();
    let data = desk.home().join("data");
    fs::rename(desk.home().join(".local/share"), &data).unwrap();
    let command = add(&desk, "cursor", &[]).env("XDG_DATA_HOME", &data);
    command.output().success();
    let entry = &json_of(&desk.home().join(".cursor/mcp.json"))["mcpServers"]["notes"];
    // It has no such variable but by its entry.
    let answers = start(entry, desk.home(), &[]).unwrap();
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "notes");
}

#[test]
fn only_what_is_installed_is_added() {
    let desk = Desk::new();
    let refused = add(&desk, "cursor", &["--print"]).output();
    assert_eq!(refused.code, Some(FAILED), "{refused:?}");
    assert!(refused.stderr.contains("palisade install"), "{refused:?}");
    let unknown = add(&desk, "emacs", &[]).output();
    assert_eq!(unknown.code, Some(USAGE), "{unknown:?}");
    assert!(unknown.stderr.contains("claude-desktop"), "{unknown:?}");
}

/// `palisade remove` takes Palisade's own entries for that plugin, and no other.
#[test]
fn what_is_removed_is_started_by_no_client() {
    let desk = desk();
    for (client, file, key) in CLIENTS {
        put(&desk.home().join(file), &lived_in(key));
        add(&desk, client, &[]).output().success();
    }
    let kept = desk.home().join(".cursor/mcp.json");
    let beside = |name: &str| json!({"command": "/usr/bin/palisade", "args": ["run", name]});
    let mut cursor = json!({"mcpServers": {"notes": beside("notes")}});
    cursor["mcpServers"]["other"] = beside("other");
    cursor["mcpServers"]["mine"] = beside("notes");
    put(&kept, &cursor.to_string());
    let removed = desk.palisade(["remove", "notes"]).output().success();
    for (_, file, key) in CLIENTS {
        let file = desk.home().join(file);
        assert!(
            removed.stdout.contains(&format!("{}", file.display())),
            "{removed:?}"
        );
        if file != kept {
            assert!(backup(&file).exists(), "{file:?}");
            let text = fs::read_to_string(&file).unwrap();
            assert!(!text.contains("\"notes\""), "{text}");
            assert!(text.contains(TOKEN) && text.contains(key), "{text}");
        }
    }
    // Under another name a person has put it there.
    let left = &json_of(&kept)["mcpServers"];
    assert!(left["notes"].is_null(), "{left}");
    assert_eq!(left["mine"], beside("notes"));
    assert_eq!(left["other"], beside("other"));
    assert!(removed.stderr.contains("as \"mine\""), "{removed:?}");
}

#[test]
fn entries_stay_if_that_is_said() {
    let desk = desk();
    add(&desk, "zed", &[]).output().success();
    let file = desk.home().join(".config/zed/settings.json");
    let before = fs::read(&file).unwrap();
    desk.palisade(["remove", "notes", "--keep-clients"])
        .output()
        .success();
    assert_eq!(fs::read(&file).unwrap(), before);
    let absent = add(&desk, "zed", &[]).output();
    assert_eq!(absent.code, Some(FAILED), "{absent:?}");
    assert!(absent.stderr.contains("no plugin \"notes\""), "{absent:?}");
}
