//! Putting a package together.

use std::borrow::Cow;

use palisade_policy::{Manifest, PluginInfo};
use wasm_encoder::{Component, ComponentSection as _, CustomSection};
use wasmparser::BinaryReader;

use crate::error::PackageError;
use crate::sections::{HEADER, sections};
use crate::{LICENCE, MANIFEST, MOST_TEXT, README};

/// Where tools look for the component's name.
const NAME: &str = "component-name";

/// Sections that a package has from its parts alone: what was there before is
/// replaced. A signature is of the bytes before, and of no others.
const REPLACED: [&str; 12] = [
    MANIFEST,
    README,
    LICENCE,
    NAME,
    "version",
    "description",
    "authors",
    "licenses",
    "source",
    "homepage",
    "signature",
    "signature_delimiter",
];

/// What a package is made of, beside the component.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    /// The text of `palisade.toml`.
    pub manifest: &'a str,
    /// The README, Markdown, at most [`MOST_TEXT`] bytes.
    pub readme: Option<&'a str>,
    /// The text of the licence, at most [`MOST_TEXT`] bytes.
    pub licence: Option<&'a str>,
}

/// A package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// What is in the file.
    pub bytes: Vec<u8>,
    /// What it asks for.
    pub manifest: Manifest,
}

/// Puts a package together.
///
/// # Errors
/// [`PackageError`] for what is not a component, for a manifest the host would
/// not read, a licence that is no SPDX expression, and for what is too large.
pub fn pack(component: &[u8], parts: Parts<'_>) -> Result<Package, PackageError> {
    let manifest = Manifest::parse(parts.manifest)?;
    let about = &manifest.plugin;
    is_spdx(about)?;
    bounded("the README", parts.readme)?;
    bounded("the text of the licence", parts.licence)?;

    let mut other_names = Vec::new();
    let mut bytes = Component::HEADER.to_vec();
    bytes.reserve(component.len().saturating_sub(HEADER) + MOST_TEXT);
    for section in sections(component)? {
        match section.custom {
            Some((NAME, data)) => other_names.extend_from_slice(&without_own(data)?),
            Some((name, _)) if REPLACED.contains(&name) => {}
            _ => bytes.extend_from_slice(section.whole),
        }
    }

    let mut names = own_name(&about.name);
    names.extend_from_slice(&other_names);
    append(&mut bytes, NAME, &names);
    let authors = about.authors.join(", ");
    let texts = [
        ("version", about.version.as_deref()),
        ("description", about.description.as_deref()),
        (
            "authors",
            Some(authors.as_str()).filter(|all| !all.is_empty()),
        ),
        ("licenses", about.license.as_deref()),
        ("source", about.source.as_deref()),
        ("homepage", about.homepage.as_deref()),
        (README, parts.readme),
        (LICENCE, parts.licence),
        (MANIFEST, Some(parts.manifest)),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            append(&mut bytes, name, text.as_bytes());
        }
    }
    Ok(Package { bytes, manifest })
}

fn append(bytes: &mut Vec<u8>, name: &'static str, data: &[u8]) {
    let section = CustomSection {
        name: Cow::Borrowed(name),
        data: Cow::Borrowed(data),
    };
    section.append_to_component(bytes);
}

fn bounded(what: &'static str, text: Option<&str>) -> Result<(), PackageError> {
    match text.map_or(0, str::len) {
        size if size > MOST_TEXT => Err(PackageError::TooLarge {
            what,
            size,
            most: MOST_TEXT,
        }),
        _ => Ok(()),
    }
}

/// Whether other tools understand what the licence is.
fn is_spdx(about: &PluginInfo) -> Result<(), PackageError> {
    let Some(found) = &about.license else {
        return Ok(());
    };
    match spdx::Expression::parse(found) {
        Ok(_) => Ok(()),
        Err(error) => Err(PackageError::Licence {
            found: found.clone(),
            why: error.reason.to_string(),
        }),
    }
}

/// The subsection with a component's own name; the name is at most 48 bytes
/// long, so every length is one byte.
fn own_name(name: &str) -> Vec<u8> {
    let length = u8::try_from(name.len()).unwrap_or(0).min(0x7e);
    let mut section = vec![0, length + 1, length];
    section.extend_from_slice(name.as_bytes());
    section
}

/// The subsections of `component-name` that name something else than the
/// component.
fn without_own(data: &[u8]) -> Result<Vec<u8>, PackageError> {
    let read = || -> wasmparser::Result<Vec<u8>> {
        let mut kept = Vec::new();
        let mut reader = BinaryReader::new(data, 0);
        while !reader.eof() {
            let start = reader.current_position();
            let kind = reader.read_u8()?;
            let length = reader.read_var_u32()?;
            reader.read_bytes(usize::try_from(length).unwrap_or(usize::MAX))?;
            if kind != 0 {
                kept.extend_from_slice(data.get(start..reader.current_position()).unwrap_or(&[]));
            }
        }
        Ok(kept)
    };
    read().map_err(|error| PackageError::Damaged(format!("its names: {}", error.message())))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test should say where")]

    use wasm_encoder::ComponentNameSection;
    use wasmparser::{ComponentName, ComponentNameSectionReader, Validator};

    use super::*;
    use crate::carried::carried;

    const NOTES: &str = "[plugin]\nname = \"notes\"\nversion = \"1.2.0\"\n\
        description = \"Keeps notes\"\nlicense = \"MIT OR Apache-2.0\"\n\
        source = \"https://example.com/notes\"\nauthors = [\"Ada\", \"Grace\"]\n";

    fn parts(manifest: &str) -> Parts<'_> {
        Parts {
            manifest,
            readme: Some("# Notes\n"),
            licence: Some("As you like.\n"),
        }
    }

    /// A component that has a name, names in it, a producer and a core module.
    fn component() -> Vec<u8> {
        let mut module = wasm_encoder::Module::new();
        module.section(&CustomSection {
            name: "palisade-manifest".into(),
            data: b"[plugin]\nname = \"inner\"\n".as_slice().into(),
        });
        let mut component = Component::new();
        component.section(&CustomSection {
            name: "producers".into(),
            data: b"\0".as_slice().into(),
        });
        component.section(&wasm_encoder::ModuleSection(&module));
        let mut names = ComponentNameSection::new();
        names.component("before");
        let mut map = wasm_encoder::NameMap::new();
        map.append(0, "the-module");
        names.core_modules(&map);
        component.section(&names);
        component.finish()
    }

    fn custom(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
        let own = sections(bytes).unwrap();
        let own = own.iter().filter_map(|section| section.custom);
        own.map(|(name, data)| (name.to_owned(), data.to_owned()))
            .collect()
    }

    #[test]
    fn a_package_holds_its_parts_where_other_tools_look() {
        let package = pack(&component(), parts(NOTES)).unwrap();
        Validator::new().validate_all(&package.bytes).unwrap();
        let found = custom(&package.bytes);
        let text = |name: &str| {
            let section = found.iter().find(|(found, _)| found == name).unwrap();
            String::from_utf8(section.1.clone()).unwrap()
        };
        assert_eq!(text("version"), "1.2.0");
        assert_eq!(text("licenses"), "MIT OR Apache-2.0");
        assert_eq!(text("authors"), "Ada, Grace");
        assert_eq!(text("source"), "https://example.com/notes");
        assert_eq!(text("description"), "Keeps notes");
        assert!(!found.iter().any(|(name, _)| name == "homepage"));

        let names = found.iter().find(|(name, _)| name == NAME).unwrap();
        let reader = ComponentNameSectionReader::new(BinaryReader::new(&names.1, 0));
        let names: Vec<_> = reader.into_iter().map(Result::unwrap).collect();
        assert!(matches!(
            names[0],
            ComponentName::Component { name: "notes", .. }
        ));
        assert!(matches!(names[1], ComponentName::CoreModules(_)));
        assert_eq!(names.len(), 2);

        let carried = carried(&package.bytes).unwrap();
        assert_eq!(carried.manifest.as_deref(), Some(NOTES));
        assert_eq!(carried.readme.as_deref(), Some("# Notes\n"));
        assert_eq!(carried.licence.as_deref(), Some("As you like.\n"));
    }

    #[test]
    fn packing_again_changes_nothing_or_replaces() {
        let once = pack(&component(), parts(NOTES)).unwrap().bytes;
        assert_eq!(once, pack(&component(), parts(NOTES)).unwrap().bytes);
        assert_eq!(once, pack(&once, parts(NOTES)).unwrap().bytes);

        let bare = Parts {
            manifest: "[plugin]\nname = \"other\"\n",
            readme: None,
            licence: None,
        };
        let other = pack(&once, bare).unwrap().bytes;
        assert_eq!(other, pack(&component(), bare).unwrap().bytes);
        let names: Vec<_> = custom(&other).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["producers", NAME, MANIFEST]);
    }

    #[test]
    fn what_would_not_load_is_refused() {
        let why = |component: &[u8], manifest: &str| {
            let error = pack(component, parts(manifest)).unwrap_err();
            error.to_string()
        };
        let module = wasm_encoder::Module::new().finish();
        assert!(why(&module, NOTES).contains("core WebAssembly module"));
        assert!(why(b"", NOTES).contains("not a whole"));
        assert!(why(b"#!/bin/sh", NOTES).contains("not a whole"));
        let whole = component();
        for cut in HEADER + 1..whole.len() {
            // Between two sections it is whole, too.
            if let Err(error) = pack(&whole[..cut], parts(NOTES)) {
                assert!(matches!(error, PackageError::Damaged(_)), "{cut}: {error}");
            }
        }
        assert!(why(&whole, "[plugin]\nnmae = \"a\"\n").starts_with("line 2:"));
        let licence = "[plugin]\nname = \"a\"\nlicense = \"whatever\"\n";
        assert!(why(&whole, licence).contains("SPDX"));
        let large = "x".repeat(MOST_TEXT + 1);
        let error = pack(
            &whole,
            Parts {
                readme: Some(&large),
                ..parts(NOTES)
            },
        );
        assert!(error.unwrap_err().to_string().contains("262145"));
    }
}
