//! A grant file that grants what is not there, or rules what there is not, is
//! refused with its line.

use std::fs;
use std::path::Path;

use palisade_tests::{Palisade, guest, plugin};
use tempfile::TempDir;

use crate::mistakes::{FAILED, Table, file_of};

fn granted(folder: &TempDir, text: &str) -> Palisade {
    let grant = file_of(folder, "grant.toml", text.as_bytes());
    Palisade::run(guest("escapes")).grant(grant)
}

#[test]
fn a_path_that_can_not_be_granted() {
    let folder = tempfile::tempdir().unwrap();
    file_of(&folder, "todo.txt", b"x");
    fs::create_dir(folder.path().join("notes")).unwrap();
    let mut table = Table::default();
    let rows: [(&str, &str, &[&str]); 5] = [
        (
            "path = \"missing\"",
            "missing",
            &["line 4", "does not exist", "correct `path` of `notes`"],
        ),
        (
            "file = \"missing.txt\"",
            "missing.txt",
            &["line 4", "does not exist", "correct `file` of `notes`"],
        ),
        (
            "path = \"todo.txt\"",
            "todo.txt",
            &[
                "line 4",
                "not a directory",
                "write `file` instead of `path`",
            ],
        ),
        (
            "file = \"notes\"",
            "notes",
            &[
                "line 4",
                "not a regular file",
                "write `path` instead of `file`",
            ],
        ),
        (
            "path = \"todo.txt/below\"",
            "below",
            &["line 4", "can't be granted", "correct `path`"],
        ),
    ];
    for (key, path, says) in rows {
        let text =
            format!("# a grant\n[[roots]]\nname = \"notes\"\n{key}\naccess = \"read-only\"\n");
        let command = granted(&folder, &text);
        let full = folder.path().join(path);
        let mut says = says.to_vec();
        says.extend([
            "grant.toml",
            Path::new(path).file_name().unwrap().to_str().unwrap(),
        ]);
        assert!(full.starts_with(folder.path()));
        table.row(key, &command, FAILED, &says);
    }
}

#[test]
fn a_pattern_that_can_not_be_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut table = Table::default();
    for (pattern, says) in [
        ("a//b", "write `a/b`"),
        ("build/", "write `build`"),
        ("*.{pem,key}", "one pattern for each"),
        ("[ab", "`[` without `]`"),
    ] {
        let text = format!(
            "[[roots]]\nname = \"notes\"\npath = \".\"\nhide = [\n  \"**/.env\",\n  \"{pattern}\",\n]\n"
        );
        let says = ["grant.toml", "line 6", "`hide`", says];
        table.row(pattern, &granted(&folder, &text), FAILED, &says);
    }
}

/// A misspelt `deny` would deny nothing.
#[test]
fn a_rule_about_no_tool() {
    let folder = tempfile::tempdir().unwrap();
    let mut table = Table::default();
    let rows: [(&str, &[&str]); 4] = [
        (
            "delte = \"deny\"",
            &["`delte`", "line 3", "did you mean `delete`?"],
        ),
        (
            "\"trunk*\" = \"deny\"",
            &["`trunk*`", "line 3", "`truncate`"],
        ),
        (
            "\"zzz_*\" = \"ask\"",
            &["`zzz_*`", "line 3", "its tools: read, write"],
        ),
        (
            "Read = \"allow\"",
            &["`Read`", "line 3", "did you mean `read`?"],
        ),
    ];
    for (rule, says) in rows {
        let text = format!("[tools]\nread = \"allow\"\n{rule}\n");
        let mut says = says.to_vec();
        says.push("grant.toml");
        table.row(rule, &granted(&folder, &text), FAILED, &says);
    }
    // Looking is allowed, and says so.
    let grant = file_of(&folder, "grant.toml", b"[tools]\ndelte = \"deny\"\n");
    let inspected = Palisade::inspect(guest("escapes")).grant(&grant).output();
    assert_eq!(inspected.code, Some(0), "{inspected:?}");
    assert!(inspected.stdout.contains("It can't start"), "{inspected:?}");
    assert!(inspected.stdout.contains("`delte`"), "{inspected:?}");
    // What is said of all tools is true of none as well.
    let grant = file_of(&folder, "grant.toml", b"[tools]\n\"*\" = \"ask\"\n");
    let finished = Palisade::run(guest("no-tools")).grant(&grant).output();
    assert!(!finished.stderr.contains("[tools]"), "{finished:?}");
    let grant = file_of(&folder, "grant.toml", b"[tools]\nread = \"ask\"\n");
    let finished = Palisade::run(plugin("hello")).grant(grant).output();
    assert_eq!(finished.code, Some(FAILED), "{finished:?}");
}

/// Each directory is shown by its own patterns: who grants one twice should know.
#[test]
fn what_one_hides_and_another_shows() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("outer/inner")).unwrap();
    let outer = |hide: &str| format!("[[roots]]\nname = \"o\"\npath = \"outer\"\nhide = {hide}\n");
    let inner =
        |hide: &str| format!("[[roots]]\nname = \"i\"\npath = \"outer/inner\"\nhide = {hide}\n");
    let everywhere = r#"["**/.env"]"#;
    for (first, second, warned) in [
        (outer(everywhere), inner("[]"), &["i of"][..]),
        (outer("[]"), inner(r#"["x"]"#), &["o of"]),
        (outer(r#"["x"]"#), inner(r#"["x"]"#), &["o of", "i of"]),
        (outer(everywhere), inner(everywhere), &[]),
        (outer("[]"), inner("[]"), &[]),
    ] {
        let done = granted(&folder, &format!("{first}{second}")).output();
        assert_eq!(done.code, Some(0), "{done:?}");
        for of in ["o of", "i of"] {
            let told = done
                .stderr
                .contains(&format!("{of} escapes shows what `hide`"));
            assert_eq!(told, warned.contains(&of), "{of}: {done:?}");
        }
    }
}
