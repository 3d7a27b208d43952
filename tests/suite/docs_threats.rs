//! The threat model names the tests that hold its promises: they are there.

use std::collections::BTreeSet;
use std::fs;

use palisade_tests::source;

/// Every `file::test` of the page.
fn named() -> BTreeSet<(String, String)> {
    let page = fs::read_to_string(source("../docs/threat-model.md")).unwrap();
    let codes = page.split('`').skip(1).step_by(2);
    codes
        .filter_map(|code| code.split_once("::"))
        .filter(|(file, _)| *file != "file")
        .map(|(file, test)| (file.to_owned(), test.to_owned()))
        .collect()
}

#[test]
fn each_test_it_names_is_there() {
    let named = named();
    assert!(named.len() > 80, "{} tests", named.len());
    let missing: Vec<_> = named
        .iter()
        .filter(|(file, test)| {
            let holds = |folder: &str| {
                let path = source(&format!("{folder}/{file}.rs"));
                let text = fs::read_to_string(path).unwrap_or_default();
                text.contains(&format!("#[test]\nfn {test}()"))
            };
            !holds("attacks") && !holds("suite")
        })
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// A class of attacks that no promise names is one that nobody would miss.
#[test]
fn each_class_of_attacks_is_named() {
    let named: BTreeSet<_> = named().into_iter().map(|(file, _)| file).collect();
    let files = |folder: &str, before: &str| -> Vec<String> {
        let entries = fs::read_dir(source(folder)).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths
            .filter_map(|path| Some(format!("{before}{}", path.file_stem()?.to_str()?)))
            .collect()
    };
    let unnamed: Vec<_> = files("attacks", "")
        .into_iter()
        .chain(files("attacks/network", "network/"))
        .filter(|file| file != "main" && !named.contains(file))
        .collect();
    assert!(unnamed.is_empty(), "{unnamed:?}");
}
