//! What can be wrong, each as one sentence and what to do about it.

use std::fmt;

/// Why a manifest or a grant was refused.
///
/// Displayed as one sentence, `line 7: unknown key …`, and the remedy on a
/// second line indented by two spaces. Text taken from the file has control and
/// invisible characters written out, so it is safe to print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The line, counted from 1; `None` where no single line is at fault.
    pub line: Option<usize>,
    /// The column in characters, counted from 1.
    pub column: Option<usize>,
    /// The key at fault, as written.
    pub key: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub remedy: Option<String>,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.message)?;
        remedy(f, self.remedy.as_deref())
    }
}

impl std::error::Error for ParseError {}

/// Why a command line flag was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlagError {
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub remedy: Option<String>,
}

impl FlagError {
    pub(crate) fn new(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            remedy: Some(remedy.into()),
        }
    }
}

impl fmt::Display for FlagError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        remedy(f, self.remedy.as_deref())
    }
}

impl std::error::Error for FlagError {}

fn remedy(f: &mut fmt::Formatter<'_>, text: Option<&str>) -> fmt::Result {
    match text {
        Some(text) => write!(f, "\n  {text}"),
        None => Ok(()),
    }
}

/// Why directories granted on the command line cannot be matched with what the
/// plugin asks for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GrantError {
    /// Two directories were given the same name.
    #[error("two directories are named `{name}`\n  give each its own name: --root NAME=PATH")]
    DuplicateRoot {
        /// The name given twice.
        name: String,
    },
    /// A directory without a name could stand for several requests.
    #[error(
        "`{path}` could be any of the folders the plugin asks for: {}\n  say which: {}",
        choices.join(", "),
        crate::text::alternatives(choices.iter().map(|name| {
            format!("{} {}", kind.flag(), crate::text::shell_word(&format!("{name}={path}")))
        }))
    )]
    Ambiguous {
        /// Whether it is a directory or a file.
        kind: crate::roots::RootKind,
        /// The directory, ready to print.
        path: String,
        /// The names it could take.
        choices: Vec<String>,
    },
    /// Several directories without a name, and only one request to fill.
    #[error(
        "the plugin asks for one more folder, `{choice}`, and {count} directories have no name\n  \
         name them: --root {choice}=PATH"
    )]
    TooMany {
        /// The only request left to fill.
        choice: String,
        /// How many directories have no name.
        count: usize,
    },
}

/// One thing a plugin cannot do without and was not granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// What it is, for example "folder `notes` (read-write)".
    pub what: String,
    /// The flag that grants it, for example "--root notes=PATH:rw".
    pub flag: String,
    /// The flag of `palisade grant` that does, where that is another one.
    pub granted_by: Option<String>,
}

/// Why no effective permission could be computed; the plugin must not start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// Something the plugin requires is not granted.
    #[error(
        "it needs {}, which {} not granted\n  to grant it: {}",
        needs.iter().map(|need| need.what.as_str()).collect::<Vec<_>>().join(" and "),
        if needs.len() == 1 { "is" } else { "are" },
        needs.iter().map(|need| need.flag.as_str()).collect::<Vec<_>>().join(" ")
    )]
    Missing {
        /// Everything that is missing, at least one.
        needs: Vec<Need>,
    },
    /// The grant holds two directories of one name.
    #[error("the grant has two directories named `{name}`\n  give each its own name")]
    DuplicateRoot {
        /// The name found twice.
        name: String,
    },
    /// The grant holds a name that is not one; it would be a bad mount point.
    #[error(
        "the grant has a directory named `{name}`\n  {}",
        crate::names::NAME_RULE
    )]
    InvalidRoot {
        /// The name, ready to print.
        name: String,
    },
    /// The grant was written for another plugin.
    #[error(
        "the grant is for the plugin `{granted}`, not for `{asked}`\n  \
         use the grant of `{asked}`, or correct `name` in its [plugin]"
    )]
    OtherPlugin {
        /// The plugin the grant names.
        granted: String,
        /// The plugin that is to start.
        asked: String,
    },
}
