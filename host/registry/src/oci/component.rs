//! What a component says of itself, for those who look for one in a registry.

use serde::Serialize;
use wasmparser::{Encoding, Parser, Payload};

use crate::digest::Digest;

/// The configuration of an artifact, as the CNCF's guide for WebAssembly in
/// registries has it (`application/vnd.wasm.config.v0+json`).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Config {
    created: String,
    author: Option<String>,
    architecture: &'static str,
    os: &'static str,
    layer_digests: [Digest; 1],
    component: Option<Component>,
}

#[derive(Serialize)]
struct Component {
    exports: Vec<String>,
    imports: Vec<String>,
    target: Option<String>,
}

impl Config {
    /// That of some bytes; in words, why they are no WebAssembly.
    pub(super) fn of(bytes: &[u8], created: String) -> Result<Self, String> {
        let component = read(bytes).map_err(|error| format!("it is no WebAssembly: {error}"))?;
        Ok(Self {
            created,
            author: None,
            architecture: "wasm",
            os: match component {
                Some(_) => "wasip2",
                None => "wasip1",
            },
            layer_digests: [Digest::of(bytes)],
            component,
        })
    }
}

/// What it imports and exports; none for a module.
fn read(bytes: &[u8]) -> Result<Option<Component>, wasmparser::BinaryReaderError> {
    let (mut depth, mut is_component) = (0_usize, false);
    let (mut imports, mut exports) = (Vec::new(), Vec::new());
    for payload in Parser::new(0).parse_all(bytes) {
        match payload? {
            Payload::Version { encoding, .. } => {
                is_component |= depth == 0 && encoding == Encoding::Component;
                depth += 1;
            }
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(section) if depth == 1 => {
                for import in section {
                    imports.push(import?.name.name.to_owned());
                }
            }
            Payload::ComponentExportSection(section) if depth == 1 => {
                for export in section {
                    exports.push(export?.name.name.to_owned());
                }
            }
            _ => {}
        }
    }
    Ok(is_component.then_some(Component {
        exports,
        imports,
        target: None,
    }))
}
