//! Who has signed a plugin, and what the person says of them.

use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::MetadataExt as _;

use palisade_registry::Entry;
use palisade_signing::{BadSignature, Signer, Standing, Trust, embedded};

use crate::failure::Failure;
use crate::files::open_file;
use crate::places::Places;

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
    /// That on some bytes from a source.
    pub(crate) fn of(trust: &Trust, source: &str, bytes: &[u8]) -> Result<Self, BadSignature> {
        let signers = embedded(bytes, &trust.keys())?;
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
            .remedy("whom to trust for what is said in trust.toml, as is require-signature")
            .into_refusal()),
        }
    }
}

/// Something that says that it is signed, and is not.
pub(crate) fn wrong(what: &str, error: &BadSignature) -> Failure {
    Failure::new(format!("{what} is refused: its signature {error}"))
        .remedy("it is not what somebody signed: get it again, or ask its author")
        .into_refusal()
}
