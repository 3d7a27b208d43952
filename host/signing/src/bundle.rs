//! Sigstore bundles: what lies beside a file, or beside an artifact in a registry,
//! and says who made it.

use sha2::{Digest as _, Sha256, Sha512};
use sigstore_verify::trust_root::{SIGSTORE_PRODUCTION_TRUSTED_ROOT, TrustedRoot};
use sigstore_verify::types::bundle::VerificationMaterialContent;
use sigstore_verify::types::{
    Bundle, HashAlgorithm, Sha256Hash, Sha512Hash, SignatureContent, Statement,
};
use sigstore_verify::{PublicKeyVerificationPolicy, VerificationPolicy, Verifier};

use crate::error::BadSignature;
use crate::key::Key;
use crate::provider;
use crate::signer::Signer;

/// Largest bundle, in bytes.
pub const LARGEST_BUNDLE: usize = 1 << 20;

/// Largest file with authorities, in bytes.
pub const LARGEST_ROOT: usize = 4 << 20;

/// Statements by which somebody says that they made something, or that they stand
/// for it. Others are said about it by anybody: what was found in it, for example.
const MADE: [&str; 4] = [
    "https://slsa.dev/provenance/v0.2",
    "https://slsa.dev/provenance/v1",
    "https://sigstore.dev/cosign/sign/v1",
    "https://github.com/attestations/release/v0.1",
];

/// The authorities that bundles are checked against, without asking anybody.
pub struct Root(Verifier);

impl Root {
    /// Those of the public instance of Sigstore, as they were when this was built.
    ///
    /// # Errors
    /// If they can't be read, which would be a mistake of the build.
    pub fn public() -> Result<Self, BadSignature> {
        Self::parse(SIGSTORE_PRODUCTION_TRUSTED_ROOT)
    }

    /// Those in a file (`trusted_root.json`).
    ///
    /// # Errors
    /// [`BadSignature::Malformed`].
    pub fn parse(json: &str) -> Result<Self, BadSignature> {
        provider::install();
        if json.len() > LARGEST_ROOT {
            return Err(BadSignature::Malformed("it is too large".to_owned()));
        }
        let root = TrustedRoot::from_json(json);
        let root = root.map_err(|error| BadSignature::Malformed(error.to_string()))?;
        let verifier = Verifier::new(&root);
        let verifier = verifier.map_err(|error| BadSignature::Malformed(error.to_string()))?;
        Ok(Self(verifier))
    }

    /// Whose a bundle is. `artifacts` is what it may be about: any of it leads to
    /// the bytes that run. None, if it is a statement of another kind than that
    /// somebody made this.
    ///
    /// A bundle of a key says nothing of whose it is, so only one of `keys` is
    /// recognised.
    ///
    /// # Errors
    /// [`BadSignature`] for everything that does not hold.
    pub fn check(
        &self,
        json: &[u8],
        artifacts: &[&[u8]],
        keys: &[Key],
    ) -> Result<Option<Signer>, BadSignature> {
        let bundle = read(json)?;
        let statement = match &bundle.content {
            SignatureContent::DsseEnvelope(envelope) => {
                let statement = serde_json::from_slice::<Statement>(envelope.payload.as_bytes());
                Some(statement.map_err(|error| BadSignature::Malformed(error.to_string()))?)
            }
            _ => None,
        };
        if let Some(statement) = &statement
            && !MADE.contains(&statement.predicate_type.as_str())
        {
            return Ok(None);
        }
        let about = (artifacts.iter())
            .find(|artifact| is_about(&bundle, statement.as_ref(), artifact))
            .ok_or(BadSignature::Other)?;
        let signer = provider::with(about, || match &bundle.verification_material.content {
            VerificationMaterialContent::PublicKey(hint) => {
                self.by_key(&bundle, about, keys, &hint.hint)
            }
            _ => self.by_certificate(&bundle, about),
        })?;
        Ok(Some(signer))
    }

    fn by_certificate(&self, bundle: &Bundle, about: &[u8]) -> Result<Signer, BadSignature> {
        let policy = VerificationPolicy::any_identity();
        let result = (self.0.verify(about, bundle, &policy)).map_err(|error| failed(&error))?;
        if !(result.certificate_verified() && result.sct_verified() && result.tlog_verified()) {
            return Err(BadSignature::Bundle("not all of it was checked".to_owned()));
        }
        match (result.identity(), result.issuer()) {
            (Some(identity), Some(issuer)) => Signer::identity(identity.as_str(), issuer),
            _ => Err(BadSignature::Nobody("its certificate names nobody")),
        }
    }

    /// A key that somebody looks after: whoever trusts it needs no log, though a bundle
    /// has to have been in one, or to have a time stamp.
    fn by_key(
        &self,
        bundle: &Bundle,
        about: &[u8],
        keys: &[Key],
        hint: &str,
    ) -> Result<Signer, BadSignature> {
        for key in keys {
            let policy = PublicKeyVerificationPolicy::new(key.der()).skip_tlog_unsafe();
            match self.0.verify(about, bundle, &policy) {
                Ok(_) => return Ok(Signer::Key(key.clone())),
                Err(error) if key.hint() == hint => return Err(failed(&error)),
                Err(_) => {}
            }
        }
        Ok(Signer::unknown(
            hint.as_bytes().get(..32).unwrap_or(hint.as_bytes()),
        ))
    }
}

fn read(json: &[u8]) -> Result<Bundle, BadSignature> {
    let malformed = |why: String| BadSignature::Malformed(why);
    if json.len() > LARGEST_BUNDLE {
        return Err(malformed(format!(
            "it is larger than {LARGEST_BUNDLE} bytes"
        )));
    }
    let text = str::from_utf8(json).map_err(|_| malformed("it is no text".to_owned()))?;
    Bundle::from_json(text).map_err(|error| malformed(format!("it is no bundle: {error}")))
}

/// Whether a bundle says that it is about these bytes; what it says is checked
/// later.
fn is_about(bundle: &Bundle, statement: Option<&Statement>, artifact: &[u8]) -> bool {
    let sha256 = || Sha256::digest(artifact);
    if let Some(statement) = statement {
        let short = Sha256Hash::try_from(&sha256()[..]);
        let long = Sha512Hash::try_from(&Sha512::digest(artifact)[..]);
        return short.is_ok_and(|hash| statement.matches_sha256(&hash))
            || long.is_ok_and(|hash| statement.matches_sha512(&hash));
    }
    let SignatureContent::MessageSignature(message) = &bundle.content else {
        return false;
    };
    match &message.message_digest {
        None => true,
        Some(said) if said.algorithm == HashAlgorithm::Sha2256 => {
            said.digest.as_bytes() == &sha256()[..]
        }
        Some(said) => said.digest.as_bytes() == &Sha512::digest(artifact)[..],
    }
}

fn failed(error: &sigstore_verify::Error) -> BadSignature {
    let mut text = error.to_string();
    text.retain(|c| !c.is_control());
    BadSignature::Bundle(text.chars().take(300).collect())
}

#[cfg(test)]
mod tests;
