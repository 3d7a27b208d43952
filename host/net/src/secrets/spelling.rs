//! How a secret may be spelt in an answer.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// Shortest secret, in bytes, that is looked for in encodings which spell every
/// text in a few of the same characters: of a shorter one, they would mask half
/// of everything.
const SHORTEST: usize = 4;

/// A set of ASCII characters.
pub(super) type Class = u128;

/// One spelling, and which characters beside it tell something of it as well.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spelling {
    pub(super) bytes: Vec<u8>,
    /// What the character before it is, if that tells something.
    pub(super) before: Class,
    /// What the character after it is, if that tells something.
    pub(super) after: Class,
}

impl Spelling {
    fn plain(bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            bytes: bytes.into(),
            before: 0,
            after: 0,
        }
    }
}

/// Whether a byte is in a set.
pub(super) fn is_in(class: Class, byte: u8) -> bool {
    byte < 128 && class & (1 << byte) != 0
}

/// Every spelling of a secret that is looked for. None has control characters.
pub(super) fn spellings(secret: &str) -> BTreeSet<Spelling> {
    let mut all = BTreeSet::new();
    let mut add = |text: String| {
        all.insert(Spelling::plain(text));
    };
    add(secret.to_owned());
    for upper in [true, false] {
        for kept in KEPT {
            add(percent(secret, kept, upper, false));
            add(percent(secret, kept, upper, true));
        }
        add(percent(secret, "", upper, false));
        for escapes in ESCAPES {
            add(json(secret, escapes, upper, false));
            add(json(secret, escapes, upper, true));
        }
    }
    for quotes in ["'", "\"'"] {
        for (double, single) in [
            ("&quot;", "&#39;"),
            ("&#34;", "&#39;"),
            ("&quot;", "&#x27;"),
            ("&quot;", "&apos;"),
        ] {
            add(html(secret, quotes, double, single));
        }
    }
    add(html(secret, "", "", ""));
    if secret.len() >= SHORTEST {
        for upper in [true, false] {
            add(hex(secret, upper));
        }
        for skipped in 0..3 {
            for url in [false, true] {
                all.insert(base64(secret.as_bytes(), skipped, url));
            }
        }
    }
    all
}

/// What different encoders of URLs leave as it is, beside letters and digits.
const KEPT: [&str; 4] = [
    // RFC 3986.
    "-._~",
    // Of forms.
    "-._*",
    // encodeURIComponent.
    "-_.!~*'()",
    // encodeURI, and paths.
    "-_.!~*'();/?:@&=+$,#",
];

fn percent(secret: &str, kept: &str, upper: bool, plus: bool) -> String {
    let mut text = String::new();
    for byte in secret.bytes() {
        let plain = byte.is_ascii_alphanumeric() && !kept.is_empty();
        if plain || kept.as_bytes().contains(&byte) {
            text.push(char::from(byte));
        } else if plus && byte == b' ' {
            text.push('+');
        } else {
            // Writing to a String can't fail.
            let _ = match upper {
                true => write!(text, "%{byte:02X}"),
                false => write!(text, "%{byte:02x}"),
            };
        }
    }
    text
}

/// What different writers of JSON escape, beside quotes and backslashes: with a
/// backslash, and by number.
const ESCAPES: [(&str, &str); 4] = [("", ""), ("/", ""), ("", "<>&"), ("/", "<>&'")];

fn json(secret: &str, (slashed, numbered): (&str, &str), upper: bool, ascii: bool) -> String {
    let mut text = String::new();
    for c in secret.chars() {
        if c == '"' || c == '\\' || slashed.contains(c) {
            text.push('\\');
            text.push(c);
        } else if numbered.contains(c) || ascii && !c.is_ascii() {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = match upper {
                    true => write!(text, "\\u{unit:04X}"),
                    false => write!(text, "\\u{unit:04x}"),
                };
            }
        } else {
            text.push(c);
        }
    }
    text
}

fn html(secret: &str, quotes: &str, double: &str, single: &str) -> String {
    let mut text = String::new();
    for c in secret.chars() {
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' if quotes.contains('"') => text.push_str(double),
            '\'' if quotes.contains('\'') => text.push_str(single),
            c => text.push(c),
        }
    }
    text
}

fn hex(secret: &str, upper: bool) -> String {
    let mut text = String::new();
    for byte in secret.bytes() {
        let _ = match upper {
            true => write!(text, "{byte:02X}"),
            false => write!(text, "{byte:02x}"),
        };
    }
    text
}

/// The secret in the Base64 of something longer, in which this many bytes (of
/// three) come before it: the characters that are made of it alone. The ones
/// beside them hold some of its bits, and others.
fn base64(secret: &[u8], skipped: usize, url: bool) -> Spelling {
    let engine = if url {
        URL_SAFE_NO_PAD
    } else {
        STANDARD_NO_PAD
    };
    let encode = |before: u8, after: u8| {
        let mut bytes = vec![before; skipped];
        bytes.extend_from_slice(secret);
        bytes.push(after);
        engine.encode(bytes).into_bytes()
    };
    let text = encode(0, 0);
    let start = (skipped * 8).div_ceil(6);
    let end = (skipped + secret.len()) * 8 / 6;
    let mut spelling = Spelling::plain(&text[start..end]);
    // Whatever the neighbours are: found by trying all of them.
    for other in 0..=u8::MAX {
        let text = encode(other, other);
        if skipped > 0 {
            spelling.before |= 1 << text[start - 1];
        }
        if !(skipped + secret.len()).is_multiple_of(3) {
            spelling.after |= 1 << text[end];
        }
    }
    spelling
}
