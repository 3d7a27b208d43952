//! The path of a request, and patterns for it.

use globset::{GlobBuilder, GlobMatcher};

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
/// dot segments, also in escapes or followed by parameters; escaped slashes;
/// backslashes; what is no escape.
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
        let dots = |segment: &str| {
            let name = segment.split(';').next().unwrap_or_default();
            matches!(name, "." | "..")
        };
        let segments = plain.split('/').skip(1);
        let last = plain.split('/').skip(1).count();
        let empty = segments
            .clone()
            .zip(1..)
            .any(|(segment, number)| segment.is_empty() && number != last);
        (!empty && !segments.clone().any(dots)).then_some(Self(plain))
    }
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
