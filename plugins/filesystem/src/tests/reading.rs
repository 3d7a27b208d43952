use std::fs;

use proptest::prelude::*;

use super::Granted;
use crate::{answer, media, read};

fn text(granted: &Granted, path: &str) -> Result<String, String> {
    part(granted, path, None, None)
}

fn part(
    granted: &Granted,
    path: &str,
    head: Option<f64>,
    tail: Option<f64>,
) -> Result<String, String> {
    read::text_file(&granted.roots, path, head, tail).map_err(|failure| failure.to_string())
}

#[test]
fn a_file_reads_as_it_is() {
    let granted = Granted::holding(&[("a.txt", "one\r\ntwo\n"), ("empty", "")]);
    assert_eq!(
        text(&granted, &granted.path("a.txt")).unwrap(),
        "one\r\ntwo\n"
    );
    assert_eq!(text(&granted, "a.txt").unwrap(), "one\r\ntwo\n");
    assert_eq!(text(&granted, "empty").unwrap(), "");
}

#[test]
fn what_is_not_utf8_shows_as_such() {
    let granted = Granted::new();
    granted.put("b", b"a\xff\xfeb");
    assert_eq!(text(&granted, "b").unwrap(), "a\u{fffd}\u{fffd}b");
}

#[test]
fn what_cannot_be_read_is_told_in_the_words_clients_know() {
    let granted = Granted::holding(&[("d/a", "")]);
    let told = |path: &str| text(&granted, path).unwrap_err();
    assert_eq!(
        told("nope"),
        format!(
            "ENOENT: no such file or directory, open '{}'",
            granted.path("nope")
        )
    );
    assert_eq!(told("d"), "EISDIR: illegal operation on a directory, read");
    assert!(told("d/a/b").starts_with("ENOTDIR: not a directory, "));
    assert!(told(&"x".repeat(300)).starts_with("ENAMETOOLONG: name too long, "));
}

#[test]
fn a_number_of_lines_is_a_whole_number() {
    let granted = Granted::holding(&[("a", "1\n2\n3\n")]);
    assert_eq!(part(&granted, "a", Some(2.0), None).unwrap(), "1\n2");
    assert_eq!(
        part(&granted, "a", Some(0.0), Some(0.0)).unwrap(),
        "1\n2\n3\n"
    );
    assert_eq!(part(&granted, "a", Some(1e300), None).unwrap(), "1\n2\n3");
    assert!(
        part(&granted, "a", Some(-1.0), None)
            .unwrap_err()
            .contains("head is a number of lines")
    );
    assert!(
        part(&granted, "a", None, Some(1.5))
            .unwrap_err()
            .contains("tail is a number of lines")
    );
    assert_eq!(
        part(&granted, "a", Some(1.0), Some(1.0)).unwrap_err(),
        "Cannot specify both head and tail parameters simultaneously"
    );
}

#[test]
fn only_the_lines_asked_for_are_read_from_a_large_file() {
    let granted = Granted::new();
    let line = "0123456789".repeat(100);
    let large: String = (0..20_000)
        .map(|number| format!("{number} {line}\n"))
        .collect();
    granted.put("large.log", &large);
    let refused = text(&granted, "large.log").unwrap_err();
    assert!(
        refused.contains("head or tail") && refused.contains("19.20 MB"),
        "{refused}"
    );
    let head = part(&granted, "large.log", Some(200.0), None).unwrap();
    assert_eq!(head.lines().count(), 200);
    assert!(head.starts_with("0 ") && head.contains("\n199 "));
    let tail = part(&granted, "large.log", None, Some(201.0)).unwrap();
    assert_eq!(tail.lines().count(), 200);
    assert!(tail.starts_with("19800 ") && tail.ends_with('\n'));
    assert!(part(&granted, "large.log", Some(1e6), None).is_err());
    assert!(part(&granted, "large.log", None, Some(1e6)).is_err());
}

#[test]
fn a_text_that_grows_in_an_answer_is_refused_too() {
    let granted = Granted::new();
    // Each of these takes up seven bytes, once as itself and once escaped.
    granted.put("bells", vec![7; answer::LIMIT / 7 + 1]);
    assert!(
        text(&granted, "bells")
            .unwrap_err()
            .contains("head or tail")
    );
    granted.put("bells", vec![7; answer::LIMIT / 7 - 1]);
    assert!(text(&granted, "bells").is_ok());
}

#[test]
fn many_files_are_read_each_on_its_own() {
    let granted = Granted::holding(&[("a", "A"), ("b", "B\n")]);
    granted.put("half", vec![b'x'; answer::LARGEST_TEXT - 1000]);
    let paths = ["a", "nope", "/etc/passwd", "half", "half", "b"].map(str::to_owned);
    let answer = read::multiple_files(&granted.roots, &paths);
    let parts: Vec<&str> = answer.split("\n---\n").collect();
    assert_eq!(parts[0], "a:\nA\n");
    assert!(parts[1].starts_with("nope: Error - ENOENT"));
    assert!(parts[2].starts_with("/etc/passwd: Error - Access denied"));
    assert!(parts[3].starts_with("half:\nxxx"));
    assert!(parts[4].starts_with("half: Error - ") && parts[4].contains("does not fit"));
    assert_eq!(parts[5], "b:\nB\n\n");
    assert!(answer::fits(&answer));
}

#[test]
fn media_is_known_by_its_extension() {
    let granted = Granted::holding(&[("a.PNG", "png"), ("b.mp3", "mp3"), ("c d.pdf", "pdf")]);
    let file = |path| media::file(&granted.roots, path).unwrap();
    assert_eq!(
        (file("a.PNG").mime, file("a.PNG").base64().as_str()),
        ("image/png", "cG5n")
    );
    assert!(file("a.PNG").is_image() && file("b.mp3").is_audio());
    let other = file("c d.pdf");
    assert_eq!(other.mime, "application/octet-stream");
    assert_eq!(other.uri, format!("file://{}", granted.path("c%20d.pdf")));
    granted.put("huge.png", vec![0; answer::LARGEST_MEDIA + 1]);
    assert!(media::file(&granted.roots, "huge.png").is_err());
}

#[test]
fn names_written_differently_are_the_same_name() {
    let granted = Granted::new();
    // Decomposed, as macOS writes names.
    granted.put("cafe\u{301}/men\u{fc}.txt", "1 euro");
    assert_eq!(
        text(&granted, "caf\u{e9}/menu\u{308}.txt").unwrap(),
        "1 euro"
    );
    let missing = text(&granted, "caf\u{e9}/\u{e4}").unwrap_err();
    assert!(missing.contains("cafe\u{301}/\u{e4}"), "{missing}");
    fs::write(granted.at("e\u{301}\u{323}"), "").unwrap();
    fs::write(granted.at("e\u{323}\u{301}"), "").unwrap();
    assert!(
        text(&granted, "\u{1eb9}\u{301}")
            .unwrap_err()
            .starts_with("Ambiguous Unicode path component")
    );
}

/// Short, or around as long as what is read at a time.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zé]{0,5}",
        (60_000_usize..70_000).prop_map(|length| "x".repeat(length))
    ]
}

proptest! {
    #[test]
    fn head_and_tail_are_the_ends_of_the_file(
        lines in prop::collection::vec(line(), 0..8),
        end in any::<bool>(),
        count in 1_u32..10,
    ) {
        let granted = Granted::new();
        let content = lines.join("\n") + if end { "\n" } else { "" };
        granted.put("f", &content);
        let count_lines = count as usize;
        let all: Vec<&str> = content.split('\n').collect();
        let tail = all[all.len().saturating_sub(count_lines)..].join("\n");
        prop_assert_eq!(part(&granted, "f", None, Some(f64::from(count))).unwrap(), tail);
        let ended = content.strip_suffix('\n').unwrap_or(&content);
        let head: Vec<&str> = ended.split('\n').take(count_lines).collect();
        prop_assert_eq!(part(&granted, "f", Some(f64::from(count)), None).unwrap(), head.join("\n"));
    }
}
