//! Manifests and indexes: which of an artifact's parts is the component.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::digest::Digest;
use crate::source::repeated;

/// What layers that hold WebAssembly are called.
const WASM: [&str; 2] = [
    "application/wasm",
    "application/vnd.wasm.content.layer.v1+wasm",
];

/// What bundles of Sigstore are called, whatever their version.
pub(super) const BUNDLE: &str = "application/vnd.dev.sigstore.bundle";

/// Names that a message repeats.
const REPEATED: usize = 5;

const TITLE: &str = "org.opencontainers.image.title";

/// What a registry has for a tag.
pub(super) enum Found {
    Manifest(Manifest),
    Index(Index),
}

/// An artifact.
pub(super) struct Manifest {
    layers: Vec<Descriptor>,
    pub(super) annotations: BTreeMap<String, String>,
}

/// Several artifacts for several platforms.
pub(super) struct Index(Vec<Descriptor>);

/// What is taken of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) digest: Digest,
    pub(super) size: u64,
}

/// Either, as it is written. What is not named here is for others.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    schema_version: u64,
    layers: Option<Vec<Descriptor>>,
    manifests: Option<Vec<Descriptor>>,
    annotations: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    media_type: Option<String>,
    artifact_type: Option<String>,
    digest: String,
    size: u64,
    annotations: Option<BTreeMap<String, String>>,
    platform: Option<Platform>,
}

#[derive(Deserialize)]
struct Platform {
    architecture: Option<String>,
    os: Option<String>,
}

impl Manifest {
    /// Reads one; in words, why it is none.
    pub(super) fn parse(bytes: &[u8]) -> Result<Found, String> {
        let written: Written = serde_json::from_slice(bytes)
            .map_err(|error| format!("its manifest is none: {}", repeated(&error.to_string())))?;
        if written.schema_version != 2 {
            return Err("its manifest is of a version that nobody uses any more".to_owned());
        }
        // Read as the one by some and as the other by others, it would be two
        // things under one digest.
        match (written.layers, written.manifests) {
            (Some(layers), None) => Ok(Found::Manifest(Self {
                layers,
                annotations: written.annotations.unwrap_or_default(),
            })),
            (None, Some(manifests)) => Ok(Found::Index(Index(manifests))),
            (Some(_), Some(_)) => Err("its manifest is an index as well".to_owned()),
            (None, None) => Err("its manifest has no layers".to_owned()),
        }
    }

    /// The one layer that is WebAssembly.
    pub(super) fn layer(&self) -> Result<Part, String> {
        let is_wasm = |layer: &&Descriptor| {
            let kind = layer.media_type.as_deref();
            kind.is_some_and(|kind| WASM.contains(&kind))
        };
        let found: Vec<_> = self.layers.iter().filter(is_wasm).collect();
        match found[..] {
            [layer] => layer.part(),
            [] => Err(format!(
                "it has no layer of WebAssembly (application/wasm), but {}",
                names(&self.layers.iter().collect::<Vec<_>>())
            )),
            _ => Err(format!(
                "it has more than one layer of WebAssembly: {}",
                names(&found)
            )),
        }
    }
}

impl Manifest {
    /// The one bundle of Sigstore in it.
    pub(super) fn bundle(&self) -> Result<Part, String> {
        let kind = |layer: &Descriptor| is_bundle(layer.media_type.as_deref());
        match &self.layers[..] {
            [layer] if kind(layer) => layer.part(),
            _ => Err("what should be a signature beside it holds something else".to_owned()),
        }
    }
}

fn is_bundle(kind: Option<&str>) -> bool {
    kind.is_some_and(|kind| kind.starts_with(BUNDLE))
}

impl Index {
    /// Every artifact that is a bundle of Sigstore.
    pub(super) fn bundles(&self) -> Result<Vec<Part>, String> {
        (self.0.iter())
            .filter(|one| is_bundle(one.artifact_type.as_deref()))
            .map(Descriptor::part)
            .collect()
    }

    /// The one artifact that is for WebAssembly.
    pub(super) fn wasm(&self) -> Result<Part, String> {
        let is_wasm = |one: &&Descriptor| {
            let platform = one.platform.as_ref();
            let architecture = platform.and_then(|platform| platform.architecture.as_deref());
            matches!(architecture, Some("wasm" | "wasm32"))
        };
        let found: Vec<_> = self.0.iter().filter(is_wasm).collect();
        match found[..] {
            [one] => one.part(),
            [] => Err(format!(
                "it is an index without anything for WebAssembly, but {}",
                names(&self.0.iter().collect::<Vec<_>>())
            )),
            _ => Err(format!(
                "it is an index with more than one artifact for WebAssembly: {}; name one by its digest",
                names(&found)
            )),
        }
    }
}

impl Descriptor {
    fn part(&self) -> Result<Part, String> {
        let digest = self.digest.parse();
        let digest = digest.map_err(|_| {
            format!(
                "its digest {} is none of SHA-256, which alone is trusted",
                repeated(&self.digest)
            )
        })?;
        Ok(Part {
            digest,
            size: self.size,
        })
    }

    /// A stranger's words, for a message.
    fn name(&self) -> String {
        let title = self.annotations.as_ref().and_then(|all| all.get(TITLE));
        let kind = self.media_type.as_deref().unwrap_or("something");
        match (title, &self.platform) {
            (Some(title), _) => format!("`{}` ({})", repeated(title), repeated(kind)),
            (None, Some(platform)) => {
                let part = |part: &Option<String>| repeated(part.as_deref().unwrap_or("?"));
                format!("{}/{}", part(&platform.os), part(&platform.architecture))
            }
            (None, None) => repeated(kind),
        }
    }
}

fn names(all: &[&Descriptor]) -> String {
    let mut names: Vec<_> = all.iter().take(REPEATED).map(|one| one.name()).collect();
    match all.len().saturating_sub(REPEATED) {
        0 => {}
        more => names.push(format!("{more} more")),
    }
    match names.is_empty() {
        true => "nothing".to_owned(),
        false => names.join(", "),
    }
}
