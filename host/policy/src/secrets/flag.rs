//! `--secret NAME`.

use std::fmt;
use std::str::FromStr;

use super::parse::{SECRET_NAME_RULE, is_secret_name};
use crate::error::FlagError;
use crate::text::shown;

/// `--secret NAME`: the plugin has the use of a secret as it asks to have it,
/// short of being shown it. Also how a secret is named to keep it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretFlag(pub String);

impl FromStr for SecretFlag {
    type Err = FlagError;

    fn from_str(text: &str) -> Result<Self, FlagError> {
        if is_secret_name(text) {
            return Ok(Self(text.to_owned()));
        }
        // Whoever writes NAME=VALUE has put a value on the command line, where
        // everybody sees it: at least it is not repeated.
        match text.split_once('=') {
            Some((name, _)) => Err(FlagError::new(
                format!("`{}=…` has a value, which is given elsewhere", shown(name)),
                "values are kept by `palisade secret set NAME`, which asks for them",
            )),
            None => Err(FlagError::new(
                "what stands in the place of a secret's name is none",
                SECRET_NAME_RULE,
            )),
        }
    }
}

impl fmt::Display for SecretFlag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
