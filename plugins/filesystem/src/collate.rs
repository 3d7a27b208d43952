//! The order in which people expect names: letters by the alphabet whatever
//! their case and accents, digits before letters, other characters before
//! digits. An approximation of the Unicode Collation Algorithm's root order,
//! whose full tables would be larger than the rest of this plugin.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// ASCII before digits, in the order of the Unicode root collation.
const BEFORE_DIGITS: &str = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";

/// Compares like the name it was made of: first by letters, then by accents,
/// then by case (small first).
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    letters: Vec<(usize, char)>,
    accents: Vec<(usize, char)>,
    capitals: Vec<bool>,
}

/// The key of a name.
pub(crate) fn key(name: &str) -> Key {
    let mut key = Key {
        letters: Vec::with_capacity(name.len()),
        accents: Vec::new(),
        capitals: Vec::with_capacity(name.len()),
    };
    for c in name.nfd() {
        if is_combining_mark(c) {
            // An accent further on weighs less: `usize::MAX` minus its place.
            key.accents.push((usize::MAX - key.letters.len(), c));
            continue;
        }
        for small in c.to_lowercase() {
            let class = BEFORE_DIGITS.find(small).unwrap_or(BEFORE_DIGITS.len());
            key.letters.push((class, small));
            key.capitals.push(small != c);
        }
    }
    key
}
