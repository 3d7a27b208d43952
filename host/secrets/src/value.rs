//! A value, kept from being seen.

use std::fmt;
use std::sync::Arc;

use zeroize::Zeroizing;

/// Longest value, in bytes.
pub const MAX_BYTES: usize = 64 * 1024;

/// What some editors write before everything else.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A secret's value: 1 to [`MAX_BYTES`] bytes of text that a header can hold.
/// Clones share it; it is overwritten when the last one is gone.
#[derive(Clone)]
pub struct SecretValue(Arc<Zeroizing<String>>);

/// Why a text can't be a secret's value. None repeats anything of it; each reads
/// on after "the value ".
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadValue {
    /// Nothing would be added to a request, and nothing could be masked.
    #[error("is empty")]
    Empty,
    /// Over [`MAX_BYTES`].
    #[error("is longer than 64 KiB")]
    TooLong,
    /// A header can't hold it.
    #[error("is not UTF-8 text")]
    NotText,
    /// A header can't hold them.
    #[error("has control characters or line breaks in it, which no request could carry")]
    Control,
    /// A server would take them off.
    #[error("begins or ends with a space")]
    Space,
}

impl SecretValue {
    /// Checks a value.
    ///
    /// # Errors
    /// [`BadValue`].
    pub fn new(text: String) -> Result<Self, BadValue> {
        let text = Zeroizing::new(text);
        if text.is_empty() {
            return Err(BadValue::Empty);
        }
        if text.len() > MAX_BYTES {
            return Err(BadValue::TooLong);
        }
        if text.chars().any(char::is_control) {
            return Err(BadValue::Control);
        }
        if text.starts_with(' ') || text.ends_with(' ') {
            return Err(BadValue::Space);
        }
        Ok(Self(Arc::new(text)))
    }

    /// The same from what a file or a pipe holds: one line break at its end is
    /// the editor's or the shell's, and a byte order mark at its beginning some
    /// editor's, and no part of it.
    ///
    /// # Errors
    /// [`BadValue`].
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, BadValue> {
        let text = String::from_utf8(bytes).map_err(|error| {
            drop(Zeroizing::new(error.into_bytes()));
            BadValue::NotText
        })?;
        let mut text = Zeroizing::new(text);
        if text.ends_with('\n') {
            text.pop();
            if text.ends_with('\r') {
                text.pop();
            }
        }
        if text.starts_with(BYTE_ORDER_MARK) {
            text.remove(0);
        }
        Self::new(std::mem::take(&mut *text))
    }

    /// The value, for the one place that needs it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretValue {
    /// Not even how long it is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretValue(hidden)")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn it_shows_nothing_of_itself() {
        let value = SecretValue::new("hunter2".to_owned()).unwrap();
        assert_eq!(
            format!("{value:?} {:#?}", Some(&value)).find("hunter"),
            None
        );
        assert_eq!(value.reveal(), "hunter2");
    }

    #[test]
    fn what_no_header_can_hold_is_refused() {
        for (text, why) in [
            ("", BadValue::Empty),
            ("a\nb", BadValue::Control),
            ("a\tb", BadValue::Control),
            ("a\u{7f}", BadValue::Control),
            ("a\u{85}", BadValue::Control),
            (" a", BadValue::Space),
            ("a ", BadValue::Space),
        ] {
            assert_eq!(
                SecretValue::new(text.to_owned()).unwrap_err(),
                why,
                "{text:?}"
            );
        }
        assert!(SecretValue::new("x".repeat(MAX_BYTES)).is_ok());
        let long = SecretValue::new("x".repeat(MAX_BYTES + 1));
        assert_eq!(long.unwrap_err(), BadValue::TooLong);
    }

    #[test]
    fn the_end_of_a_line_is_no_part_of_it() {
        for text in ["a b", "a b\n", "a b\r\n", "\u{feff}a b\n"] {
            let value = SecretValue::from_bytes(text.as_bytes().to_vec()).unwrap();
            assert_eq!(value.reveal(), "a b");
        }
        for (bytes, why) in [
            (&b"\n"[..], BadValue::Empty),
            (b"a\n\n", BadValue::Control),
            (b"\xff", BadValue::NotText),
        ] {
            assert_eq!(SecretValue::from_bytes(bytes.to_vec()).unwrap_err(), why);
        }
    }
}
