//! How a person grants a plugin more: what is proposed is what works.

use std::fmt::Display;

use crate::error::Need;
use crate::network::{Remedy, Scheme};
use crate::text::shell_word;
use crate::tools::ToolDecision;

/// The way to grant a plugin more than it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Granting {
    /// By a flag when it is started.
    Flag,
    /// By a flag that says which plugin it is for, since it is served beside
    /// others.
    FlagFor(String),
    /// With `palisade grant`, since it is installed under this name.
    Command(String),
    /// Not at all: it is no plugin, and whoever asked has the error.
    Never,
}

impl Granting {
    /// What allows what was refused, ready for a shell: `--allow RULE`.
    #[must_use]
    pub fn allow(&self, remedy: &Remedy) -> Option<String> {
        match self {
            Self::Flag => remedy.flag(None),
            Self::FlagFor(plugin) => remedy.flag(Some(plugin)),
            Self::Command(name) => {
                (remedy.flag(None)).map(|flag| format!("palisade grant {name} {flag}"))
            }
            Self::Never => None,
        }
    }

    /// The same for all of a place; a port that is not known is for the person to
    /// say.
    #[must_use]
    pub fn allow_place(&self, scheme: Scheme, host: &dyn Display, port: Option<u16>) -> String {
        let place = match port {
            Some(port) if scheme.default_port() == Some(port) => format!("{scheme}://{host}"),
            Some(port) => format!("{scheme}://{host}:{port}"),
            None => format!("{scheme}://{host}:PORT"),
        };
        match self {
            Self::Flag | Self::Never => format!("--allow {place}"),
            Self::FlagFor(plugin) => format!("--allow {plugin}/{place}"),
            Self::Command(name) => format!("palisade grant {name} --allow {place}"),
        }
    }

    /// What grants everything that a plugin can't start without.
    #[must_use]
    pub fn needs(&self, needs: &[Need]) -> String {
        let installed = match self {
            Self::Command(name) => Some(name),
            _ => None,
        };
        let flags = needs
            .iter()
            .map(|need| match (&need.granted_by, installed) {
                (Some(flag), Some(_)) => flag.as_str(),
                _ => need.flag.as_str(),
            });
        let flags = flags.collect::<Vec<_>>().join(" ");
        match installed {
            Some(name) => format!("palisade grant {name} {flags}"),
            None => flags,
        }
    }

    /// What lets a tool run without a question.
    #[must_use]
    pub fn tool(&self, tool: &str, decision: ToolDecision) -> String {
        let word = decision.word();
        match self {
            Self::Command(name) => format!(
                "palisade grant {name} --tool {}",
                shell_word(&format!("{tool}={word}"))
            ),
            _ => format!("\"{tool}\" = \"{word}\" under [tools] in the grant file"),
        }
    }
}
