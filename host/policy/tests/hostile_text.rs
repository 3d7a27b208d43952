//! Files made to break the reader rather than to be read.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::thread;

use palisade_policy::{Grant, MAX_TEXT_BYTES, Manifest};
use proptest::prelude::*;

/// The stack of a worker thread of the host.
const STACK: usize = 2 << 20;

/// Reads `text` as both, on a small stack; true when both refuse it.
fn refused(text: String) -> bool {
    thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || Manifest::parse(&text).is_err() && Grant::parse(&text).is_err())
        .unwrap()
        .join()
        .unwrap()
}

#[test]
fn nesting_never_overflows_the_stack() {
    let dotted = vec!["a"; 79].join(".");
    let braces = "}".repeat(78);
    for text in [
        format!("a = {}{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("a = {}", "[".repeat(250_000)),
        format!("a = {}", "{a=".repeat(80_000)),
        format!("{} = 1", vec!["a"; 120_000].join(".")),
        format!("[{}]", vec!["a"; 120_000].join(".")),
        format!("[[{}]]", vec!["a"; 120_000].join(".")),
        // Within every limit of the TOML parser, and thousands of levels deep.
        format!("a = {}1{braces}", format!("{{{dotted}=").repeat(78)),
        format!(
            "[{dotted}]\n{dotted} = {}1{braces}",
            format!("{{{dotted}=").repeat(78)
        ),
        format!("[{dotted}]\n").repeat(1_000),
        "a.a.a.a.a = 1\n[b]\n".repeat(10_000),
        // The deepest that gets past the count of dots.
        format!(
            "a = {}1{braces}",
            format!("{{{}=", ["a"; 4].join(".")).repeat(78)
        ),
    ] {
        assert!(text.len() <= MAX_TEXT_BYTES);
        assert!(refused(text));
    }
}

#[test]
fn a_file_too_large_is_refused_unread() {
    let comment = format!("#{}\n", "x".repeat(MAX_TEXT_BYTES - 2));
    assert!(Grant::parse(&comment).is_ok());
    let error = Grant::parse(&format!("{comment}[")).unwrap_err();
    assert_eq!(error.line, None);
    assert!(error.message.contains("more than 256 KiB"), "{error}");
}

#[test]
fn messages_cannot_steer_a_terminal() {
    let evil = "\\u001b[2J\\u202e\\u0007";
    for text in [
        format!("\"{evil}\" = 1"),
        format!("[plugin]\nname = \"{evil}\""),
        format!("[plugin]\nname = \"a\"\n[env]\n\"{evil}\" = 1"),
        format!("[plugin]\nname = \"a\"\n[env]\nA = \"{evil}\""),
        format!("[plugin]\nname = \"a\"\n[[network]]\nto = \"{evil}\""),
        format!("[plugin]\nname = \"a\"\n[[roots]]\nname = \"b\"\naccess = \"{evil}\""),
        "[plugin]\nname = \u{1b}[2J".into(),
    ] {
        let shown = Manifest::parse(&text).unwrap_err().to_string();
        let bad = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!shown.contains(bad), "{shown:?}");
    }
}

#[test]
fn messages_stay_short() {
    let long = "x".repeat(200_000);
    for text in [
        format!("{long} = 1"),
        format!("[plugin]\nname = \"{long}\""),
        format!("[plugin]\n{long} = 1"),
        format!("[plugin]\nname = \"a\"\n[env]\n\"{long}\" = {{}}"),
        format!("[plugin]\nname = \"a\"\n{long}"),
    ] {
        let error = Manifest::parse(&text).unwrap_err();
        assert!(error.to_string().len() < 600, "{}", error.to_string().len());
    }
}

/// Text made of the pieces a real file is made of.
fn nearly_a_file() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "[plugin]",
            "[[roots]]",
            "[[network]]",
            "[env]",
            "[[secrets]]",
            "[storage]",
            "[limits]",
            "[tools]",
            "name",
            "path",
            "access",
            "required",
            "hide",
            "to",
            "inject",
            "quota",
            "memory",
            "=",
            "=",
            "=",
            "\"notes\"",
            "\"/srv\"",
            "\"read-write\"",
            "\"https://a\"",
            "\"64 MiB\"",
            "true",
            "16",
            "1.5",
            "[",
            "]",
            "{",
            "}",
            ",",
            ".",
            "'",
            "\"\"\"",
            "\n",
            "\n",
            "\n",
            "#",
            "\\u0000",
            "inf",
            "1979-05-27",
            "0x",
        ])
        .prop_map(str::to_owned),
        ".{0,4}",
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #[test]
    fn reading_never_panics(text in prop_oneof![any::<String>(), nearly_a_file()]) {
        for error in [Manifest::parse(&text).err(), Grant::parse(&text).err()].into_iter().flatten() {
            let lines = text.matches('\n').count() + 1;
            prop_assert!(error.line.is_some_and(|line| (1..=lines).contains(&line)));
            prop_assert!(!error.message.is_empty());
        }
    }
}
