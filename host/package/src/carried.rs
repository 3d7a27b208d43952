//! What a package carries. All of it is somebody else's words: whoever shows it
//! takes out what steers a terminal.

use crate::error::PackageError;
use crate::sections::sections;
use crate::{LICENCE, MANIFEST, MOST_TEXT, README};

/// What a package carries beside the component.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Carried {
    /// What it asks for, as text.
    pub manifest: Option<String>,
    /// Its README, at most [`MOST_TEXT`] bytes.
    pub readme: Option<String>,
    /// The text of its licence, at most [`MOST_TEXT`] bytes.
    pub licence: Option<String>,
}

/// Reads what a package carries.
///
/// # Errors
/// [`PackageError`] for what is no component, and for a text that is there
/// twice, is too large or not UTF-8.
pub fn carried(bytes: &[u8]) -> Result<Carried, PackageError> {
    let mut carried = Carried::default();
    for section in sections(bytes)? {
        let Some((name, data)) = section.custom else {
            continue;
        };
        let (place, what) = match name {
            MANIFEST => (&mut carried.manifest, "the manifest"),
            README => (&mut carried.readme, "the README"),
            LICENCE => (&mut carried.licence, "the text of the licence"),
            _ => continue,
        };
        if data.len() > MOST_TEXT {
            return Err(PackageError::TooLarge {
                what,
                size: data.len(),
                most: MOST_TEXT,
            });
        }
        let text = std::str::from_utf8(data).map_err(|_| PackageError::NotText(what))?;
        if place.replace(text.to_owned()).is_some() {
            return Err(PackageError::Twice(what));
        }
    }
    Ok(carried)
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{Component, CustomSection};

    use super::*;

    fn with(sections: &[(&'static str, &[u8])]) -> Vec<u8> {
        let mut component = Component::new();
        for (name, data) in sections {
            component.section(&CustomSection {
                name: (*name).into(),
                data: (*data).into(),
            });
        }
        component.finish()
    }

    #[test]
    fn a_strangers_texts_are_bounded() {
        assert_eq!(carried(&with(&[])), Ok(Carried::default()));
        let large = vec![b'x'; MOST_TEXT + 1];
        let error = carried(&with(&[(README, &large)]));
        assert!(matches!(error, Err(PackageError::TooLarge { .. })));
        let error = carried(&with(&[(LICENCE, b"\xff")]));
        assert_eq!(error, Err(PackageError::NotText("the text of the licence")));
        let error = carried(&with(&[(README, b"a"), (README, b"b")]));
        assert_eq!(error, Err(PackageError::Twice("the README")));
    }
}
