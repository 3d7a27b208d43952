use std::os::unix::fs::symlink;

use proptest::prelude::*;

use super::Granted;
use crate::error::Failure;
use crate::search;
use crate::walk::Walk;

fn search(
    granted: &Granted,
    path: &str,
    pattern: &str,
    exclude: &[&str],
) -> Result<Vec<String>, Failure> {
    let exclude: Vec<_> = exclude.iter().map(|&pattern| pattern.to_owned()).collect();
    let text = search::files(
        &granted.roots,
        path,
        pattern,
        &exclude,
        &mut Walk::new(&mut |_| true),
    )?;
    let start = granted.path("");
    Ok(text
        .lines()
        .map(|line| line.strip_prefix(&start).unwrap_or(line).to_owned())
        .collect())
}

fn sample() -> Granted {
    Granted::holding(&[
        ("a.txt", ""),
        ("b.md", ""),
        ("d/c.txt", ""),
        ("d/e/f.txt", ""),
        ("d/.g.txt", ""),
        ("node_modules/x/h.txt", ""),
    ])
}

#[test]
fn a_pattern_without_a_slash_matches_at_the_top() {
    assert_eq!(search(&sample(), "", "*.txt", &[]).unwrap(), ["a.txt"]);
    assert_eq!(
        search(&sample(), "d", "*.txt", &[]).unwrap(),
        ["d/.g.txt", "d/c.txt"]
    );
}

#[test]
fn two_stars_match_at_any_depth() {
    assert_eq!(
        search(&sample(), "", "**/*.{txt,md}", &["node_modules"]).unwrap(),
        ["a.txt", "b.md", "d/.g.txt", "d/c.txt", "d/e/f.txt"]
    );
    assert_eq!(search(&sample(), "", "**/e", &[]).unwrap(), ["d/e"]);
    assert_eq!(
        search(&sample(), "", "d/**", &["**/*.txt"]).unwrap(),
        ["d/e"]
    );
    assert_eq!(
        search(&sample(), "", "**/*.rs", &[]).unwrap(),
        ["No matches found"]
    );
}

#[test]
fn links_are_found_but_not_followed() {
    let granted = sample();
    symlink("d", granted.at("link")).unwrap();
    symlink("nowhere", granted.at("dangling")).unwrap();
    symlink("..", granted.at("d/up")).unwrap();
    assert_eq!(
        search(&granted, "", "*", &[]).unwrap(),
        ["a.txt", "b.md", "d", "link", "node_modules"]
    );
    assert_eq!(
        search(&granted, "", "**/f.txt", &[]).unwrap(),
        ["d/e/f.txt"]
    );
}

#[test]
fn where_it_stops_it_says_so() {
    let granted = Granted::new();
    for number in 0..30 {
        granted.put(&format!("{number}.txt"), "");
    }
    let text = search::files(
        &granted.roots,
        "",
        "*.txt",
        &[],
        &mut Walk::new(&mut |_| true).at_most(10),
    )
    .unwrap();
    assert!(
        text.contains("[Stopped after 10 entries: there may be more."),
        "{text}"
    );
    let stopped = search::files(
        &sample().roots,
        "",
        "*",
        &[],
        &mut Walk::new(&mut |_| false),
    );
    assert!(stopped.is_ok(), "a short walk does not ask");
}

#[test]
fn a_search_in_what_is_no_directory_is_told() {
    let told = search(&sample(), "a.txt", "*", &[])
        .unwrap_err()
        .to_string();
    assert!(
        told.starts_with("ENOTDIR: not a directory, scandir"),
        "{told}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn every_file_is_found_once_in_order(paths in prop::collection::btree_set("[a-c](/[a-c]){0,3}", 1..12)) {
        let granted = Granted::new();
        for path in &paths {
            // A name can be a file or a directory, not both.
            granted.put(&format!("{path}/file"), "");
        }
        let mut expected: Vec<String> = paths.iter().map(|path| format!("{path}/file")).collect();
        let mut found = search(&granted, "", "**/file", &[]).unwrap();
        found.sort();
        expected.sort();
        prop_assert_eq!(found, expected);
    }
}
