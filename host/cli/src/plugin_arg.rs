//! Which plugin, as a person writes it.

use std::ffi::OsString;
use std::path::PathBuf;

use palisade_policy::{FlagError, is_name};

/// `[NAME=]PATH`: a file, and another name for the plugin in it.
///
/// What comes before the first `=` is the name, unless it holds a `/` or `\`:
/// then all of it is a path, as it is with `--root`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PluginArg {
    /// The name it is given.
    pub(crate) name: Option<String>,
    /// The file.
    pub(crate) file: PathBuf,
}

impl PluginArg {
    /// Reads one.
    pub(crate) fn parse(text: OsString) -> Result<Self, FlagError> {
        let whole = |text: OsString| Self {
            name: None,
            file: text.into(),
        };
        // What is no text has no name before it either.
        let Some((name, path)) = text.to_str().and_then(|text| text.split_once('=')) else {
            return Ok(whole(text));
        };
        if name.contains(['/', '\\']) {
            return Ok(whole(text));
        }
        let refused = |message: String| FlagError {
            message,
            remedy: Some("write NAME=PATH, or ./PATH if the `=` belongs to the path".to_owned()),
        };
        if !is_name(name) {
            return Err(refused(format!(
                "`{name}` is not a plugin's name, which is 1 to 48 of the characters a-z, 0-9 and -"
            )));
        }
        if path.is_empty() {
            return Err(refused(format!("there is no path after `{name}=`")));
        }
        Ok(Self {
            name: Some(name.to_owned()),
            file: path.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_or_none() -> Result<(), FlagError> {
        for (text, name, file) in [
            ("a.wasm", None, "a.wasm"),
            ("work=a.wasm", Some("work"), "a.wasm"),
            ("work=a=b.wasm", Some("work"), "a=b.wasm"),
            ("./work=a.wasm", None, "./work=a.wasm"),
            ("work=/x/a.wasm", Some("work"), "/x/a.wasm"),
        ] {
            let arg = PluginArg::parse(text.into())?;
            assert_eq!(arg.name.as_deref(), name, "{text}");
            assert_eq!(arg.file, PathBuf::from(file), "{text}");
        }
        for text in ["=a.wasm", "Work=a.wasm", "a_b=a.wasm", "work="] {
            assert!(PluginArg::parse(text.into()).is_err(), "{text}");
        }
        Ok(())
    }
}
