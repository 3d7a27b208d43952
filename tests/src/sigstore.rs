//! A Sigstore of our own: an authority for certificates, a log of certificates and
//! one of signatures. What is signed by it is checked like what is signed by the
//! public one, against a `trusted_root.json` of its own.

#![expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test fails by panicking"
)]

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rcgen::{
    BasicConstraints, CertificateParams, CustomExtension, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyPair, KeyUsagePurpose, PublicKeyData as _, SanType, SerialNumber, SigningKey as _,
    date_time_ymd,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The list of signed certificate timestamps in a certificate (RFC 6962).
const TIMESTAMPS: [u64; 10] = [1, 3, 6, 1, 4, 1, 11129, 2, 4, 2];

/// Who a certificate of Fulcio says has vouched for the identity.
const ISSUER: [u64; 9] = [1, 3, 6, 1, 4, 1, 57264, 1, 8];

/// The issuer of the identities here.
pub const SERVICE: &str = "https://accounts.test";

/// The three, with their keys.
#[derive(Debug)]
pub struct Sigstore {
    authority: Issuer<'static, KeyPair>,
    certificate: Vec<u8>,
    authority_key: Vec<u8>,
    certificates: KeyPair,
    signatures: KeyPair,
}

/// What is wrong with what is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    /// Nothing.
    None,
    /// The certificate had expired.
    Expired,
    /// The log has never seen the signature.
    NotInTheLog,
    /// The certificate is in no log.
    UnloggedCertificate,
}

impl Sigstore {
    /// A new one: nobody else knows it.
    #[must_use]
    pub fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let certificate = params.self_signed(&key).unwrap().der().to_vec();
        Self {
            certificate,
            authority_key: key.subject_public_key_info(),
            authority: Issuer::new(params, key),
            certificates: KeyPair::generate().unwrap(),
            signatures: KeyPair::generate().unwrap(),
        }
    }

    /// What those have to know who check.
    #[must_use]
    pub fn trusted_root(&self) -> String {
        let since = json!({ "start": "2020-01-01T00:00:00Z" });
        let log = |key: &KeyPair| {
            json!([{
                "baseUrl": "https://log.test",
                "hashAlgorithm": "SHA2_256",
                "publicKey": {
                    "rawBytes": base64(&key.subject_public_key_info()),
                    "keyDetails": "PKIX_ECDSA_P256_SHA_256",
                    "validFor": since,
                },
                "logId": { "keyId": base64(&id(key)) },
            }])
        };
        let root = json!({
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": log(&self.signatures),
            "certificateAuthorities": [{
                "subject": { "organization": "test", "commonName": "test" },
                "uri": "https://ca.test",
                "certChain": { "certificates": [{ "rawBytes": base64(&self.certificate) }] },
                "validFor": since,
            }],
            "ctlogs": log(&self.certificates),
            "timestampAuthorities": [],
        });
        root.to_string()
    }

    /// A bundle in which somebody says that they made this.
    #[must_use]
    pub fn sign(&self, artifact: &[u8], identity: &str) -> String {
        self.sign_badly(artifact, identity, Flaw::None)
    }

    /// The same, with something wrong.
    #[must_use]
    pub fn sign_badly(&self, artifact: &[u8], identity: &str, flaw: Flaw) -> String {
        let key = KeyPair::generate().unwrap();
        let certificate = self.certify(&key, identity, flaw);
        let signature = key.sign(artifact).unwrap();
        let pem = format!(
            "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
            wrapped(&base64(&certificate))
        );
        let material = json!({
            "certificate": { "rawBytes": base64(&certificate) },
            "tlogEntries": [self.entry(artifact, &signature, &pem, flaw)],
        });
        bundle(&material, artifact, &signature)
    }

    /// A bundle in which the owner of a key says that they made this.
    #[must_use]
    pub fn log(&self, artifact: &[u8], key: &OwnKey) -> String {
        let signature = key.0.sign(artifact).unwrap();
        let hint = base64(&Sha256::digest(key.0.subject_public_key_info()));
        let material = json!({
            "publicKey": { "hint": hint },
            "tlogEntries": [self.entry(artifact, &signature, &key.public(), Flaw::None)],
        });
        bundle(&material, artifact, &signature)
    }

    fn certify(&self, key: &KeyPair, identity: &str, flaw: Flaw) -> Vec<u8> {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.subject_alt_names = vec![SanType::URI(identity.try_into().unwrap())];
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::CodeSigning];
        params.serial_number = Some(SerialNumber::from(7_u64));
        params.use_authority_key_identifier_extension = true;
        if flaw == Flaw::Expired {
            params.not_before = date_time_ymd(2021, 1, 1);
            params.not_after = date_time_ymd(2021, 1, 2);
        }
        // UTF8String
        let service = [
            &[0x0c, u8::try_from(SERVICE.len()).unwrap()],
            SERVICE.as_bytes(),
        ]
        .concat();
        let issuer = CustomExtension::from_oid_content(&ISSUER, service);
        params.custom_extensions.push(issuer);
        let before = params.signed_by(key, &self.authority).unwrap();
        if flaw == Flaw::UnloggedCertificate {
            return before.der().to_vec();
        }
        let timestamp = self.timestamp(body(before.der()));
        let list = [
            &length(timestamp.len() + 2)[..],
            &length(timestamp.len()),
            &timestamp,
        ]
        .concat();
        // OCTET STRING
        let list = [&[0x04, u8::try_from(list.len()).unwrap()], &list[..]].concat();
        let timestamps = CustomExtension::from_oid_content(&TIMESTAMPS, list);
        params.custom_extensions.push(timestamps);
        let after = params.signed_by(key, &self.authority).unwrap();
        after.der().to_vec()
    }

    /// That the log of certificates has seen one (RFC 6962, 3.2).
    fn timestamp(&self, certificate: &[u8]) -> Vec<u8> {
        let at = (now() * 1000).to_be_bytes();
        let size = u32::try_from(certificate.len()).unwrap().to_be_bytes();
        let signed = [
            &[0, 0][..],
            &at,
            &[0, 1],
            &Sha256::digest(&self.authority_key),
            &size[1..],
            certificate,
            &[0, 0],
        ]
        .concat();
        let signature = self.certificates.sign(&signed).unwrap();
        [
            &[0][..],
            &id(&self.certificates),
            &at,
            // No extensions; SHA-256 and ECDSA.
            &[0, 0, 4, 3],
            &length(signature.len()),
            &signature,
        ]
        .concat()
    }

    /// That the log of signatures has one, as its only entry.
    fn entry(&self, artifact: &[u8], signature: &[u8], signer: &str, flaw: Flaw) -> Value {
        let logged = json!({
            "apiVersion": "0.0.1",
            "kind": "hashedrekord",
            "spec": {
                "data": { "hash": { "algorithm": "sha256", "value": hex(&Sha256::digest(artifact)) } },
                "signature": {
                    "content": base64(signature),
                    "publicKey": { "content": base64(signer.as_bytes()) },
                },
            },
        });
        let logged = logged.to_string().into_bytes();
        let log = id(&self.signatures);
        let at = now();
        let promise = json!({
            "body": base64(&logged),
            "integratedTime": at,
            "logID": hex(&log),
            "logIndex": 0,
        });
        let promise = self
            .signatures
            .sign(promise.to_string().as_bytes())
            .unwrap();
        let root = base64(&Sha256::digest([&[0][..], &logged].concat()));
        let note = format!("log.test - 1\n1\n{root}\n");
        let signed = match flaw {
            Flaw::NotInTheLog => KeyPair::generate().unwrap().sign(note.as_bytes()),
            _ => self.signatures.sign(note.as_bytes()),
        };
        let signed = base64(&[&log[..4], &signed.unwrap()].concat());
        json!({
            "logIndex": "0",
            "logId": { "keyId": base64(&log) },
            "kindVersion": { "kind": "hashedrekord", "version": "0.0.1" },
            "integratedTime": at.to_string(),
            "inclusionPromise": { "signedEntryTimestamp": base64(&promise) },
            "inclusionProof": {
                "logIndex": "0",
                "rootHash": root,
                "treeSize": "1",
                "hashes": [],
                "checkpoint": { "envelope": format!("{note}\n— log.test {signed}\n") },
            },
            "canonicalizedBody": base64(&logged),
        })
    }
}

impl Default for Sigstore {
    fn default() -> Self {
        Self::new()
    }
}

/// A key that somebody looks after themselves.
#[derive(Debug)]
pub struct OwnKey(KeyPair);

impl OwnKey {
    /// A new one.
    #[must_use]
    pub fn new() -> Self {
        Self(KeyPair::generate().unwrap())
    }

    /// Its public half, in PEM.
    #[must_use]
    pub fn public(&self) -> String {
        self.0.public_key_pem()
    }
}

impl Default for OwnKey {
    fn default() -> Self {
        Self::new()
    }
}

fn bundle(material: &Value, artifact: &[u8], signature: &[u8]) -> String {
    let bundle = json!({
        "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
        "verificationMaterial": material,
        "messageSignature": {
            "messageDigest": {
                "algorithm": "SHA2_256",
                "digest": base64(&Sha256::digest(artifact)),
            },
            "signature": base64(signature),
        },
    });
    bundle.to_string()
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap().as_secs()
}

fn id(key: &KeyPair) -> [u8; 32] {
    Sha256::digest(key.subject_public_key_info()).into()
}

fn base64(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn wrapped(text: &str) -> String {
    let lines = text.as_bytes().chunks(64);
    let lines: Vec<_> = lines.map(|line| str::from_utf8(line).unwrap()).collect();
    lines.join("\n")
}

fn length(of: usize) -> [u8; 2] {
    u16::try_from(of).unwrap().to_be_bytes()
}

/// What is signed in a certificate: the first of the three parts of its DER.
fn body(certificate: &[u8]) -> &[u8] {
    let inner = &certificate[header(certificate).0..];
    let (head, size) = header(inner);
    &inner[..head + size]
}

/// How long the header of a DER value is, and how long what follows.
fn header(value: &[u8]) -> (usize, usize) {
    match value[1] {
        short @ 0..0x80 => (2, short.into()),
        long => {
            let count = usize::from(long & 0x7f);
            let size = value[2..2 + count].iter();
            let size = size.fold(0, |size, byte| size << 8 | usize::from(*byte));
            (2 + count, size)
        }
    }
}
