//! The cryptography that Sigstore's bundles are checked with: `ring`, which TLS uses
//! here too, so that there is one library to trust and no other to build.

use std::cell::RefCell;
use std::sync::OnceLock;

use ring::digest::{Context, SHA256, SHA384, SHA512};
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA384_ASN1, ECDSA_P384_SHA256_ASN1, ECDSA_P384_SHA384_ASN1,
    ED25519, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512,
    RSA_PSS_2048_8192_SHA256, RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512,
    UnparsedPublicKey, VerificationAlgorithm,
};
use sigstore_verify::crypto::{
    CryptoProvider, Error, HashContext, Result, SigningScheme, install_default_provider,
};
use sigstore_verify::types::HashAlgorithm;

thread_local! {
    /// What is being checked on this thread.
    static SIGNED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Has everything that is checked in `work` go by this cryptography. `signed` is
/// what signatures may be of.
pub(crate) fn with<T>(signed: &[u8], work: impl FnOnce() -> T) -> T {
    install();
    SIGNED.with_borrow_mut(|place| *place = signed.to_vec());
    let done = work();
    SIGNED.with_borrow_mut(|place| *place = Vec::new());
    done
}

/// Has this process use it.
pub(crate) fn install() {
    static ONCE: OnceLock<()> = OnceLock::new();
    // It fails where there is one already, which is then this one.
    ONCE.get_or_init(|| install_default_provider(&Ring).unwrap_or_default());
}

#[derive(Debug)]
struct Ring;

struct Hash(Context);

impl HashContext for Hash {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn finalize(self: Box<Self>) -> Vec<u8> {
        self.0.finish().as_ref().to_vec()
    }
}

impl CryptoProvider for Ring {
    fn hash(&self, algorithm: HashAlgorithm) -> Result<Box<dyn HashContext>> {
        Ok(Box::new(Hash(context(algorithm)?)))
    }

    fn verify_raw(
        &self,
        scheme: SigningScheme,
        key: &[u8],
        data: &[u8],
        signature: &[u8],
    ) -> Result<()> {
        UnparsedPublicKey::new(algorithm(scheme)?, key)
            .verify(data, signature)
            .map_err(|_| Error::Verification("the signature is not of this key".to_owned()))
    }

    /// `ring` checks signatures of what was hashed, and not of hashes. What was
    /// hashed is at hand, and is hashed once more here.
    fn verify_prehashed(
        &self,
        scheme: SigningScheme,
        key: &[u8],
        digest: &[u8],
        signature: &[u8],
    ) -> Result<()> {
        let hashed = scheme.hash_algorithm();
        let hashed = hashed.ok_or_else(|| unsupported("a hash that this kind of key signs"))?;
        SIGNED.with_borrow(|signed| {
            let mut own = context(hashed)?;
            own.update(signed);
            match own.finish().as_ref() == digest {
                true => self.verify_raw(scheme, key, signed, signature),
                false => Err(Error::Verification("it is of something else".to_owned())),
            }
        })
    }
}

fn context(algorithm: HashAlgorithm) -> Result<Context> {
    Ok(Context::new(match algorithm {
        HashAlgorithm::Sha2256 => &SHA256,
        HashAlgorithm::Sha2384 => &SHA384,
        HashAlgorithm::Sha2512 => &SHA512,
        _ => return Err(unsupported("a hash of this kind")),
    }))
}

fn algorithm(scheme: SigningScheme) -> Result<&'static dyn VerificationAlgorithm> {
    Ok(match scheme {
        SigningScheme::EcdsaP256Sha256 => &ECDSA_P256_SHA256_ASN1,
        SigningScheme::EcdsaP256Sha384 => &ECDSA_P256_SHA384_ASN1,
        SigningScheme::EcdsaP384Sha256 => &ECDSA_P384_SHA256_ASN1,
        SigningScheme::EcdsaP384Sha384 => &ECDSA_P384_SHA384_ASN1,
        SigningScheme::Ed25519 => &ED25519,
        SigningScheme::RsaPssSha256 => &RSA_PSS_2048_8192_SHA256,
        SigningScheme::RsaPssSha384 => &RSA_PSS_2048_8192_SHA384,
        SigningScheme::RsaPssSha512 => &RSA_PSS_2048_8192_SHA512,
        SigningScheme::RsaPkcs1Sha256 => &RSA_PKCS1_2048_8192_SHA256,
        SigningScheme::RsaPkcs1Sha384 => &RSA_PKCS1_2048_8192_SHA384,
        SigningScheme::RsaPkcs1Sha512 => &RSA_PKCS1_2048_8192_SHA512,
        _ => return Err(unsupported("a signature of this kind")),
    })
}

fn unsupported(what: &str) -> Error {
    Error::UnsupportedAlgorithm(format!("{what} is not checked here"))
}
