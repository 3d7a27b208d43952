//! The paths of robots.txt: compared octet by octet once both are in one form.

/// A path with `*` for anything, and `$` for its end.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// What has to follow one another, with anything between.
    parts: Vec<String>,
    /// Nothing may follow.
    whole: bool,
    length: usize,
}

impl Pattern {
    pub(crate) fn new(text: &str) -> Self {
        let (text, whole) = match text.strip_suffix('$') {
            Some(text) => (text, true),
            None => (text, false),
        };
        let text = normal(text);
        Self {
            length: text.len() + usize::from(whole),
            parts: text.split('*').map(str::to_owned).collect(),
            whole,
        }
    }

    /// How much it says, in octets.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Whether a path, in its normal form, begins with it.
    pub(crate) fn fits(&self, path: &str) -> bool {
        let Some((first, more)) = self.parts.split_first() else {
            return false;
        };
        let Some(mut rest) = path.strip_prefix(&first[..]) else {
            return false;
        };
        let Some((last, between)) = more.split_last() else {
            return !self.whole || rest.is_empty();
        };
        // Each as early as it can be, so that most is left for the next.
        for part in between {
            match rest.find(&part[..]) {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            }
        }
        match self.whole {
            true => rest.ends_with(&last[..]),
            false => rest.contains(&last[..]),
        }
    }
}

/// What is unreserved is written as itself, and what is not ASCII as escapes,
/// whose digits are upper case.
pub(crate) fn normal(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut text = String::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escaped = (byte == b'%').then(|| bytes.get(at + 1..at + 3)).flatten();
        let escaped = escaped.and_then(|digits| {
            let digits = str::from_utf8(digits).ok()?;
            let hexadecimal = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            hexadecimal.then(|| u8::from_str_radix(digits, 16).ok())?
        });
        match escaped {
            Some(byte) if is_unreserved(byte) => text.push(char::from(byte)),
            Some(byte) => text.push_str(&format!("%{byte:02X}")),
            None if byte.is_ascii() => text.push(char::from(byte)),
            None => text.push_str(&format!("%{byte:02X}")),
        }
        at += if escaped.is_some() { 3 } else { 1 };
    }
    text
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}
