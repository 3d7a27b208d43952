//! Paths of requests that are not what they seem, held against an oracle that is
//! slow and simple.

#![allow(clippy::unwrap_used, reason = "tests")]

use palisade_policy::{Grant, NetworkRules, Scheme, Target};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    /// A path that some server could take for another one is let through by no
    /// rule that has paths; any other is.
    #[test]
    fn no_path_is_in_disguise(pieces in prop::collection::vec(piece(), 0..7)) {
        let path = format!("/v1/{}", pieces.concat());
        prop_assert_eq!(passes(&path), is_plain(&path), "{}", path);
    }
}

/// Escaped as a whole, what is no letter.
fn escaped(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' => char::from(byte).to_string(),
        _ => format!("%{byte:02x}"),
    };
    text.bytes().map(byte).collect()
}

/// Characters that are others to some readers, and what they are to those.
const DISGUISES: [(char, &str); 17] = [
    ('\u{ff0e}', "."),
    ('\u{2024}', "."),
    ('\u{fe52}', "."),
    ('\u{2025}', ".."),
    ('\u{2026}', "..."),
    ('\u{ff0f}', "/"),
    ('\u{2044}', "/"),
    ('\u{2215}', "/"),
    ('\u{29f8}', "/"),
    ('\u{ff3c}', "\\"),
    ('\u{fe68}', "\\"),
    ('\u{2216}', "\\"),
    ('\u{ff1b}', ";"),
    ('\u{ff1f}', "?"),
    ('\u{ff03}', "#"),
    ('\u{a0}', ""),
    ('\u{200b}', ""),
];

fn piece() -> impl Strategy<Value = String> {
    let disguised = prop::sample::select(DISGUISES.map(|(c, _)| escaped(&c.to_string())).to_vec());
    let other = prop::sample::select(vec![
        "/",
        ".",
        "..",
        "%2e",
        "%2E.",
        ";",
        ";a=1",
        "%3b",
        "%3F",
        "%23",
        "%20",
        "a",
        "v1..2",
        "caf%C3%A9",
        "%41",
        "%00",
        "%09",
        "%25",
        "%252e",
        "%5c",
        "%2f",
        "%c0%ae",
        "%c0%af",
        "%e9",
        "%",
    ]);
    prop_oneof![2 => disguised, 5 => other.prop_map(str::to_owned)]
}

/// What a path is by the words of the docs.
fn is_plain(path: &str) -> bool {
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    segments.iter().enumerate().all(|(place, segment)| {
        let mut bytes = Vec::new();
        let mut rest = *segment;
        while let Some(c) = rest.chars().next() {
            rest = &rest[1..];
            if c != '%' {
                bytes.push(u8::try_from(c).unwrap());
                continue;
            }
            let Some(Ok(byte)) = rest.get(..2).map(|digits| u8::from_str_radix(digits, 16)) else {
                return false;
            };
            bytes.push(byte);
            rest = &rest[2..];
        }
        let Ok(mut text) = String::from_utf8(bytes) else {
            return false;
        };
        for (c, is) in DISGUISES {
            text = text.replace(c, is);
        }
        if text.contains(['/', '\\', '%', '\0', '\t']) {
            return false;
        }
        let end = text.find([';', '?', '#']).unwrap_or(text.len());
        let seen = text[..end].replace(' ', "");
        let last_slash = segment.is_empty() && place + 1 == segments.len();
        last_slash || !seen.trim_matches('.').is_empty()
    })
}

fn passes(path: &str) -> bool {
    let text = "[[network]]\nto = \"https://a.test\"\npaths = [\"/**\"]";
    let rules = NetworkRules::new(&Grant::parse(text).unwrap().network);
    let target = Target::http(Scheme::Https, "a.test".parse().unwrap(), "GET", path);
    rules.decide(&target).is_ok()
}

#[test]
fn paths_that_are_not_what_they_seem() {
    for end in [
        "..%3b",
        "..;",
        "..%3f",
        "..%23",
        "..%20",
        "%20..",
        "..%00",
        "..%09",
        ".%20",
        ".;x",
        "...",
        "%c0%ae%c0%ae",
        "%c0%ae.",
        "%e0%80%ae.",
        "%ef%bc%8e%ef%bc%8e",
        "%EF%BC%8E.",
        "%e2%80%a4.",
        "%ef%b9%92.",
        "%e2%80%a5",
        "%e2%80%a6",
        "a%c0%afb",
        "a%ef%bc%8fb",
        "a%e2%88%95b",
        "a%e2%81%84b",
        "a%ef%bc%bcb",
        "a%5cb",
        "%252e%252e",
        "a%252fb",
        "a%255cb",
        "%25252e.",
        "..%e2%80%8b",
        "%c2%a0..",
        "..%ef%bc%9ba",
        "%20",
        ";a=1",
        "%ff",
        "%u002e.",
        ".%2",
        "%2e%2E",
    ] {
        for path in [format!("/v1/{end}"), format!("/v1/{end}/admin")] {
            assert!(!passes(&path), "{path}");
            assert!(!is_plain(&path), "{path}");
        }
    }
    for end in [
        "v1..2",
        "a;b=1",
        "caf%C3%A9",
        "a%20b",
        ".git",
        "..a",
        "a..",
        "...a",
        "%7Euser",
        "a%3Fb",
        "a%23",
        "%E6%97%A5%E6%9C%AC",
        "1%C2%BD",
        "a:b@c",
        "%ef%bc%a1",
        ".well-known",
        "x%20..",
    ] {
        for path in [
            format!("/v1/{end}"),
            format!("/v1/{end}/"),
            format!("/{end}/x"),
        ] {
            assert!(passes(&path), "{path}");
        }
    }
}
