//! Artifacts in registries, by the OCI distribution specification 1.1.
//!
//! Own code, where `oci-client` exists, since whoever owns a registry is a stranger:
//! that crate sends a login to whatever address the registry names, follows redirects
//! anywhere, in the open too, and reads manifests and tokens of any size. Here it is
//! [`Web`] that asks.

use hyper::header::{self, HeaderName, HeaderValue};

use crate::digest::Digest;
use crate::fetch::web::{Ask, Web, good};
use crate::fetch::{FetchError, Fetched, Fetcher, Told};
use crate::source::{OciReference, WebAddress};
use crate::store::Store;

mod auth;
mod component;
mod login;
mod manifest;
mod push;
mod referrers;

use auth::Session;
pub use login::Credentials;
use manifest::{Found, Manifest};
pub use push::Pushed;

/// What manifests are called.
const MANIFESTS: HeaderValue = HeaderValue::from_static(
    "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json, \
     application/vnd.docker.distribution.manifest.v2+json, \
     application/vnd.docker.distribution.manifest.list.v2+json",
);

const CONTENT_DIGEST: HeaderName = HeaderName::from_static("docker-content-digest");

/// One repository, spoken to.
struct Registry<'a> {
    reference: &'a OciReference,
    api: WebAddress,
    session: Session<'a>,
}

/// Fetches the component that a reference leads to.
pub(crate) async fn pull(
    fetcher: &Fetcher,
    store: &Store,
    reference: &OciReference,
    progress: Told<'_>,
) -> Result<Fetched, FetchError> {
    let mut registry = Registry::new(fetcher, reference, "pull")?;
    let (digest, found, bytes) = registry
        .manifest(&reference.wanted(), reference.digest(), None)
        .await?;
    let mut chain = vec![bytes];
    let manifest = match found {
        Found::Manifest(manifest) => manifest,
        Found::Index(index) => {
            let one = index.wasm().map_err(|why| registry.unusable(why))?;
            let wanted = one.digest.to_string();
            let found = registry.manifest(&wanted, Some(one.digest), Some(one.size));
            let (_, found, bytes) = found.await?;
            chain.push(bytes);
            match found {
                Found::Manifest(manifest) => manifest,
                Found::Index(_) => {
                    return Err(registry.unusable("its index leads to another index"));
                }
            }
        }
    };
    let layer = manifest.layer().map_err(|why| registry.unusable(why))?;
    let from = reference.to_string();
    if layer.size > fetcher.limits.bytes {
        let limit = fetcher.limits.bytes;
        return Err(FetchError::TooLarge { from, limit });
    }
    let blob = registry.at(&format!("blobs/{}", layer.digest))?;
    let answer = registry.session.ask(Ask::get(blob)).await?;
    let answer = good(&from, answer)?;
    let web = registry.session.web();
    let coming = web.component(store, &from, answer, Some(layer.size), progress);
    let (blob, found) = coming.await?;
    if found != layer.digest {
        return Err(registry.unusable(format!(
            "the registry sends {found} where its manifest says {}",
            layer.digest
        )));
    }
    let beside = referrers::all(&mut registry, &chain).await?;
    Ok(Fetched {
        chain,
        beside,
        blob,
        digest: found,
        manifest: Some(digest),
        annotations: manifest.annotations,
    })
}

impl<'a> Registry<'a> {
    fn new(
        fetcher: &'a Fetcher,
        reference: &'a OciReference,
        actions: &'static str,
    ) -> Result<Self, FetchError> {
        let base = format!("{}/v2/", reference.api());
        let api = WebAddress::parse(&base).map_err(|why| FetchError::Artifact {
            reference: reference.to_string(),
            why: format!("its registry {why}"),
        })?;
        let web = Web::new(&fetcher.outside, &fetcher.limits, api.clone());
        let session = Session::new(web, reference, actions, &fetcher.credentials);
        Ok(Self {
            reference,
            api,
            session,
        })
    }

    /// An address in the repository.
    fn at(&self, path: &str) -> Result<WebAddress, FetchError> {
        let address = format!("{}{}/{path}", self.api, self.reference.repository());
        WebAddress::parse(&address).map_err(|why| self.unusable(why))
    }

    /// A manifest: its digest, what is in it, and how that is written.
    async fn manifest(
        &mut self,
        wanted: &str,
        expected: Option<Digest>,
        size: Option<u64>,
    ) -> Result<(Digest, Found, Vec<u8>), FetchError> {
        let from = self.reference.to_string();
        let ask = Ask::get(self.at(&format!("manifests/{wanted}"))?);
        let answer = self
            .session
            .ask(ask.with(header::ACCEPT, MANIFESTS))
            .await?;
        let answer = good(&from, answer)?;
        let said = answer.headers().get(CONTENT_DIGEST);
        let said = said.and_then(|said| said.to_str().ok()?.parse::<Digest>().ok());
        let web = self.session.web();
        let most = web.limits().manifest;
        let bytes = web
            .short(&format!("the manifest of {from}"), answer, most)
            .await?;
        let digest = Digest::of(&bytes);
        for expected in [expected, said].into_iter().flatten() {
            if expected != digest {
                return Err(self.unusable(format!(
                    "the registry sends the manifest {digest} where it should send {expected}"
                )));
            }
        }
        if size.is_some_and(|size| size != bytes.len() as u64) {
            return Err(self.unusable("its manifest is not as large as its index says"));
        }
        let found = Manifest::parse(&bytes).map_err(|why| self.unusable(why))?;
        Ok((digest, found, bytes))
    }

    fn unusable(&self, why: impl ToString) -> FetchError {
        FetchError::Artifact {
            reference: self.reference.to_string(),
            why: why.to_string(),
        }
    }
}
