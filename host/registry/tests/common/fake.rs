//! Registries that have whatever a test wants.

#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "a test fails by panicking; each uses some of it"
)]

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use palisade_registry::Digest;
use palisade_tests::internet::Web;
use serde_json::{Value, json};

use super::net::answer;

/// What a server has at a path: status, headers, body.
pub(crate) type Things = Arc<Mutex<HashMap<String, (u16, Vec<String>, Vec<u8>)>>>;

/// A registry that has whatever a test wants, without asking who asks.
pub(crate) struct Fake {
    pub(crate) web: Web,
    pub(crate) things: Things,
}

impl Fake {
    pub(crate) fn new() -> Self {
        let things = Things::default();
        let own = Arc::clone(&things);
        let web = Web::plain(move |asked, pipe| {
            let path = asked.head.split(' ').nth(1).unwrap_or_default();
            let path = path.split('?').next().unwrap_or_default();
            let thing = own.lock().unwrap().get(path).cloned();
            let (status, headers, body) = thing.unwrap_or((404, Vec::new(), Vec::new()));
            answer(pipe, status, &headers, &body)
        });
        Self { web, things }
    }

    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.web.port())
    }

    pub(crate) fn source(&self, tag: &str) -> String {
        format!("oci://{}/notes{tag}", self.host())
    }

    pub(crate) fn put(&self, path: &str, status: u16, headers: &[&str], body: &[u8]) {
        let headers = headers.iter().map(ToString::to_string).collect();
        let mut things = self.things.lock().unwrap();
        things.insert(path.to_owned(), (status, headers, body.to_vec()));
    }

    pub(crate) fn blob(&self, name: &Digest, body: &[u8]) {
        self.put(&format!("/v2/notes/blobs/{name}"), 200, &[], body);
    }

    /// A manifest, by a tag and by its digest.
    pub(crate) fn manifest(&self, tag: &str, manifest: &Value) -> Digest {
        let body = manifest.to_string().into_bytes();
        let digest = Digest::of(&body);
        for name in [tag.to_owned(), digest.to_string()] {
            self.put(&format!("/v2/notes/manifests/{name}"), 200, &[], &body);
        }
        digest
    }

    /// A good artifact.
    pub(crate) fn artifact(&self, tag: &str, body: &[u8]) -> Digest {
        self.blob(&Digest::of(body), body);
        self.manifest(tag, &manifest(&[layer(body)]))
    }

    pub(crate) fn heads(&self) -> String {
        let asked = self.web.asked();
        asked
            .iter()
            .map(|asked| asked.head.to_ascii_lowercase())
            .collect()
    }
}

pub(crate) fn layer(body: &[u8]) -> Value {
    json!({
        "mediaType": "application/wasm",
        "digest": Digest::of(body).to_string(),
        "size": body.len(),
    })
}

pub(crate) fn manifest(layers: &[Value]) -> Value {
    json!({"schemaVersion": 2, "layers": layers, "annotations": {"a": "b"}})
}
