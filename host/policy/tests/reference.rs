//! `docs/permissions.md` is what the parser knows: it is written from the same keys,
//! and every example in it is read.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fmt::Write as _;
use std::path::Path;

use palisade_policy::keys::{self, File, Key, Section};
use palisade_policy::{Grant, Manifest};

/// Set to write the file anew: `cargo xtask docs` does.
const WRITE: &str = "PALISADE_WRITE_DOCS";

const BEGIN: &str = "# Permissions, key by key\n\n\
    Every key of a manifest and of a grant. This page is written by `cargo xtask docs`\n\
    from the list by which the parser knows them. A key that is not here is an error that\n\
    names the line, and so is a value that can't be.\n\n\
    Files are TOML, at most 256 KiB. How a grant is made by flags, the README says; how a\n\
    rule for the network is read, [`network-rules.md`](network-rules.md); where secrets are\n\
    kept, [`secrets.md`](secrets.md).\n";

#[test]
fn the_page_is_what_the_parser_knows() {
    let page = page();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/permissions.md");
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&file, &page).unwrap();
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        written == page,
        "docs/permissions.md is not what the parser knows any more: run cargo xtask docs"
    );
}

#[test]
fn every_example_is_read() {
    Manifest::parse(&example(&keys::MANIFEST)).unwrap();
    Grant::parse(&example(&keys::GRANT)).unwrap();
}

/// With every key that has an example left out in turn, the file is still read or
/// says that it is missing: as the page says of it.
#[test]
fn what_has_to_be_there_has_to_be_there() {
    for file in [keys::MANIFEST, keys::GRANT] {
        for (place, section) in file.sections.iter().enumerate() {
            for key in section.keys.iter().filter(|key| !key.example.is_empty()) {
                let without = example_of(&file, |at, other| at != place || other.name != key.name);
                let read = match file.name {
                    "A grant" => Grant::parse(&without).map(drop),
                    _ => Manifest::parse(&without).map(drop),
                };
                // One of several has to be there.
                if matches!(key.name, "path" | "inject" | "header") {
                    continue;
                }
                assert_eq!(
                    read.is_err(),
                    key.required,
                    "{} {}: {read:?}",
                    section.place,
                    key.name
                );
            }
        }
    }
}

/// A key that is not on the page is not read, wherever it stands.
#[test]
fn what_is_not_there_is_refused() {
    for file in [keys::MANIFEST, keys::GRANT] {
        for section in file
            .sections
            .iter()
            .filter(|section| !section.keys.is_empty())
        {
            let line = section.keys[0].example;
            let text = example(&file).replacen(line, &format!("{line}\nunheard-of = 1"), 1);
            let read = match file.name {
                "A grant" => Grant::parse(&text).map(drop),
                _ => Manifest::parse(&text).map(drop),
            };
            let problem = read.unwrap_err().to_string();
            assert!(
                problem.contains("unheard-of"),
                "{}: {problem}",
                section.place
            );
        }
    }
}

fn page() -> String {
    let mut page = BEGIN.to_owned();
    for file in [&keys::MANIFEST, &keys::GRANT] {
        let _ = write!(page, "\n## {}\n\n{}\n", file.name, file.says);
        for section in file.sections {
            let _ = write!(page, "\n### `{}`\n\n{}\n", section.place, section.says);
            if !section.keys.is_empty() {
                page.push_str("\n| key | | example |\n|---|---|---|\n");
            }
            for key in section.keys {
                let _ = writeln!(page, "| `{}` | {} | {} |", key.name, says(key), shown(key));
            }
        }
        let example = example(file);
        let _ = write!(page, "\n### All of it\n\n```toml\n{example}```\n");
    }
    page
}

fn says(key: &Key) -> String {
    let mut says = match key.required {
        true => format!("**Has to be there.** {}", key.says),
        false => key.says.to_owned(),
    };
    if let Some(bounds) = key.bounds {
        let _ = write!(says, " {}.", bounds());
    }
    says.replace('|', "\\|")
}

fn shown(key: &Key) -> String {
    match key.example {
        "" => String::new(),
        example => format!("`{}`", example.replace('|', "\\|")),
    }
}

fn example(file: &File) -> String {
    example_of(file, |_, _| true)
}

/// A file with all of its keys, but for those that stand in each other's place.
fn example_of(file: &File, wanted: impl Fn(usize, &Key) -> bool) -> String {
    let mut text = String::new();
    for (place, section) in file.sections.iter().enumerate() {
        if is_inline(section) {
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        let _ = writeln!(text, "{}", section.place);
        for key in section.keys {
            let line = match key.name {
                // A table of its own, written in one line.
                "inject" => inject(file, &wanted),
                _ => key.example.to_owned(),
            };
            if !line.is_empty() && wanted(place, key) {
                let _ = writeln!(text, "{line}");
            }
        }
        if !section.example.is_empty() {
            let _ = writeln!(text, "{}", section.example);
        }
    }
    text
}

fn is_inline(section: &Section) -> bool {
    section.place.contains('.')
}

fn inject(file: &File, wanted: &impl Fn(usize, &Key) -> bool) -> String {
    let mut sections = file.sections.iter().enumerate();
    let (place, section) = sections.find(|(_, section)| is_inline(section)).unwrap();
    let keys = section.keys.iter();
    let keys = keys.filter(|key| !key.example.is_empty() && wanted(place, key));
    let keys: Vec<_> = keys.map(|key| key.example).collect();
    format!("inject = {{ {} }}", keys.join(", "))
}
