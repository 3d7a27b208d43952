use proptest::prelude::*;

use super::Granted;
use crate::answer;
use crate::edit::{self, Edit};

fn edit(
    granted: &Granted,
    path: &str,
    edits: &[(&str, &str)],
    dry_run: bool,
) -> Result<String, String> {
    let edits: Vec<Edit> = edits
        .iter()
        .map(|(old, new)| Edit {
            old: (*old).to_owned(),
            new: (*new).to_owned(),
        })
        .collect();
    edit::file(&granted.roots, path, &edits, dry_run).map_err(|failure| failure.to_string())
}

/// Content, edits, and what is in the file afterwards.
fn becomes(before: &str, edits: &[(&str, &str)], after: &str) {
    let granted = Granted::holding(&[("f", before)]);
    edit(&granted, "f", edits, false).unwrap();
    assert_eq!(granted.get("f"), after);
    assert_eq!(granted.names(), ["f"]);
}

#[test]
fn the_first_occurrence_is_replaced() {
    becomes("a b a", &[("a", "x")], "x b a");
    becomes(
        "one\ntwo\nthree\n",
        &[("two\n", ""), ("three", "3")],
        "one\n3\n",
    );
    // One edit sees what the one before it did, and `$` is a dollar.
    becomes("a", &[("a", "b"), ("b", "$& $1")], "$& $1");
    becomes("", &[("", "new")], "new");
}

#[test]
fn lines_match_whatever_space_is_around_them() {
    becomes(
        "def f(x):\n    if x:\n        return 1\n    return 2\n",
        &[("if x:\n  return 1", "if x:\n    y = 2\n    return y")],
        "def f(x):\n    if x:\n      y = 2\n    return y\n    return 2\n",
    );
    becomes("\tpass  \n", &[("  pass", "  done")], "\tdone\n");
}

#[test]
fn line_ends_stay_what_they_were() {
    becomes("a\r\nb\r\n", &[("a\nb", "a\nc\nb")], "a\r\nc\r\nb\r\n");
    becomes("a\nb\n", &[("a\r\nb", "b\r\na")], "b\na\n");
    becomes("a\r\nb\n", &[("b", "c")], "a\nc\n");
}

#[test]
fn the_answer_is_a_difference_in_a_fence() {
    let granted = Granted::holding(&[("f.txt", "1\n2\n3\n4\n5\n6\n7\n8")]);
    let path = granted.path("f.txt");
    let answer = edit(&granted, "f.txt", &[("7\n8", "7\nacht\n")], true).unwrap();
    assert_eq!(
        answer,
        format!(
            "```diff\nIndex: {path}\n{}\n--- {path}\toriginal\n+++ {path}\tmodified\n\
             @@ -4,5 +4,5 @@\n 4\n 5\n 6\n 7\n-8\n\\ No newline at end of file\n+acht\n```\n\n",
            "=".repeat(67)
        )
    );
    assert_eq!(
        granted.get("f.txt"),
        "1\n2\n3\n4\n5\n6\n7\n8",
        "a dry run changes nothing"
    );
    let granted = Granted::holding(&[("f.md", "````\n")]);
    assert!(
        edit(&granted, "f.md", &[("`\n", "` \n")], true)
            .unwrap()
            .starts_with("`````diff\n")
    );
    let granted = Granted::holding(&[("new", "")]);
    assert!(
        edit(&granted, "new", &[("", "a\n")], true)
            .unwrap()
            .contains("\n@@ -0,0 +1,1 @@\n+a\n")
    );
}

#[test]
fn an_edit_that_does_not_match_changes_nothing() {
    let granted = Granted::holding(&[("f", "a\nb\n")]);
    let told = edit(&granted, "f", &[("a", "x"), ("nope\r\nno", "y")], false).unwrap_err();
    assert_eq!(told, "Could not find exact match for edit:\nnope\r\nno");
    assert_eq!(granted.get("f"), "a\nb\n");
}

#[test]
fn what_is_not_text_is_not_edited() {
    let granted = Granted::new();
    granted.put("b", b"a\xff");
    assert!(
        edit(&granted, "b", &[("a", "b")], false)
            .unwrap_err()
            .contains("not UTF-8 text")
    );
    assert!(
        edit(&granted, "nope", &[], false)
            .unwrap_err()
            .starts_with("ENOENT")
    );
    let read_only = Granted::with_access(false);
    read_only.put("f", "a");
    assert!(
        edit(&read_only, "f", &[("a", "b")], false)
            .unwrap_err()
            .contains("granted read-only")
    );
    assert!(edit(&read_only, "f", &[("a", "b")], true).is_ok());
}

#[test]
fn a_long_difference_is_cut_but_the_edit_is_made() {
    let granted = Granted::new();
    let before = "old line\n".repeat(150_000);
    granted.put("f", &before);
    let after = "new line\n".repeat(150_000);
    let answer = edit(&granted, "f", &[(&before, &after)], false).unwrap();
    assert!(answer::fits(&answer) && answer.contains("more lines not shown"));
    assert!(answer.ends_with("]\n```\n\n"));
    assert_eq!(granted.get("f"), after);
}

/// Undoes a difference: the two versions it was made of, as far as it shows
/// them.
fn sides(diff: &str) -> (String, String) {
    let (mut before, mut after) = (String::new(), String::new());
    let lines: Vec<&str> = diff.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let Some(mark) = line.chars().next().filter(|mark| " +-".contains(*mark)) else {
            continue;
        };
        let end = if lines.get(at + 1).is_some_and(|next| next.starts_with('\\')) {
            ""
        } else {
            "\n"
        };
        for (side, shown) in [(&mut before, mark != '+'), (&mut after, mark != '-')] {
            if shown {
                side.push_str(&line[1..]);
                side.push_str(end);
            }
        }
    }
    (before, after)
}

proptest! {
    #[test]
    fn a_difference_holds_both_versions(
        // Few lines: all of them are context of a change.
        before in prop::collection::vec("[ab]{1,2}", 0..5),
        after in prop::collection::vec("[ab]{1,2}", 0..5),
        ends in any::<(bool, bool)>(),
    ) {
        let text = |lines: &[String], end| lines.join("\n") + if end { "\n" } else { "" };
        let (before, after) = (text(&before, ends.0), text(&after, ends.1));
        let diff = crate::diff::unified("f", &before, &after);
        let body: String = diff.split_inclusive('\n').skip(4).collect();
        if before == after {
            prop_assert_eq!(body, "");
        } else {
            prop_assert_eq!(sides(&body), (before, after));
        }
    }

    #[test]
    fn only_what_was_asked_for_changes(
        lines in prop::collection::vec("[a-z ]{0,8}", 1..12),
        at in any::<prop::sample::Index>(),
        new in "[a-z\n]{0,10}",
    ) {
        let content = lines.join("\n");
        let old = at.get(&lines).clone();
        let granted = Granted::holding(&[("f", &content)]);
        edit(&granted, "f", &[(&old, &new)], false).unwrap();
        prop_assert_eq!(granted.get("f"), content.replacen(&old, &new, 1));
    }
}
