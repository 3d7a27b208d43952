use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::Granted;
use crate::error::Failure;
use crate::list::{self, Order};
use crate::walk::Walk;
use crate::{answer, info, tree};

fn names(granted: &Granted, path: &str) -> Result<String, Failure> {
    list::names(&granted.roots, path, &mut Walk::new(&mut |_| true))
}

fn sizes(granted: &Granted, path: &str, order: Order) -> String {
    list::sizes(&granted.roots, path, order, &mut Walk::new(&mut |_| true)).unwrap()
}

fn tree(granted: &Granted, path: &str, exclude: &[&str]) -> Value {
    let exclude: Vec<_> = exclude.iter().map(|&pattern| pattern.to_owned()).collect();
    let tree = tree::tree(
        &granted.roots,
        path,
        &exclude,
        &mut Walk::new(&mut |_| true),
    )
    .unwrap();
    assert_eq!(tree.note, None);
    serde_json::from_str(&tree.json).unwrap()
}

#[test]
fn a_listing_tells_files_from_directories() {
    let granted = Granted::holding(&[("b.txt", ""), ("a/x", ""), (".hidden", ""), ("B", "")]);
    symlink("a", granted.at("link")).unwrap();
    std::fs::create_dir(granted.at("empty")).unwrap();
    assert_eq!(
        names(&granted, "").unwrap(),
        "[FILE] .hidden\n[FILE] B\n[DIR] a\n[FILE] b.txt\n[DIR] empty\n[FILE] link"
    );
    assert_eq!(names(&granted, "empty").unwrap(), "");
    let told = names(&granted, "b.txt").unwrap_err().to_string();
    assert_eq!(
        told,
        format!(
            "ENOTDIR: not a directory, scandir '{}'",
            granted.path("b.txt")
        )
    );
}

#[test]
fn sizes_stand_in_columns_with_a_sum() {
    let granted = Granted::holding(&[("b.txt", "12345"), ("Äpfel", "1"), ("d/x", "")]);
    granted.put("a-rather-long-name-that-fills-its-column", vec![0; 2048]);
    let expected = "\
[FILE] a-rather-long-name-that-fills-its-column    2.00 KB
[FILE] Äpfel                                 1 B
[FILE] b.txt                                 5 B
[DIR] d                              \n
Total: 3 files, 1 directories
Combined size: 2.01 KB";
    assert_eq!(sizes(&granted, "", Order::Name), expected);
    let by_size = sizes(&granted, "", Order::Size);
    let position = |name| by_size.find(name).unwrap();
    assert!(position("a-rather") < position("b.txt") && position("b.txt") < position("Äpfel"));
    assert_eq!(
        sizes(&granted, "d", Order::Name),
        "[FILE] x                                     0 B\n\nTotal: 1 files, 0 directories\nCombined size: 0 B"
    );
}

#[test]
fn a_tree_has_children_in_directories_only() {
    let granted = Granted::holding(&[("a/b/c.txt", ""), ("z", "")]);
    std::fs::create_dir(granted.at("e")).unwrap();
    assert_eq!(
        tree(&granted, "", &[]),
        json!([
            {"name": "a", "type": "directory", "children": [
                {"name": "b", "type": "directory", "children": [{"name": "c.txt", "type": "file"}]}
            ]},
            {"name": "e", "type": "directory", "children": []},
            {"name": "z", "type": "file"},
        ])
    );
}

#[test]
fn a_tree_leaves_out_what_is_excluded() {
    let granted = Granted::holding(&[
        ("node_modules/m", ""),
        ("a/node_modules/n", ""),
        ("a/b.log", ""),
        ("c.log", ""),
    ]);
    let a = |children: Value| json!({"name": "a", "type": "directory", "children": children});
    assert_eq!(
        tree(&granted, "", &["node_modules", "*.log"]),
        json!([a(json!([{"name": "b.log", "type": "file"}]))])
    );
    assert_eq!(
        tree(&granted, "", &["node_modules", "**/*.log"]),
        json!([a(json!([]))])
    );
    assert_eq!(tree(&granted, "a", &["b.log"]).as_array().unwrap().len(), 1);
}

#[test]
fn a_tree_too_large_says_so_and_stays_json() {
    let granted = Granted::new();
    for number in 0..40 {
        granted.put(&format!("d/e{}/f{number}", number % 4), "");
    }
    let cut = tree::tree(
        &granted.roots,
        "",
        &[],
        &mut Walk::new(&mut |_| true).at_most(15),
    )
    .unwrap();
    assert!(cut.note.unwrap().contains("after 15 entries"));
    assert!(cut.json.contains("\"truncated\": true"));
    assert!(serde_json::from_str::<Value>(&cut.json).is_ok());

    let deep = "d/".repeat(100);
    let granted = Granted::holding(&[(&format!("{deep}f"), "")]);
    let cut = tree::tree(&granted.roots, "", &[], &mut Walk::new(&mut |_| true)).unwrap();
    assert!(cut.note.is_some() && answer::fits(&cut.json));
    assert!(serde_json::from_str::<Value>(&cut.json).is_ok());
}

#[test]
fn a_directory_too_large_is_cut_with_a_note() {
    let granted = Granted::new();
    for number in 0..20 {
        granted.put(&format!("{number}"), "");
    }
    let cut = list::names(
        &granted.roots,
        "",
        &mut Walk::new(&mut |_| true).at_most(10),
    )
    .unwrap();
    assert_eq!(cut.lines().count(), 11);
    assert!(
        cut.ends_with("[The directory holds more than these 10 entries]"),
        "{cut}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_unicode_are_counted() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let granted = Granted::holding(&[("a", "")]);
    std::fs::write(granted.at("").join(OsStr::from_bytes(b"\xff")), "").unwrap();
    let told = names(&granted, "").unwrap();
    assert_eq!(told, "[FILE] a\n[1 more have names that are not Unicode]");
}

#[test]
fn a_long_walk_asks_whether_to_go_on() {
    let granted = Granted::new();
    for number in 0..600 {
        granted.put(&format!("{}/{number}", number % 3), "");
    }
    let mut seen = Vec::new();
    tree::tree(
        &granted.roots,
        "",
        &[],
        &mut Walk::new(&mut |count| {
            seen.push(count);
            true
        }),
    )
    .unwrap();
    assert_eq!(seen, [256, 512]);
    let stopped = tree::tree(&granted.roots, "", &[], &mut Walk::new(&mut |_| false));
    assert!(matches!(stopped, Err(Failure::Cancelled)));
}

#[test]
fn a_file_tells_about_itself() {
    let granted = Granted::holding(&[("a.txt", "12345")]);
    let told = info::file(&granted.roots, "a.txt").unwrap();
    let lines: Vec<(&str, &str)> = told
        .lines()
        .map(|line| line.split_once(": ").unwrap())
        .collect();
    let keys: Vec<_> = lines.iter().map(|(key, _)| *key).collect();
    assert_eq!(
        keys,
        [
            "size",
            "created",
            "modified",
            "accessed",
            "isDirectory",
            "isFile",
            "permissions"
        ]
    );
    assert_eq!(
        (lines[0].1, lines[4].1, lines[5].1, lines[6].1),
        ("5", "false", "true", "read-write")
    );
    let modified = humantime::parse_rfc3339(lines[2].1).unwrap();
    assert!(modified.elapsed().unwrap().as_secs() < 60);
    assert!(
        info::file(&granted.roots, "")
            .unwrap()
            .contains("isDirectory: true")
    );
    assert!(
        info::file(&granted.roots, "nope")
            .unwrap_err()
            .to_string()
            .starts_with("ENOENT: no such file or directory, stat")
    );
}
