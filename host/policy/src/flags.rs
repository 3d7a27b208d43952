//! The flags that grant something for one run.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::error::FlagError;
use crate::names::{ENV_NAME_RULE, NAME_RULE, is_env_name, is_name};
use crate::roots::{Access, RootKind};
use crate::text::shown;

/// `--root [NAME=]PATH[:ro|:rw]`: a directory, read-only unless it says `:rw`.
///
/// What comes before the first `=` is the name when it could be one. When it
/// holds a `/` or `\`, all of it is a path: `./a=b` and `C:\a=b` have no name.
/// Anything else before a `=` is refused rather than guessed at.
///
/// Only `:ro` and `:rw` at the very end say the access, so `C:\x:rw` is the
/// directory `C:\x`. A directory whose own name ends so is written `x:rw:ro`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootFlag {
    /// The name, where it was given one.
    pub name: Option<String>,
    /// Whether it is a directory or, by `--file`, a file.
    pub kind: RootKind,
    /// The directory or file, as written.
    pub path: PathBuf,
    /// What may be done there.
    pub access: Access,
}

/// `--file [NAME=]PATH[:ro|:rw]`: a single file, written as a [`RootFlag`] is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFlag(pub RootFlag);

impl FromStr for FileFlag {
    type Err = FlagError;

    fn from_str(text: &str) -> Result<Self, FlagError> {
        read(text, RootKind::File).map(Self)
    }
}

impl FromStr for RootFlag {
    type Err = FlagError;

    fn from_str(text: &str) -> Result<Self, FlagError> {
        read(text, RootKind::Directory)
    }
}

/// What a flag for a directory or a file says.
fn read(text: &str, kind: RootKind) -> Result<RootFlag, FlagError> {
    let usage = match kind {
        RootKind::Directory => {
            "write --root [NAME=]PATH[:ro|:rw], for example --root notes=/srv/notes:rw"
        }
        RootKind::File => {
            "write --file [NAME=]PATH[:ro|:rw], for example --file todo=/srv/todo.txt:rw"
        }
    };
    if text.contains('\0') {
        return Err(FlagError::new("a path cannot hold a NUL character", usage));
    }
    let (rest, access) = access(text)?;
    let (name, path) = match rest.split_once('=') {
        None => (None, rest),
        Some((name, path)) if is_name(name) => (Some(name.to_owned()), path),
        Some((before, _)) if before.contains(['/', '\\']) => (None, rest),
        Some(("", _)) => {
            return Err(FlagError::new(
                format!("`{}` has an empty name before the `=`", shown(text)),
                format!("{usage}; a path that starts with `=` is written ./=…"),
            ));
        }
        Some((before, _)) => {
            return Err(FlagError::new(
                format!("`{}` is not a {}'s name", shown(before), kind.word()),
                format!(
                    "{NAME_RULE}; if it belongs to the path, write ./{}=…",
                    shown(before)
                ),
            ));
        }
    };
    if path.is_empty() {
        return Err(FlagError::new(
            format!("`{}` has no path", shown(text)),
            usage,
        ));
    }
    Ok(RootFlag {
        name,
        kind,
        path: path.into(),
        access,
    })
}

/// Takes the access off the end.
fn access(text: &str) -> Result<(&str, Access), FlagError> {
    let Some((rest, word)) = text.rsplit_once(':') else {
        return Ok((text, Access::default()));
    };
    match word {
        "ro" => return Ok((rest, Access::ReadOnly)),
        "rw" => return Ok((rest, Access::ReadWrite)),
        _ => {}
    }
    // Taken for part of the path, a slip of the pen would be a puzzling
    // "no such directory".
    let slips = [
        "r",
        "w",
        "wr",
        "ro",
        "rw",
        "read",
        "write",
        "readonly",
        "read-only",
        "readwrite",
        "read-write",
    ];
    if slips.contains(&word.to_ascii_lowercase().as_str()) {
        return Err(FlagError::new(
            format!("`:{word}` is not an access"),
            format!(
                "write :ro or :rw; if it belongs to the path, write `{}:ro`",
                shown(text)
            ),
        ));
    }
    Ok((text, Access::default()))
}

impl fmt::Display for RootFlag {
    /// As a person would write it, so that it reads back as the same flag (for
    /// paths that are Unicode).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display().to_string();
        match &self.name {
            Some(name) => write!(f, "{name}=")?,
            None => {
                let before = path.split_once('=').map(|(before, _)| before);
                if before.is_some_and(|before| !before.contains(['/', '\\'])) {
                    f.write_str("./")?;
                }
            }
        }
        write!(f, "{path}:{}", self.access.short())
    }
}

/// `--env NAME[=VALUE]`: an environment variable; without a value the host's
/// own is to be passed on (looking it up is the caller's part).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvFlag {
    /// The variable's name.
    pub name: String,
    /// Its value; `None` for the host's own.
    pub value: Option<String>,
}

impl FromStr for EnvFlag {
    type Err = FlagError;

    fn from_str(text: &str) -> Result<Self, FlagError> {
        let (name, value) = match text.split_once('=') {
            None => (text, None),
            Some((name, value)) => (name, Some(value.to_owned())),
        };
        let usage = "write --env NAME=VALUE, or --env NAME to pass on your own";
        if !is_env_name(name) {
            return Err(FlagError::new(
                format!("`{}` is not a variable's name", shown(name)),
                format!("{usage}; {ENV_NAME_RULE}"),
            ));
        }
        if value.as_ref().is_some_and(|value| value.contains('\0')) {
            return Err(FlagError::new(
                format!("the value of `{}` has a NUL character", shown(name)),
                usage,
            ));
        }
        Ok(Self {
            name: name.to_owned(),
            value,
        })
    }
}

impl fmt::Display for EnvFlag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        match &self.value {
            Some(value) => write!(f, "={value}"),
            None => Ok(()),
        }
    }
}
