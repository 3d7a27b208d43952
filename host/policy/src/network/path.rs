//! The path of a request, and patterns for it.

use globset::{GlobBuilder, GlobMatcher};
use percent_encoding::percent_decode_str;
use unicode_normalization::UnicodeNormalization as _;

/// Longest path that is held against patterns, in bytes: patterns are a plugin's as
/// well, and many of them on a long path would keep the host busy.
const LONGEST: usize = 8 * 1024;

/// Most wildcards in one pattern, and most bytes.
const WILDCARDS: usize = 8;
const LONGEST_PATTERN: usize = 512;

/// A path that means the same to everybody who reads it.
///
/// Where a rule speaks of paths, what a server makes of a path must not depend
/// on the server. So a path is refused that some would take for another one:
/// dot segments, slashes and backslashes in any disguise (see [`is_plain`]);
/// empty segments; control characters; escapes of `%`, and what is no escape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlainPath(String);

impl PlainPath {
    /// Reads the path of a request, without its query. Escapes of characters
    /// that need none are undone.
    pub(crate) fn parse(path: &str) -> Option<Self> {
        if path.len() > LONGEST || !path.starts_with('/') || path.contains(['\\', '?', '#']) {
            return None;
        }
        let mut plain = String::with_capacity(path.len());
        let mut bytes = path.bytes();
        while let Some(byte) = bytes.next() {
            let byte = match byte {
                b'%' => {
                    let mut digit = || char::from(bytes.next()?).to_digit(16);
                    let (high, low) = (digit()?, digit()?);
                    let byte = u8::try_from(high * 16 + low).ok()?;
                    if matches!(byte, b'/' | b'\\' | b'%') || byte.is_ascii_control() {
                        return None;
                    }
                    if !is_unreserved(byte) {
                        plain.push_str(&format!("%{byte:02X}"));
                        continue;
                    }
                    byte
                }
                byte if byte.is_ascii_graphic() => byte,
                _ => return None,
            };
            plain.push(char::from(byte));
        }
        let last = plain.split('/').count() - 1;
        let good = (plain.split('/').enumerate().skip(1)).all(|(place, segment)| {
            // The last one is empty where the path ends in a slash.
            (place == last && segment.is_empty()) || is_plain(segment)
        });
        good.then_some(Self(plain))
    }
}

/// Slashes and backslashes of other alphabets, which some systems write as the
/// usual ones where they have no others. Those of full width are among what
/// Unicode itself holds for the same.
const SLASHES: [char; 6] = [
    '\u{2044}', '\u{2215}', '\u{2216}', '\u{29f5}', '\u{29f8}', '\u{29f9}',
];

/// Whether a segment, which has no escape of `%`, is a name and nothing else to
/// anybody: what is left of it without escapes, in the one form of all that
/// Unicode holds for the same (NFKC), up to where parameters, a query or a
/// fragment could begin, is no row of dots and blanks, nor anything with a slash.
fn is_plain(segment: &str) -> bool {
    let bytes = percent_decode_str(segment);
    // Longer forms of a character, as some readers take them, are no UTF-8.
    let Ok(text) = bytes.decode_utf8() else {
        return false;
    };
    if text.contains(SLASHES) {
        return false;
    }
    let text: String = text.nfkc().collect();
    let name = text.split([';', '?', '#']).next().unwrap_or_default();
    !text.contains(['/', '\\']) && !name.chars().all(|c| c == '.' || is_blank(c))
}

/// Whether nothing of a character is seen, so that some leave it out.
fn is_blank(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// RFC 3986, section 2.3.
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// A pattern of a rule: `*` is anything within a segment, `**` any number of
/// segments.
#[derive(Debug, Clone)]
pub(crate) struct PathPattern {
    /// What stands before the first wildcard: most paths are told apart by it.
    begins: String,
    glob: GlobMatcher,
}

impl PathPattern {
    /// A pattern that some path can match; else why none can.
    pub(crate) fn parse(pattern: &str) -> Result<Self, &'static str> {
        if !pattern.starts_with('/') {
            return Err("does not start with `/`");
        }
        if pattern.len() > LONGEST_PATTERN {
            return Err("is longer than 512 bytes");
        }
        if pattern.replace("**", "*").matches('*').count() > WILDCARDS {
            return Err("has more than 8 wildcards");
        }
        if pattern.contains(['{', '}', '[', ']', '?', '#', '!']) {
            return Err("has characters that stand in no path; `*` and `**` are the wildcards");
        }
        if pattern
            .split('/')
            .any(|segment| segment.contains("**") && segment != "**")
        {
            return Err("has `**` beside other characters; it stands for whole segments");
        }
        // What it means for one path it has to mean for some path.
        let sample = pattern.replace("**", "x").replace('*', "x");
        match PlainPath::parse(&sample) {
            Some(plain) if plain.0 == sample => {}
            Some(_) => return Err("escapes what needs no escape, and so matches nothing"),
            None => return Err("matches nothing: no such path is let through"),
        }
        let glob = GlobBuilder::new(pattern)
            .literal_separator(true)
            .backslash_escape(false)
            .build()
            .map_err(|_| "is not a pattern")?;
        let begins = pattern.split('*').next().unwrap_or_default();
        Ok(Self {
            begins: begins.to_owned(),
            glob: glob.compile_matcher(),
        })
    }

    /// Whether a path is one of those it means.
    pub(crate) fn matches(&self, path: &PlainPath) -> bool {
        path.0.starts_with(&self.begins) && self.glob.is_match(&path.0)
    }
}
