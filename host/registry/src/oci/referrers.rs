//! What refers to an artifact in a registry, by the OCI distribution specification
//! 1.1: here, bundles of Sigstore that say who made it. Where the registry has no
//! list of its own, there is a tag with one, by the same specification.

use std::time::Duration;

use bytes::Bytes;
use hyper::header;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::manifest::{Found, Index, Manifest};
use super::push::{MANIFEST, Pushed, put};
use super::{MANIFESTS, Registry};
use crate::digest::Digest;
use crate::fetch::beside::{Beside, LARGEST};
use crate::fetch::web::{Ask, good};
use crate::fetch::{FetchError, Fetcher};

/// Bundles that are taken for one artifact.
const MOST: usize = 16;

/// Largest list, in bytes.
const LARGEST_LIST: u64 = 1 << 20;

const KIND: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const EMPTY: &str = "application/vnd.oci.empty.v1+json";

/// Every bundle that refers to one of these manifests. A list of which the registry
/// shows but a part is taken as it is: what is left out was not there for whoever
/// asks for a signature.
pub(super) async fn all(
    registry: &mut Registry<'_>,
    chain: &[Vec<u8>],
) -> Result<Vec<Beside>, FetchError> {
    let limit = patience(registry);
    let from = registry.reference.to_string();
    let found = timeout(limit, async {
        let mut bundles = Vec::new();
        for manifest in chain {
            bundles.extend(one(registry, Digest::of(manifest)).await?);
        }
        Ok(bundles)
    });
    found.await.unwrap_or(Err(FetchError::Slow {
        from: format!("what says who made {from}"),
        received: 0,
        seconds: limit.as_secs(),
    }))
}

/// How long all of it may take.
fn patience(registry: &Registry<'_>) -> Duration {
    registry.session.web().limits().time_for(LARGEST_LIST)
}

async fn one(registry: &mut Registry<'_>, of: Digest) -> Result<Vec<Beside>, FetchError> {
    let Some(index) = list(registry, of).await? else {
        return Ok(Vec::new());
    };
    let parts = index.bundles().map_err(|why| registry.unusable(why))?;
    if parts.len() > MOST {
        let why = format!("more than {MOST} signatures lie beside it");
        return Err(registry.unusable(why));
    }
    let mut bundles = Vec::new();
    for part in parts {
        let wanted = part.digest.to_string();
        let found = registry.manifest(&wanted, Some(part.digest), Some(part.size));
        let Found::Manifest(manifest) = found.await?.1 else {
            return Err(registry.unusable("what should be a signature beside it is an index"));
        };
        let layer = manifest.bundle().map_err(|why| registry.unusable(why))?;
        let from = format!("the signature {wanted} of {}", registry.reference);
        let blob = registry.at(&format!("blobs/{}", layer.digest))?;
        let answer = good(&from, registry.session.ask(Ask::get(blob)).await?)?;
        let most = LARGEST.min(layer.size);
        let bytes = registry.session.web().short(&from, answer, most).await?;
        let found = Digest::of(&bytes);
        if found != layer.digest {
            return Err(registry.unusable(format!(
                "the registry sends {found} where a signature's manifest says {}",
                layer.digest
            )));
        }
        bundles.push(Beside { from, bytes });
    }
    Ok(bundles)
}

/// What refers to a manifest, if the registry knows.
async fn list(registry: &mut Registry<'_>, of: Digest) -> Result<Option<Index>, FetchError> {
    let kind: String = url::form_urlencoded::byte_serialize(KIND.as_bytes()).collect();
    let own = registry.at(&format!("referrers/{of}?artifactType={kind}"))?;
    let answer = registry.session.ask(Ask::get(own)).await?;
    let answer = match answer.status().as_u16() {
        200 => answer,
        // It has no such list.
        _ => {
            let tag = registry.at(&format!("manifests/{}", fallback(of)))?;
            let ask = Ask::get(tag).with(header::ACCEPT, MANIFESTS);
            let answer = registry.session.ask(ask).await?;
            if answer.status() == 404 {
                return Ok(None);
            }
            answer
        }
    };
    let from = format!("the list of what refers to {}", registry.reference);
    let answer = good(&from, answer)?;
    let web = registry.session.web();
    let bytes = web.short(&from, answer, LARGEST_LIST).await?;
    match Manifest::parse(&bytes).map_err(|why| registry.unusable(why))? {
        Found::Index(index) => Ok(Some(index)),
        Found::Manifest(_) => Err(registry.unusable("its list of signatures is no index")),
    }
}

/// The tag that has the list where the registry has none.
fn fallback(of: Digest) -> String {
    format!("sha256-{}", of.hex())
}

impl Fetcher {
    /// Puts a bundle of Sigstore beside what was pushed. Where the registry keeps no
    /// list of what refers to what, it goes into the list under a tag.
    ///
    /// # Errors
    /// [`FetchError`]; what was pushed stays.
    pub async fn attach(&self, pushed: &Pushed, bundle: Bytes) -> Result<(), FetchError> {
        let mut registry = Registry::new(self, &pushed.reference, "pull,push")?;
        if bundle.len() as u64 > LARGEST {
            return Err(FetchError::TooLarge {
                from: "the bundle".to_owned(),
                limit: LARGEST,
            });
        }
        let empty = Bytes::from_static(b"{}");
        let manifest = json!({
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "artifactType": KIND,
            "config": descriptor(EMPTY, &empty),
            "layers": [descriptor(KIND, &bundle)],
            "subject": {
                "mediaType": MANIFEST,
                "digest": pushed.manifest,
                "size": pushed.manifest_size,
            },
        });
        let manifest = manifest.to_string().into_bytes();
        let bundle_digest = Digest::of(&bundle);
        registry.upload(bundle, bundle_digest).await?;
        registry.upload(empty.clone(), Digest::of(&empty)).await?;
        let mut entry = descriptor(MANIFEST, &manifest);
        entry["artifactType"] = KIND.into();
        let to = registry.at(&format!("manifests/{}", Digest::of(&manifest)))?;
        let answer = registry
            .session
            .ask(put(to, manifest.into(), MANIFEST))
            .await?;
        registry.expect(answer.status().as_u16(), 201)?;
        match answer.headers().contains_key("oci-subject") {
            true => Ok(()),
            false => registry.list_by_tag(pushed.manifest, entry).await,
        }
    }
}

impl Registry<'_> {
    /// Adds to the list under the tag.
    async fn list_by_tag(&mut self, of: Digest, entry: Value) -> Result<(), FetchError> {
        let tag = self.at(&format!("manifests/{}", fallback(of)))?;
        let ask = Ask::get(tag.clone()).with(header::ACCEPT, MANIFESTS);
        let answer = self.session.ask(ask).await?;
        let mut index = match answer.status().as_u16() {
            404 => json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": [] }),
            _ => {
                let from = format!("the list of what refers to {}", self.reference);
                let answer = good(&from, answer)?;
                let web = self.session.web();
                let bytes = web.short(&from, answer, LARGEST_LIST).await?;
                let index: Option<Value> = serde_json::from_slice(&bytes).ok();
                index.ok_or_else(|| self.unusable("its list of signatures is no JSON"))?
            }
        };
        let all = index["manifests"].as_array_mut();
        let all = all.ok_or_else(|| self.unusable("its list of signatures is no index"))?;
        if all.iter().any(|one| one["digest"] == entry["digest"]) {
            return Ok(());
        }
        all.push(entry);
        let ask = put(tag, index.to_string().into(), INDEX);
        let answer = self.session.ask(ask).await?;
        self.expect(answer.status().as_u16(), 201)
    }
}

fn descriptor(kind: &str, bytes: &[u8]) -> Value {
    json!({ "mediaType": kind, "digest": Digest::of(bytes), "size": bytes.len() })
}

#[cfg(test)]
mod tests {
    #[test]
    fn one_kind_is_written_and_all_are_read() {
        assert!(super::KIND.starts_with(crate::oci::manifest::BUNDLE));
    }
}
