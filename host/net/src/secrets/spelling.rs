//! What is looked for, to find a secret.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::DEPTH;
use super::escape::{self, Read};

/// Shortest secret, in bytes, that is looked for in encodings which spell every
/// text in a few of the same characters: of a shorter one, they would mask half
/// of everything.
const SHORTEST: usize = 4;

/// Longest secret, in bytes, that is looked for in one such encoding within
/// another: there are dozens of those, each of them several times as long.
const LONGEST_TWICE: usize = 4096;

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

/// A secret as it stands in a text of which escapes have been undone. None of it
/// has control characters.
pub(super) fn plain(secret: &str) -> BTreeSet<Spelling> {
    let mut all = BTreeSet::from([Spelling::plain(secret)]);
    // As forms have it.
    all.insert(Spelling::plain(secret.replace(' ', "+")));
    // Of a secret that looks like escapes itself.
    let mut undone = secret.as_bytes().to_vec();
    for _ in 0..DEPTH {
        undone = unescaped(&undone);
        let printable = !undone.iter().any(u8::is_ascii_control);
        if undone.len() >= SHORTEST && printable {
            all.insert(Spelling::plain(undone.clone()));
        }
    }
    all
}

/// A secret in encodings that do not spell it byte by byte: these may be broken
/// into lines. All of it is of letters, digits, `+`, `/`, `-` and `_`.
pub(super) fn wide(secret: &str) -> BTreeSet<Spelling> {
    let mut all = BTreeSet::new();
    if secret.len() < SHORTEST {
        return all;
    }
    let once: Vec<_> = encoded(secret.as_bytes()).collect();
    if secret.len() <= LONGEST_TWICE {
        for spelling in &once {
            all.extend(encoded(&spelling.bytes));
        }
    }
    all.extend(once);
    all
}

fn encoded(bytes: &[u8]) -> impl Iterator<Item = Spelling> {
    let hex = [true, false].map(|upper| Spelling::plain(hex(bytes, upper)));
    let base64 = (0..3).flat_map(|skipped| [false, true].map(|url| base64(bytes, skipped, url)));
    hex.into_iter().chain(base64)
}

/// A text with its escapes undone, once.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    'next: while let Some(byte) = text.get(at) {
        for end in at + 2..=text.len().min(at + escape::LONGEST) {
            match escape::read(&text[at..end]) {
                Read::More => continue,
                Read::No => break,
                Read::Byte(byte) => out.push(byte),
                Read::Is(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
            at = end;
            continue 'next;
        }
        out.push(*byte);
        at += 1;
    }
    out
}

fn hex(bytes: &[u8], upper: bool) -> String {
    let mut text = String::new();
    for byte in bytes {
        // Writing to a String can't fail.
        let _ = match upper {
            true => write!(text, "{byte:02X}"),
            false => write!(text, "{byte:02x}"),
        };
    }
    text
}

/// Bytes in the Base64 of something longer, in which this many bytes (of three)
/// come before them: the characters that are made of them alone. The ones beside
/// them hold some of their bits, and others.
fn base64(secret: &[u8], skipped: usize, url: bool) -> Spelling {
    let engine = if url {
        URL_SAFE_NO_PAD
    } else {
        STANDARD_NO_PAD
    };
    let encode = |bytes: &[u8]| engine.encode(bytes).into_bytes();
    let mut whole = vec![0; skipped];
    whole.extend_from_slice(secret);
    whole.push(0);
    let text = encode(&whole);
    let start = (skipped * 8).div_ceil(6);
    let end = (skipped + secret.len()) * 8 / 6;
    let mut spelling = Spelling::plain(&text[start..end]);
    let (Some(first), Some(last)) = (secret.first(), secret.last()) else {
        return spelling;
    };
    // Whatever the neighbours are: found by trying all of them.
    let left = (skipped + secret.len()) % 3;
    for other in 0..=u8::MAX {
        match skipped {
            0 => {}
            1 => spelling.before |= 1 << encode(&[other, *first])[1],
            _ => spelling.before |= 1 << encode(&[0, other, *first])[2],
        }
        match left {
            0 => {}
            1 => spelling.after |= 1 << encode(&[*last, other])[1],
            _ => spelling.after |= 1 << encode(&[0, *last, other])[2],
        }
    }
    spelling
}
