//! One line.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Longest text in a record, in characters. The rest of it is left out.
const LONGEST: usize = 200;

/// Most entries of a list in a record.
const MOST: usize = 32;

/// What was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// When.
    pub at: Timestamp,
    /// About which plugin, by its name here.
    pub plugin: String,
    /// The component's digest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// What it was.
    #[serde(flatten)]
    pub event: Event,
}

/// What happened to a plugin. Lists are words for a person, an entry each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// It was installed.
    Installed {
        /// From where.
        source: String,
        /// By whom it is signed.
        #[serde(skip_serializing_if = "Option::is_none")]
        signer: Option<String>,
    },
    /// It was replaced by what its source has now.
    Updated {
        /// The digest it had.
        was: String,
        /// By whom it is signed now.
        #[serde(skip_serializing_if = "Option::is_none")]
        signer: Option<String>,
    },
    /// It was removed.
    Removed,
    /// It was granted something.
    Granted {
        /// What.
        what: Vec<String>,
    },
    /// Something was taken back.
    Revoked {
        /// What.
        what: Vec<String>,
    },
    /// It said while it was served that it has something that nobody agreed to.
    Withheld {
        /// What, with the digest of its definition.
        what: Vec<String>,
    },
    /// Somebody has agreed to that.
    Approved {
        /// What, with the digest of its definition.
        what: Vec<String>,
    },
}

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// One that is understood.
    Record(Box<Record>),
    /// One that was damaged, or comes from a later version.
    Unknown(String),
}

impl Record {
    /// One of this moment. What is long is shortened.
    #[must_use]
    pub fn now(plugin: &str, digest: Option<String>, event: Event) -> Self {
        Self {
            at: Timestamp::now(),
            plugin: shortened(plugin.to_owned()),
            digest: digest.map(shortened),
            event: event.shortened(),
        }
    }

    /// As it is written: one line.
    pub(crate) fn line(&self) -> serde_json::Result<Vec<u8>> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        Ok(line)
    }
}

impl Event {
    /// One word for it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Installed { .. } => "installed",
            Self::Updated { .. } => "updated",
            Self::Removed => "removed",
            Self::Granted { .. } => "granted",
            Self::Revoked { .. } => "revoked",
            Self::Withheld { .. } => "withheld",
            Self::Approved { .. } => "approved",
        }
    }

    /// What there is to say of it, an entry a line.
    #[must_use]
    pub fn details(&self) -> Vec<String> {
        let signed = |signer: &Option<String>| match signer {
            Some(signer) => format!("signed by {signer}"),
            None => "signed by nobody".to_owned(),
        };
        match self {
            Self::Installed { source, signer } => vec![format!("from {source}"), signed(signer)],
            Self::Updated { was, signer } => vec![format!("was {was}"), signed(signer)],
            Self::Removed => Vec::new(),
            Self::Granted { what }
            | Self::Revoked { what }
            | Self::Withheld { what }
            | Self::Approved { what } => what.clone(),
        }
    }

    fn shortened(self) -> Self {
        let text = |text: Option<String>| text.map(shortened);
        match self {
            Self::Installed { source, signer } => Self::Installed {
                source: shortened(source),
                signer: text(signer),
            },
            Self::Updated { was, signer } => Self::Updated {
                was: shortened(was),
                signer: text(signer),
            },
            Self::Removed => Self::Removed,
            Self::Granted { what } => Self::Granted { what: list(what) },
            Self::Revoked { what } => Self::Revoked { what: list(what) },
            Self::Withheld { what } => Self::Withheld { what: list(what) },
            Self::Approved { what } => Self::Approved { what: list(what) },
        }
    }
}

impl Line {
    /// Reads one, without what ends it.
    #[must_use]
    pub fn read(line: &[u8]) -> Self {
        match serde_json::from_slice(line) {
            Ok(record) => Self::Record(Box::new(record)),
            Err(_) => Self::Unknown(shortened(String::from_utf8_lossy(line).into_owned())),
        }
    }
}

fn list(mut all: Vec<String>) -> Vec<String> {
    let more = all.len().saturating_sub(MOST);
    all.truncate(MOST);
    let mut all: Vec<_> = all.into_iter().map(shortened).collect();
    if more > 0 {
        all.push(format!("and {more} more"));
    }
    all
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
