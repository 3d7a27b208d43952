//! Who has signed a plugin, and what the person says of them.

use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::MetadataExt as _;

use palisade_registry::{Beside, Entry};
use palisade_signing::{BadSignature, LARGEST_ROOT, Root, Signer, Standing, Trust, embedded};

use crate::failure::Failure;
use crate::files::{open_file, read_file};
use crate::places::Places;

/// What to do where somebody has signed who may not.
pub(crate) const TRUST: &str =
    "whom to trust for what is said in trust.toml, as is require-signature";

/// Largest list, in bytes.
const MAX_TRUST: u64 = 64 << 10;

/// What the person says of those who sign plugins; nothing, without a file.
pub(crate) fn trust(places: Option<&Places>) -> Result<Trust, Failure> {
    let Some(places) = places else {
        return Ok(Trust::default());
    };
    let path = places.trust();
    let shown = path.display();
    let failed = |error: std::io::Error| {
        Failure::because(format!("the trust list {shown} can't be read"), &error)
            .remedy("nothing is installed or run without it: correct it")
    };
    let file = match open_file(&path, MAX_TRUST) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Trust::default()),
        file => file.map_err(failed)?,
    };
    let metadata = file.metadata().map_err(failed)?;
    let own = [rustix::process::geteuid().as_raw(), 0].contains(&metadata.uid());
    if !own || metadata.mode() & 0o022 != 0 {
        return Err(Failure::new(format!(
            "the trust list {shown} is not used: others can write to it"
        ))
        .remedy(format!("if it says what you mean: chmod go-w {shown}")));
    }
    let mut text = String::new();
    (file.take(MAX_TRUST).read_to_string(&mut text)).map_err(failed)?;
    Trust::parse(&text).map_err(|error| {
        Failure::new(format!("the trust list {shown}: {error}"))
            .remedy("nothing is installed or run until it is understood: correct it")
    })
}

/// The authorities that bundles of Sigstore are checked against.
pub(crate) fn root(trust: &Trust) -> Result<Root, Failure> {
    let Some(path) = trust.root() else {
        return Root::public()
            .map_err(|error| Failure::because("Sigstore's authorities can't be used", &error));
    };
    let shown = path.display();
    let most = u64::try_from(LARGEST_ROOT).unwrap_or(u64::MAX);
    let bytes = read_file(path, most).map_err(|error| {
        Failure::because(format!("the trusted-root {shown} can't be read"), &error)
            .remedy("what trust.toml names has to be there")
    })?;
    let text = String::from_utf8_lossy(&bytes);
    Root::parse(&text).map_err(|error| Failure::new(format!("the trusted-root {shown} {error}")))
}

/// What is known of who made a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Who has signed it; of several, the one that is known best.
    pub(crate) signer: Option<Signer>,
    standing: Stands,
    /// Whether somebody has to have, who may.
    required: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Stands {
    Trusted(String),
    Elsewhere(String),
    Stranger,
}

impl Verdict {
    /// That on some bytes from a source, with what lies beside them. `chain` is what
    /// led to them, each naming the next by its digest.
    ///
    /// # Errors
    /// A refusal, where anything says that it is a signature and does not hold.
    pub(crate) fn of(
        trust: &Trust,
        source: &str,
        bytes: &[u8],
        chain: &[Vec<u8>],
        beside: &[Beside],
    ) -> Result<Self, Failure> {
        let keys = trust.keys();
        let mut signers = embedded(bytes, &keys).map_err(|error| wrong(source, &error))?;
        if !beside.is_empty() {
            let root = root(trust)?;
            let chain = chain.iter().map(Vec::as_slice);
            let about: Vec<_> = std::iter::once(bytes).chain(chain).collect();
            for bundle in beside {
                let signer = root.check(&bundle.bytes, &about, &keys);
                let signer = signer.map_err(|error| wrong_beside(source, bundle, &error))?;
                signers.extend(signer);
            }
        }
        let best = trust.best(&signers, source).cloned();
        Ok(Self::about(trust, source, best))
    }

    /// That on something that is installed, by what is said of its signer today.
    /// Its bytes are those that were looked at then.
    pub(crate) fn of_installed(trust: &Trust, entry: &Entry) -> Self {
        let signer = entry.signer.as_ref().and_then(|text| text.parse().ok());
        Self::about(trust, &entry.source.to_string(), signer)
    }

    fn about(trust: &Trust, source: &str, signer: Option<Signer>) -> Self {
        let standing =
            (signer.as_ref()).map_or(Standing::Stranger, |signer| trust.standing(signer, source));
        Self {
            signer,
            standing: match standing {
                Standing::Trusted(name) => Stands::Trusted(name.to_owned()),
                Standing::Elsewhere(name) => Stands::Elsewhere(name.to_owned()),
                Standing::Stranger => Stands::Stranger,
            },
            required: trust.requires(source),
        }
    }

    /// Whether somebody has signed it who may.
    pub(crate) fn is_trusted(&self) -> bool {
        matches!(self.standing, Stands::Trusted(_))
    }

    /// As a person is told, after "signed".
    pub(crate) fn words(&self) -> String {
        let Some(signer) = &self.signer else {
            return "by nobody: nothing says who made it".to_owned();
        };
        let who = signer.words();
        match &self.standing {
            Stands::Trusted(name) => format!("by {who}, matches your trust list: {name}"),
            Stands::Elsewhere(name) => {
                format!("by {who}, whom your trust list has for other sources: {name}")
            }
            Stands::Stranger => format!("by {who}, not in your trust list"),
        }
    }

    /// Refuses what has to be signed and is not.
    pub(crate) fn satisfies(&self, what: &str) -> Result<(), Failure> {
        match self.required && !self.is_trusted() {
            false => Ok(()),
            true => Err(Failure::new(format!(
                "{what} has to be signed by somebody who may, and is signed {}",
                self.words()
            ))
            .remedy(TRUST)
            .into_refusal()),
        }
    }
}

/// Something that says that it is signed, and is not.
fn wrong(what: &str, error: &BadSignature) -> Failure {
    Failure::new(format!("{what} is refused: its signature {error}"))
        .remedy("it is not what somebody signed: get it again, or ask its author")
        .into_refusal()
}

fn wrong_beside(what: &str, bundle: &Beside, error: &BadSignature) -> Failure {
    let from = &bundle.from;
    Failure::new(format!("{what} is refused: its signature {error} ({from})"))
        .remedy("it is not what somebody signed: get both again, or ask its author")
        .into_refusal()
}
