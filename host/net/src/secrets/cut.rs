//! What of an answer can be let go of.

use super::forms::is_space;
use super::track::is_wide;

/// Up to where no later piece of a text can change how it is masked.
///
/// It must not depend on a secret: a guest that sees a byte held back could learn
/// that a secret begins with it, and so on byte by byte. So it is what no
/// spelling of any secret goes across: a control character, which none has; if
/// it is one that breaks lines, which encodings may be broken into, then with
/// something beside it that is in no such encoding. Lines of JSON, events and the
/// like end so.
#[derive(Default)]
pub(super) struct Cut {
    /// As far as it is known.
    place: u64,
    /// After the last line break that the next characters will tell of.
    waiting: Option<u64>,
    /// The last character that was no white space may be of an encoding.
    open: bool,
    /// Line breaks since then.
    breaks: u8,
    /// How far it has looked.
    at: u64,
}

impl Cut {
    /// Takes the next piece of the text; where it may be cut, counted from the
    /// text's beginning.
    pub(super) fn look(&mut self, piece: &[u8]) -> u64 {
        // What comes before the last such character is decided by it.
        let blocker = piece.iter().rposition(|byte| !is_wide(*byte));
        let decided = blocker.unwrap_or(0);
        if blocker.is_some() {
            let control = (piece[..decided].iter()).rposition(u8::is_ascii_control);
            let control = control.map(|control| self.at + control as u64 + 1);
            self.place = control.or(self.waiting).unwrap_or(self.place);
            self.waiting = None;
        }
        self.at += decided as u64;
        for byte in &piece[decided..] {
            self.at += 1;
            self.one(*byte);
        }
        self.place
    }

    fn one(&mut self, byte: u8) {
        if !is_space(byte) {
            self.open = is_wide(byte);
            self.breaks = 0;
        } else if byte == b'\n' {
            self.breaks = self.breaks.saturating_add(1);
            self.open &= self.breaks < 2;
        }
        if byte.is_ascii_control() {
            match self.open {
                true => self.waiting = Some(self.at),
                false => {
                    self.place = self.at;
                    self.waiting = None;
                }
            }
        }
    }
}
