//! What is wrong with a signature, a key or a list of those who are trusted.

/// Why a signature is refused. Each reads on after "its signature".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadSignature {
    /// It can't be read.
    #[error("can't be read: {0}")]
    Malformed(String),
    /// The file it would be in is not whole.
    #[error("can't be read: the sections of the file break off")]
    Broken,
    /// It is not where all of what follows is signed.
    #[error("is not at the beginning, so that it can't be of all that is there")]
    NotFirst,
    /// There is more than one.
    #[error("is there twice")]
    Twice,
    /// It is of parts.
    #[error("is of parts and not of the whole")]
    Parts,
    /// It is of other bytes.
    #[error("is of something else: what is here has been changed after it was signed")]
    Other,
    /// Somebody says it is a key's, which did not make it.
    #[error("was not made by the {0} that it names")]
    Wrong(String),
    /// It is on a module.
    #[error("is on a WebAssembly module, and only components are plugins")]
    Module,
    /// A bundle does not hold.
    #[error("does not hold: {0}")]
    Bundle(String),
    /// Nobody can be recognised by it.
    #[error("names nobody that could be recognised: {0}")]
    Nobody(&'static str),
    /// The same key has signed it before.
    #[error("by this key is there already")]
    Already,
}

/// Why a text is no key: reads on after "the key".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// It is written otherwise.
    #[error("is none: write ed25519:… as `palisade keygen` prints it, or a public key in PEM")]
    Form,
    /// It is of another kind.
    #[error("is of a kind that is not checked here; Ed25519, ECDSA (P-256, P-384) and RSA are")]
    Kind,
    /// It is a secret one.
    #[error("is a secret key, which belongs into no list; write the public one")]
    Secret,
    /// A secret key that can't be read.
    #[error("can't be read: it is no Ed25519 key in PEM (PKCS #8), as `palisade keygen` writes it")]
    NoSecret,
    /// No randomness.
    #[error("can't be made: the system gives no random numbers")]
    NoRandom,
}

/// What is wrong with a list of those who are trusted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{why}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct TrustError {
    /// Where, from 1.
    pub line: Option<usize>,
    /// What, in a sentence.
    pub why: String,
}
