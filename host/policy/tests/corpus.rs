//! What the fuzzer starts from, and what it has found: never wrong again.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;

use palisade_policy::{Grant, Manifest, fuzzing};
use proptest::prelude::*;

/// Reads every file of a corpus; how many of them were understood, and all.
fn read(target: &str, understood: impl Fn(&str) -> bool) -> (usize, usize) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let texts: Vec<_> = fs::read_dir(corpus.join(target))
        .unwrap()
        .filter_map(|file| fs::read_to_string(file.unwrap().path()).ok())
        .collect();
    let good = texts.iter().filter(|text| understood(text)).count();
    (good, texts.len())
}

#[test]
fn manifests() {
    let (good, all) = read("manifest", |text| Manifest::parse(text).is_ok());
    assert!(good >= 3, "{good} of {all}");
}

#[test]
fn grants() {
    let (good, all) = read("grant", |text| Grant::parse(text).is_ok());
    assert!(good >= 2, "{good} of {all}");
}

#[test]
fn rules_on_a_command_line() {
    let (good, all) = read("allow_flag", fuzzing::allow_flag);
    assert!(good >= 5 && good < all, "{good} of {all}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn any_rule_on_a_command_line(
        text in "[ \t]{0,2}((GET|PUT|[A-Z-]{1,4})(,[A-Z]{1,4})?[ \t]{0,3})?(private:)?\
                 (https|http|tcp|HTTPS)://[*]?[.]?[a-zA-Zü0-9.:*\\[\\]-]{1,12}\
                 (/[a-z*.%\"'{;2ef-]{0,6}){0,3}[ \t]{0,2}|\\PC{0,40}"
    ) {
        fuzzing::allow_flag(&text);
    }
}
