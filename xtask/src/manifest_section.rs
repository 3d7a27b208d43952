//! Puts a plugin's manifest into the component itself, where the host finds it
//! as custom section `palisade-manifest`: many plugins share one folder, so a
//! `palisade.toml` beside them could belong to any.

use std::borrow::Cow;

use anyhow::{Result, ensure};
use wasm_encoder::{Component, ComponentSection, CustomSection};

/// The custom section's name.
const NAME: &str = "palisade-manifest";

/// Whether the bytes begin as a component does.
pub(crate) fn is_component(bytes: &[u8]) -> bool {
    bytes.starts_with(&Component::HEADER)
}

/// Appends the manifest to a component.
///
/// # Errors
/// Where the bytes are not a component.
pub(crate) fn embed(mut component: Vec<u8>, manifest: &str) -> Result<Vec<u8>> {
    ensure!(is_component(&component), "not a WebAssembly component");
    CustomSection {
        name: Cow::Borrowed(NAME),
        data: Cow::Borrowed(manifest.as_bytes()),
    }
    .append_to_component(&mut component);
    Ok(component)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test should say where")]

    use wasmparser::{Parser, Payload, Validator};

    use super::*;

    fn sections(component: &[u8]) -> Vec<(String, Vec<u8>)> {
        Parser::new(0)
            .parse_all(component)
            .filter_map(|payload| match payload.unwrap() {
                Payload::CustomSection(section) => {
                    Some((section.name().to_owned(), section.data().to_owned()))
                }
                _ => None,
            })
            .collect()
    }

    #[test]
    fn an_independent_parser_reads_the_manifest_back() {
        // Lengths around the borders of LEB128's one, two and three bytes.
        for length in [0, 1, 127 - NAME.len(), 127, 128, 16_383, 16_384, 70_000] {
            let manifest = "#".repeat(length);
            let component = embed(Component::new().finish(), &manifest).unwrap();
            Validator::new().validate_all(&component).unwrap();
            assert_eq!(
                sections(&component),
                [("palisade-manifest".to_owned(), manifest.into_bytes())]
            );
        }
    }

    #[test]
    fn what_was_there_stays_in_front() {
        let mut before = Component::new();
        before.section(&CustomSection {
            name: "producers".into(),
            data: b"someone".as_slice().into(),
        });
        let before = before.finish();
        let after = embed(before.clone(), "[plugin]\nname = \"naïve\"\n").unwrap();
        assert!(after.starts_with(&before));
        assert_eq!(sections(&after).len(), 2);
    }

    #[test]
    fn a_core_module_is_refused() {
        let module = wasm_encoder::Module::new().finish();
        assert!(embed(module, "").is_err());
        assert!(embed(Vec::new(), "").is_err());
    }
}
