//! What the fuzzer starts from, and what it has found: never wrong again.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;

use palisade_policy::{Grant, Manifest};

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
