//! Showing and checking text that came from somebody else.
//!
//! Keys and values of a hostile manifest end up in messages on a terminal, so
//! they are shown with everything that could steer one written out. Longer text
//! has such characters replaced, each kind of place by its own rule ([`Shown`]).

use std::borrow::Cow;

/// What stands for a character that may not be shown.
const REPLACEMENT: &str = "\u{fffd}";

/// Longest piece of foreign text repeated in a message, in characters.
const SHOWN_CHARS: usize = 80;

/// `text` with control, direction and invisible characters written out, cut to
/// a readable length.
pub(crate) fn shown(text: &str) -> String {
    let mut out = escaped(text.chars().take(SHOWN_CHARS));
    if text.chars().nth(SHOWN_CHARS).is_some() {
        out.push('…');
    }
    out
}

/// `text` in full with control, direction and invisible characters written out.
pub(crate) fn visible(text: &str) -> String {
    escaped(text.chars())
}

fn escaped(chars: impl Iterator<Item = char>) -> String {
    let mut out = String::new();
    for c in chars {
        if steers(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// Whether a character can change how the text around it is displayed: control
/// characters, line and direction marks, invisible fillers and tag characters.
/// The two joiners (U+200C, U+200D) are ordinary writing and stay.
pub(crate) fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Where foreign text of any length is to be shown, which decides what of it is
/// replaced by U+FFFD.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// One line on a terminal or in a log: nothing that ends the line or steers
    /// what is displayed, but for tabs.
    OneLine,
    /// Lines on a terminal: as [`Self::OneLine`], with line feeds.
    Lines,
    /// A result, which a client shows as it likes and a model may have to repeat
    /// exactly: no control characters but those that text files hold (tab, line
    /// feed, form feed, carriage return). Characters of direction are part of
    /// texts in some languages and stay.
    Result,
}

impl Shown {
    /// Whether a character may be there.
    #[must_use]
    pub fn allows(self, c: char) -> bool {
        match self {
            Self::OneLine => c == '\t' || !steers(c),
            Self::Lines => matches!(c, '\t' | '\n') || !steers(c),
            Self::Result => matches!(c, '\t' | '\n' | '\u{c}' | '\r') || !c.is_control(),
        }
    }

    /// `text` as it may be there.
    #[must_use]
    pub fn of(self, text: &str) -> Cow<'_, str> {
        // Most text is long and plain: bytes are looked at sooner than characters.
        let lines = self.allows('\n');
        let plain = |b: u8| matches!(b, b' '..=b'~' | b'\t') || b == b'\n' && lines;
        let Some(end) = text.bytes().position(|b| !plain(b)) else {
            return text.into();
        };
        let (before, rest) = text.split_at(end);
        let may_not = |c: char| !self.allows(c);
        if rest.contains(may_not) {
            (before.to_owned() + &rest.replace(may_not, REPLACEMENT)).into()
        } else {
            text.into()
        }
    }
}

/// `word` as one word of a POSIX shell, for commands a person may paste.
pub(crate) fn shell_word(word: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-./:=,@+%".contains(&b);
    match !word.is_empty() && word.bytes().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", visible(&word.replace('\'', "'\\''"))),
    }
}

/// "a", "a or b", "a, b or c".
pub(crate) fn alternatives<T: std::fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    let mut items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    match items.pop() {
        None => String::new(),
        Some(last) if items.is_empty() => last,
        Some(last) => format!("{} or {last}", items.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_never_reach_the_terminal() {
        assert_eq!(shown("a\u{1b}[2Jb\u{202e}c"), "a\\u{1b}[2Jb\\u{202e}c");
        assert_eq!(shown("Grüße, שלום"), "Grüße, שלום");
    }

    /// Everything that any terminal takes for a command, or that makes text look
    /// like other text, at every place that there is.
    #[test]
    fn no_place_shows_what_steers_it() {
        let turns_round = |c: char| matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        let hides = |c: char| matches!(c, '\u{200b}' | '\u{feff}' | '\u{e0020}'..='\u{e007f}');
        let breaks = |c: char| {
            matches!(
                c,
                '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
            )
        };
        for c in '\0'..=char::MAX {
            let text = format!("a{c}b");
            for place in [Shown::OneLine, Shown::Lines, Shown::Result] {
                let shown = place.of(&text);
                let replaced = shown == "a\u{fffd}b" && c != '\u{fffd}';
                assert!(replaced || shown == text, "{c:?} became {shown:?}");
                assert_eq!(place.allows(c), !replaced, "{c:?}");
                if c.is_control() && !matches!(c, '\t' | '\n' | '\u{c}' | '\r') {
                    assert!(replaced, "{place:?} shows {c:?}");
                }
                if place != Shown::Result && (turns_round(c) || hides(c)) {
                    assert!(replaced, "{place:?} shows {c:?}");
                }
                if place == Shown::OneLine && breaks(c) {
                    assert!(replaced, "{place:?} shows {c:?}");
                }
                if c.is_alphanumeric() || c.is_ascii_punctuation() || c == ' ' {
                    assert!(!replaced, "{place:?} does not show {c:?}");
                }
            }
            // In a message of ours it is written out instead.
            assert!(visible(&text).chars().all(|c| !steers(c)), "{c:?}");
        }
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(shown(&"x".repeat(5000)).chars().count(), SHOWN_CHARS + 1);
    }

    #[test]
    fn a_pasted_word_runs_nothing() {
        assert_eq!(shell_word("notes=/srv/a:rw"), "notes=/srv/a:rw");
        assert_eq!(shell_word("$(rm -r ~)"), "'$(rm -r ~)'");
        assert_eq!(shell_word("a'b"), "'a'\\''b'");
        assert_eq!(shell_word(""), "''");
    }

    #[test]
    fn alternatives_read_as_a_sentence() {
        assert_eq!(alternatives(["a"]), "a");
        assert_eq!(alternatives(["a", "b"]), "a or b");
        assert_eq!(alternatives(["a", "b", "c"]), "a, b or c");
    }
}
