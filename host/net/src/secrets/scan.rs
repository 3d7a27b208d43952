//! Masking, piece by piece.

use std::sync::Arc;

use aho_corasick::automaton::StateID;
use bytes::{Bytes, BytesMut};

use super::forms::Forms;
use super::spelling::{Class, is_in};

/// What stands in the place of each byte of a secret.
const MASKED: u8 = b'*';

/// Masks a text that comes in pieces.
pub(super) struct Scan {
    forms: Arc<Forms>,
    state: StateID,
    /// What has been looked at and is not let go of yet, masked as far as it is
    /// known to be a secret.
    held: BytesMut,
    /// What a spelling that has just ended may go on with.
    after: Class,
}

impl Scan {
    pub(super) fn new(forms: Arc<Forms>) -> Self {
        Self {
            state: forms.start,
            forms,
            held: BytesMut::new(),
            after: 0,
        }
    }

    /// Takes the next piece, and lets go of what no later piece can change.
    ///
    /// How much that is must not depend on a secret: a guest that sees a byte
    /// held back could learn that a secret begins with it, and so on byte by
    /// byte. It is everything up to the last control character (no spelling has
    /// one, and lines, events and the like end with one), and whatever is
    /// further back than any spelling is long.
    pub(super) fn feed(&mut self, piece: &[u8]) -> Bytes {
        let from = self.held.len();
        self.held.extend_from_slice(piece);
        self.look(from);
        let control = (self.held.iter()).rposition(|byte| byte.is_ascii_control());
        let done = control.map_or(0, |last| last + 1);
        let done = done.max(self.held.len().saturating_sub(self.forms.window));
        self.held.split_to(done).freeze()
    }

    /// Lets go of the rest: there is no later piece.
    pub(super) fn finish(&mut self) -> Bytes {
        self.state = self.forms.start;
        self.after = 0;
        self.held.split().freeze()
    }

    /// How much is held back.
    pub(super) fn held(&self) -> usize {
        self.held.len()
    }

    fn look(&mut self, from: usize) {
        // What is masked already and reaches up to where we are.
        let mut run = from..from;
        for at in from..self.held.len() {
            let byte = self.held[at];
            let is_after = is_in(std::mem::take(&mut self.after), byte);
            self.state = self.forms.next(self.state, byte);
            let mut start = if is_after { at } else { at + 1 };
            for found in self.forms.found(self.state) {
                let mut first = (at + 1).saturating_sub(found.length);
                if let Some(before) = first.checked_sub(1)
                    && found.takes_before(self.held[before])
                {
                    first = before;
                }
                start = start.min(first);
                self.after |= found.after;
            }
            if start > at {
                continue;
            }
            // Of a text that is all one long row of secrets, each byte is
            // masked once.
            let fresh = if run.end == at && run.start <= start {
                at
            } else {
                run.start = start;
                start
            };
            self.held[fresh..=at].fill(MASKED);
            run.end = at + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use palisade_secrets::SecretValue;
    use proptest::prelude::*;

    use super::*;
    use crate::secrets::spelling::spellings;

    fn forms(secrets: &[&str]) -> Arc<Forms> {
        let values: Vec<_> = (secrets.iter())
            .map(|secret| SecretValue::new((*secret).to_owned()).unwrap())
            .collect();
        Forms::new(&values).unwrap()
    }

    fn masked(forms: &Arc<Forms>, pieces: &[&[u8]]) -> Vec<u8> {
        let mut scan = Scan::new(Arc::clone(forms));
        let mut out = Vec::new();
        for piece in pieces {
            out.extend_from_slice(&scan.feed(piece));
        }
        out.extend_from_slice(&scan.finish());
        assert_eq!(scan.held(), 0);
        out
    }

    /// The whole text at once, each spelling at each place.
    fn oracle(secrets: &[&str], text: &[u8]) -> Vec<u8> {
        let mut out = text.to_vec();
        for spelling in secrets.iter().flat_map(|secret| spellings(secret)) {
            let length = spelling.bytes.len();
            for start in 0..text.len() {
                if !text[start..].starts_with(&spelling.bytes) {
                    continue;
                }
                out[start..start + length].fill(MASKED);
                if start > 0 && is_in(spelling.before, text[start - 1]) {
                    out[start - 1] = MASKED;
                }
                if let Some(after) = text.get(start + length)
                    && is_in(spelling.after, *after)
                {
                    out[start + length] = MASKED;
                }
            }
        }
        out
    }

    fn text(bytes: &[u8]) -> String {
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[test]
    fn wherever_it_stands() {
        let forms = forms(&["s3cr3t/+key\"<1"]);
        for (said, shown) in [
            ("s3cr3t/+key\"<1", "**************"),
            (
                "a s3cr3t/+key\"<1s3cr3t/+key\"<1.",
                "a ****************************.",
            ),
            ("%73", "%73"),
            ("s3cr3t%2F%2Bkey%22%3C1", "**********************"),
            ("s3cr3t%2f%2bkey%22%3c1", "**********************"),
            ("\"s3cr3t/+key\\\"<1\"", "\"***************\""),
            ("\"s3cr3t\\/+key\\\"\\u003c1\"", "\"*********************\""),
            ("s3cr3t/+key&quot;&lt;1", "**********************"),
            (
                "7333637233742f2b6b6579223c31",
                "****************************",
            ),
            ("s3cr3t/+key", "s3cr3t/+key"),
        ] {
            assert_eq!(text(&masked(&forms, &[said.as_bytes()])), shown, "{said}");
        }
    }

    /// Whatever stands beside it: nothing of it can be read in what is left.
    #[test]
    fn in_the_base64_of_something_longer() {
        let secret = "AKIA-hunter2_";
        let forms = forms(&[secret]);
        for before in ["", "a", "ab", "abc", "user:", "{\"token\":\""] {
            for after in ["", "z", "\"}", "\n"] {
                let all = format!("{before}{secret}{after}");
                for engine in [
                    base64::engine::general_purpose::STANDARD,
                    base64::engine::general_purpose::URL_SAFE,
                ] {
                    let said = base64::Engine::encode(&engine, &all);
                    let shown = text(&masked(&forms, &[said.as_bytes()]));
                    assert_eq!(shown.len(), said.len());
                    // Characters that hold a bit of it.
                    let first = before.len() * 8 / 6;
                    let last = (before.len() + secret.len()) * 8;
                    for (place, c) in shown.chars().enumerate() {
                        let of_secret = (first..last.div_ceil(6)).contains(&place);
                        assert_eq!(c == '*', of_secret, "{all}: {said} became {shown}");
                    }
                }
            }
        }
    }

    #[test]
    fn short_secrets_are_masked_too() {
        let forms = forms(&["7"]);
        assert_eq!(masked(&forms, &[b"1737"]), b"1*3*");
    }

    #[test]
    fn one_in_another() {
        let forms = forms(&["abab", "ab", "babx"]);
        assert_eq!(masked(&forms, &[b"xababx abx"]), b"x***** **x");
    }

    /// Were it otherwise, a guest that has something echoed could ask for a
    /// secret byte by byte.
    #[test]
    fn what_is_held_back_tells_nothing() {
        let forms = forms(&["hunter2"]);
        let held = |said: &str| {
            let mut scan = Scan::new(Arc::clone(&forms));
            scan.feed(said.as_bytes());
            scan.held()
        };
        for (like, unlike) in [("h", "x"), ("hunter", "xunter"), ("a\nhunt", "a\nbunt")] {
            assert_eq!(held(like), held(unlike), "{like}");
        }
        assert_eq!(held("data: hunter\n\n"), 0, "an event is not held back");
        assert_eq!(held(&"x".repeat(5000)), forms.window);
    }

    #[test]
    fn a_long_row_of_secrets_takes_no_longer_than_another_text() {
        let secret = "a".repeat(20_000);
        let forms = forms(&[&secret]);
        let shown = masked(&forms, &[&[b'a'; 200_000]]);
        assert!(shown.iter().all(|byte| *byte == b'*'));
    }

    /// Pieces of secrets, their spellings, and what lies between.
    fn pieces() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let piece = prop_oneof![
            prop::sample::select(vec![
                "ab/c", "b/", "cab", "%2F", "%2f", "\\/", "YWIvYw", "Fi", "L2", "61622f63", "\n",
                " "
            ])
            .prop_map(|text| text.as_bytes().to_vec()),
            prop::collection::vec(prop::sample::select(b"abc/FLYWIv2 \n\xff".to_vec()), 0..6),
        ];
        prop::collection::vec(piece, 0..24)
    }

    proptest! {
        /// However it is cut up, it is what the whole text becomes at once.
        #[test]
        fn as_the_whole_at_once(pieces in pieces()) {
            let secrets = ["ab/c", "b/", "cabcabca"];
            let forms = forms(&secrets);
            let whole = pieces.concat();
            let cut: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
            let shown = masked(&forms, &cut);
            prop_assert_eq!(&shown, &oracle(&secrets, &whole));
            let bytes: Vec<&[u8]> = whole.chunks(1).collect();
            prop_assert_eq!(shown, masked(&forms, &bytes));
        }

        /// Any secret, in any encoding, between anything, beyond the window.
        #[test]
        fn any_secret(
            secret in "[ -~äß]{1,30}",
            before in prop::collection::vec(any::<u8>(), 0..1200),
            after in prop::collection::vec(any::<u8>(), 0..40),
            size in 1_usize..700,
        ) {
            let secret = format!("x{secret}x");
            let forms = forms(&[&secret]);
            for spelling in spellings(&secret) {
                let whole = [&before[..], &spelling.bytes, &after].concat();
                let cut: Vec<&[u8]> = whole.chunks(size).collect();
                let shown = masked(&forms, &cut);
                prop_assert_eq!(shown.len(), whole.len());
                let found = shown.windows(spelling.bytes.len()).any(|part| part == spelling.bytes);
                prop_assert!(!found);
                prop_assert_eq!(shown, oracle(&[&secret], &whole));
            }
        }
    }
}
