//! Putting a component into a registry, in the shape that others read.

use std::collections::BTreeMap;
use std::time::SystemTime;

use bytes::Bytes;
use chrono::{DateTime, SecondsFormat, Utc};
use hyper::Method;
use hyper::header::{self, HeaderValue};
use serde::Serialize;

use super::Registry;
use super::component::Config;
use crate::digest::Digest;
use crate::fetch::error::hint;
use crate::fetch::web::Ask;
use crate::fetch::{FetchError, Fetcher};
use crate::source::{OciReference, WebAddress};

pub(super) const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const CONFIG: &str = "application/vnd.wasm.config.v0+json";
const LAYER: &str = "application/wasm";

/// What was pushed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pushed {
    /// The artifact, by its digest.
    pub reference: OciReference,
    /// The component.
    pub digest: Digest,
    /// The manifest.
    pub manifest: Digest,
    /// The manifest's size, in bytes.
    pub manifest_size: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    schema_version: u32,
    media_type: &'static str,
    config: Descriptor,
    layers: [Descriptor; 1],
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    annotations: &'a BTreeMap<String, String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    media_type: &'static str,
    digest: Digest,
    size: usize,
}

impl Descriptor {
    fn of(media_type: &'static str, bytes: &[u8]) -> Self {
        Self {
            media_type,
            digest: Digest::of(bytes),
            size: bytes.len(),
        }
    }
}

impl Fetcher {
    /// Pushes a component or module, under the tag of `reference` (`latest` without
    /// one): one layer, with the configuration that `wkg` and others expect. `created`
    /// is what it says of its age.
    ///
    /// # Errors
    /// [`FetchError`]. What was sent then is a blob without a name, which registries
    /// clean up.
    pub async fn push(
        &self,
        component: Bytes,
        reference: &OciReference,
        annotations: &BTreeMap<String, String>,
        created: SystemTime,
    ) -> Result<Pushed, FetchError> {
        let mut registry = Registry::new(self, reference, "pull,push")?;
        if reference.digest().is_some() {
            return Err(registry.unusable("a digest follows from what is pushed; name a tag"));
        }
        if component.len() as u64 > self.limits.bytes {
            return Err(FetchError::TooLarge {
                from: "what is to be pushed".to_owned(),
                limit: self.limits.bytes,
            });
        }
        let created: DateTime<Utc> = created.into();
        let created = created.to_rfc3339_opts(SecondsFormat::Secs, true);
        let config = Config::of(&component, created).map_err(|why| registry.unusable(why))?;
        let json =
            |value: Result<Vec<u8>, serde_json::Error>| value.map_err(|_| FetchError::Broken);
        let config = json(serde_json::to_vec(&config))?;
        let layer = Descriptor::of(LAYER, &component);
        let digest = layer.digest;
        let manifest = json(serde_json::to_vec(&Written {
            schema_version: 2,
            media_type: MANIFEST,
            config: Descriptor::of(CONFIG, &config),
            layers: [layer],
            annotations,
        }))?;
        registry.upload(component, digest).await?;
        let config_digest = Digest::of(&config);
        registry.upload(config.into(), config_digest).await?;
        let manifest_digest = Digest::of(&manifest);
        let manifest_size = manifest.len();
        let to = registry.at(&format!("manifests/{}", reference.wanted()))?;
        let ask = put(to, manifest.into(), MANIFEST);
        let answer = registry.session.ask(ask).await?;
        registry.expect(answer.status().as_u16(), 201)?;
        Ok(Pushed {
            reference: reference.at(manifest_digest),
            digest,
            manifest: manifest_digest,
            manifest_size,
        })
    }
}

impl Registry<'_> {
    /// Uploads a blob, unless it is there.
    pub(super) async fn upload(&mut self, bytes: Bytes, digest: Digest) -> Result<(), FetchError> {
        let there = self.at(&format!("blobs/{digest}"))?;
        let head = Ask {
            method: Method::HEAD,
            ..Ask::get(there)
        };
        if self.session.ask(head).await?.status() == 200 {
            return Ok(());
        }
        let uploads = self.at("blobs/uploads/")?;
        let begin = Ask {
            method: Method::POST,
            ..Ask::get(uploads.clone())
        };
        let answer = self.session.ask(begin).await?;
        self.expect(answer.status().as_u16(), 202)?;
        let to = self.session.web().led(&uploads, answer.headers())?;
        let mut url = url::Url::parse(&to.to_string()).map_err(|error| self.unusable(error))?;
        url.query_pairs_mut()
            .append_pair("digest", &digest.to_string());
        let to = self
            .session
            .web()
            .named(&uploads.to_string(), url.as_str())?;
        let own = to.same_origin(&self.api);
        let ask = put(to, bytes, "application/octet-stream");
        let answer = match own {
            true => self.session.ask(ask).await?,
            // Where it is stored elsewhere, that is not told who asks.
            false => self.session.web().send(ask).await?,
        };
        self.expect(answer.status().as_u16(), 201)
    }

    pub(super) fn expect(&self, status: u16, good: u16) -> Result<(), FetchError> {
        match status == good {
            true => Ok(()),
            false => Err(FetchError::Status {
                from: self.reference.to_string(),
                status,
                hint: hint(status),
            }),
        }
    }
}

pub(super) fn put(to: WebAddress, body: Bytes, kind: &'static str) -> Ask {
    Ask {
        method: Method::PUT,
        body,
        ..Ask::get(to)
    }
    .with(header::CONTENT_TYPE, HeaderValue::from_static(kind))
}
