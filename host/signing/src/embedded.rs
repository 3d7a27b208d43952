//! Signatures inside a component, by the tool conventions for WebAssembly
//! (`wasmsign2` makes the same): a custom section `signature`, the first of all,
//! with signatures of the SHA-256 of every byte that follows it.
//!
//! Of what that format allows, the part is read in which everything is covered: one
//! section, one hash, of the whole. The format also has signatures of the first
//! parts of a file, which stay good when somebody appends to it, and hashes that are
//! signed together, any of which counts; they are refused. The format does not
//! cover the file's first eight bytes, so only components are taken.

use sha2::{Digest as _, Sha256};
use wasmparser::BinaryReader;
use wasmsign2::{SignatureData, SignatureForHashes, SignedHashes};

use crate::error::BadSignature;
use crate::key::Key;
use crate::secret::SecretKey;
use crate::signer::Signer;

/// What every component begins with.
const HEADER: &[u8; 8] = b"\0asm\x0d\0\x01\0";

const NAME: &str = "signature";

/// Signatures on one component.
const MOST: usize = 16;

/// Largest section, in bytes.
const LARGEST: usize = 4096;

/// Longest identifier of a key, in bytes.
const LONGEST_ID: usize = 64;

/// A version, what is signed, and how it is hashed: the only ones there are.
const HEAD: [u8; 3] = [1, 1, 1];

/// The algorithm: Ed25519, the only one there is.
const ALGORITHM: u8 = 1;

/// What is signed begins with it.
const DOMAIN: &[u8] = b"wasmsig";

/// A component with a signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// All of it.
    pub bytes: Vec<u8>,
    /// Everybody who has signed it, the newest last.
    pub signers: Vec<Signer>,
}

/// Who has signed a component, in itself; nobody, if nothing in it says that it is
/// signed. A signature may leave out whose it is; then only one of `keys` is
/// recognised.
///
/// # Errors
/// [`BadSignature`] for everything that says that it is signed and is not.
pub fn embedded(bytes: &[u8], keys: &[Key]) -> Result<Vec<Signer>, BadSignature> {
    let parts = Parts::of(bytes)?;
    let Some(section) = parts.section else {
        return Ok(Vec::new());
    };
    let section = Section::read(section)?;
    let message = section.message(parts.rest)?;
    let mut signers = Vec::new();
    for signature in &section.signatures {
        let signer = recognised(signature, &message, keys)?;
        if !signers.contains(&signer) {
            signers.push(signer);
        }
    }
    Ok(signers)
}

/// Whether these are no sections of WebAssembly, so that whoever would load it has a
/// better word for what is wrong.
#[must_use]
pub fn is_broken(bytes: &[u8]) -> bool {
    Parts::of(bytes).is_err_and(|error| error == BadSignature::Broken)
}

/// Puts a signature into a component, beside those that are there.
///
/// # Errors
/// [`BadSignature`], also if what is there is wrong, or if this key has signed it
/// before.
pub fn sign(bytes: &[u8], secret: &SecretKey) -> Result<Sealed, BadSignature> {
    let own = secret.public();
    let mut signers = embedded(bytes, std::slice::from_ref(&own))?;
    let signer = Signer::Key(own.clone());
    if signers.contains(&signer) {
        return Err(BadSignature::Already);
    }
    let parts = Parts::of(bytes)?;
    let mut signatures = match parts.section {
        Some(section) => Section::read(section)?.signatures,
        None => Vec::new(),
    };
    if signatures.len() == MOST {
        return Err(BadSignature::Malformed(format!("there are {MOST} already")));
    }
    let hash = Sha256::digest(parts.rest).to_vec();
    let message = message(&hash);
    signatures.push(SignatureForHashes {
        // Whose it is, so that it can be shown to people who do not know the key.
        key_id: own.as_ed25519().map(<[u8]>::to_vec),
        alg_id: ALGORITHM,
        signature: secret.sign(&message).to_vec(),
    });
    signers.push(signer);
    let payload = written(hash, signatures)?;
    let mut bytes = HEADER.to_vec();
    bytes.push(0);
    leb(&mut bytes, 1 + NAME.len() + payload.len());
    leb(&mut bytes, NAME.len());
    bytes.extend_from_slice(NAME.as_bytes());
    bytes.extend_from_slice(&payload);
    bytes.extend_from_slice(parts.rest);
    Ok(Sealed { bytes, signers })
}

/// A component, cut where its signature ends.
struct Parts<'a> {
    section: Option<&'a [u8]>,
    /// Everything that is signed.
    rest: &'a [u8],
}

impl<'a> Parts<'a> {
    fn of(bytes: &'a [u8]) -> Result<Self, BadSignature> {
        let component = bytes.starts_with(HEADER);
        let body = bytes.get(HEADER.len()..).unwrap_or_default();
        let mut this = Self {
            section: None,
            rest: body,
        };
        // What is no WebAssembly at all is for others to refuse, and not signed.
        if !bytes.starts_with(&HEADER[..4]) || bytes.len() < HEADER.len() {
            return Ok(this);
        }
        let mut reader = BinaryReader::new(body, 0);
        let mut first = true;
        while !reader.eof() {
            let (id, section) = section(&mut reader).map_err(|_| BadSignature::Broken)?;
            if let Some(payload) = (id == 0).then(|| signature(section)).flatten() {
                if !component {
                    return Err(BadSignature::Module);
                }
                if this.section.is_some() {
                    return Err(BadSignature::Twice);
                }
                if !first {
                    return Err(BadSignature::NotFirst);
                }
                this.section = Some(payload);
                this.rest = &body[reader.original_position()..];
            }
            first = false;
        }
        Ok(this)
    }
}

/// The next section, with what it is.
fn section<'a>(reader: &mut BinaryReader<'a>) -> wasmparser::Result<(u8, &'a [u8])> {
    let id = reader.read_u8()?;
    let size = reader.read_var_u32()?;
    Ok((id, reader.read_bytes(size as usize)?))
}

/// What is in a custom section that is called a signature.
fn signature(section: &[u8]) -> Option<&[u8]> {
    let mut reader = BinaryReader::new(section, 0);
    let name = reader.read_string().ok()?;
    (name == NAME).then(|| reader.read_bytes(reader.bytes_remaining()).ok())?
}

/// What a signature's section says.
struct Section {
    hash: Vec<u8>,
    signatures: Vec<SignatureForHashes>,
}

impl Section {
    fn read(payload: &[u8]) -> Result<Self, BadSignature> {
        if payload.len() > LARGEST {
            return Err(malformed("it is too large"));
        }
        let short = |_| malformed("it breaks off");
        let mut reader = BinaryReader::new(payload, 0);
        if reader.read_bytes(HEAD.len()).map_err(short)? != HEAD {
            return Err(malformed("it is of another version or kind"));
        }
        if reader.read_var_u32().map_err(short)? != 1 {
            return Err(BadSignature::Parts);
        }
        let set = slice(&mut reader)?;
        end(&reader)?;
        let mut reader = BinaryReader::new(set, 0);
        if reader.read_var_u32().map_err(short)? != 1 {
            return Err(BadSignature::Parts);
        }
        let hash = reader.read_bytes(32).map_err(short)?.to_vec();
        let count = reader.read_var_u32().map_err(short)? as usize;
        if !(1..=MOST).contains(&count) {
            return Err(malformed("it has no signature, or too many"));
        }
        let signatures = (0..count).map(|_| one(slice(&mut reader)?));
        let signatures = signatures.collect::<Result<Vec<_>, BadSignature>>()?;
        end(&reader)?;
        // There is one way to write it, and others read it the same.
        if written(hash.clone(), signatures.clone())? != payload {
            return Err(malformed("it is written in an unusual way"));
        }
        Ok(Self { hash, signatures })
    }

    /// What was signed, if it is about these bytes.
    fn message(&self, rest: &[u8]) -> Result<Vec<u8>, BadSignature> {
        match Sha256::digest(rest)[..] == self.hash {
            true => Ok(message(&self.hash)),
            false => Err(BadSignature::Other),
        }
    }
}

fn message(hash: &[u8]) -> Vec<u8> {
    [DOMAIN, &HEAD, hash].concat()
}

fn one(bytes: &[u8]) -> Result<SignatureForHashes, BadSignature> {
    let short = |_| malformed("it breaks off");
    let mut reader = BinaryReader::new(bytes, 0);
    let id = slice(&mut reader)?;
    if id.len() > LONGEST_ID {
        return Err(malformed("it names its key at too great a length"));
    }
    if reader.read_u8().map_err(short)? != ALGORITHM {
        return Err(malformed("it is not of Ed25519"));
    }
    let signature = slice(&mut reader)?;
    end(&reader)?;
    if signature.len() != 64 {
        return Err(malformed("it is not as long as one of Ed25519"));
    }
    Ok(SignatureForHashes {
        key_id: (!id.is_empty()).then(|| id.to_vec()),
        alg_id: ALGORITHM,
        signature: signature.to_vec(),
    })
}

/// Whose a signature is. One that names its key in full has to be that key's.
fn recognised(
    signature: &SignatureForHashes,
    message: &[u8],
    keys: &[Key],
) -> Result<Signer, BadSignature> {
    let is_by = |key: &Key| {
        key.as_ed25519().is_some_and(|bytes| {
            ring::signature::UnparsedPublicKey::new(&ring::signature::ED25519, bytes)
                .verify(message, &signature.signature)
                .is_ok()
        })
    };
    let id = signature.key_id.as_deref().unwrap_or_default();
    if let Ok(bytes) = id.try_into() {
        let key = Key::ed25519(bytes);
        return match is_by(&key) {
            true => Ok(Signer::Key(key)),
            false => Err(BadSignature::Wrong(format!("key {key}"))),
        };
    }
    let known = keys.iter().find(|key| is_by(key));
    Ok(match known {
        Some(key) => Signer::Key(key.clone()),
        None => Signer::unknown(id),
    })
}

fn written(hash: Vec<u8>, signatures: Vec<SignatureForHashes>) -> Result<Vec<u8>, BadSignature> {
    let data = SignatureData {
        specification_version: HEAD[0],
        content_type: HEAD[1],
        hash_function: HEAD[2],
        signed_hashes_set: vec![SignedHashes {
            hashes: vec![hash],
            signatures,
        }],
    };
    data.serialize()
        .map_err(|_| malformed("it can't be written"))
}

fn slice<'a>(reader: &mut BinaryReader<'a>) -> Result<&'a [u8], BadSignature> {
    let short = |_| malformed("it breaks off");
    let length = reader.read_var_u32().map_err(short)?;
    reader.read_bytes(length as usize).map_err(short)
}

fn end(reader: &BinaryReader<'_>) -> Result<(), BadSignature> {
    match reader.eof() {
        true => Ok(()),
        false => Err(malformed("something follows it")),
    }
}

fn malformed(why: &str) -> BadSignature {
    BadSignature::Malformed(why.to_owned())
}

/// A number as WebAssembly writes it.
fn leb(out: &mut Vec<u8>, mut number: usize) {
    loop {
        let low = number.to_le_bytes()[0] & 0x7f;
        number >>= 7;
        if number == 0 {
            return out.push(low);
        }
        out.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests;
