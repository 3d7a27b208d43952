//! A way in for fuzzers to what masks answers. It takes anything, and panics if
//! what must hold does not.

use std::iter;

use palisade_secrets::SecretValue;

use crate::secrets::Mask;

/// A secret, a line break, and an answer that comes in pieces, which `\0` parts:
/// it is masked as it would be in one, and the secret is not in what is left. Nor
/// is it where it follows the answer, each of its characters spelt in a way that
/// the answer says.
pub fn mask(bytes: &[u8]) {
    let mut halves = bytes.splitn(2, |byte| *byte == b'\n');
    let (Some(secret), Some(answer)) = (halves.next(), halves.next()) else {
        return;
    };
    let Ok(value) = SecretValue::from_bytes(secret.to_vec()) else {
        return;
    };
    let Ok(mask) = Mask::of([&value]) else {
        return;
    };
    let pieces: Vec<_> = answer.split(|byte| *byte == 0).collect();
    let whole = pieces.concat();
    let masked = mask.bytes(&whole);
    assert_eq!(masked.len(), whole.len(), "another length");
    assert_eq!(mask.pieces(&pieces), masked, "other pieces, another answer");
    let needle = value.reveal().as_bytes();
    let left = masked.windows(needle.len()).any(|part| part == needle);
    // With a star in it, what is masked may look like it.
    assert!(!left || needle.contains(&b'*'), "it is left");
    for (before, after) in whole.iter().zip(&masked) {
        assert!(before == after || *after == b'*', "something else is there");
    }
    if !value.reveal().contains(['%', '\\', '&']) {
        let spelt = spelt(value.reveal(), &whole);
        let more = [&whole, &b"\"\n\""[..], spelt.as_bytes(), b"\""].concat();
        let masked = mask.bytes(&more);
        let place = whole.len() + 3..more.len() - 1;
        assert!(masked[place].iter().all(|byte| *byte == b'*'), "{spelt}");
        let bytes: Vec<_> = more.chunks(1).collect();
        assert_eq!(mask.pieces(&bytes), masked, "byte by byte, another answer");
    }
}

/// A text, each of its characters in one of the ways that there are.
fn spelt(text: &str, ways: &[u8]) -> String {
    let ways = ways.iter().copied().cycle().chain(iter::repeat(0));
    let mut out = String::new();
    for (c, way) in text.chars().zip(ways) {
        let code = u32::from(c);
        let ascii = c.is_ascii();
        out.push_str(&match way % 12 {
            1 if ascii => format!("%{code:02X}"),
            2 if ascii => format!("%{code:02x}"),
            3 if code < 0x1_0000 => format!("\\u{code:04X}"),
            4 if code < 0x1_0000 => format!("\\u{code:04x}"),
            5 if ascii => format!("\\x{code:02x}"),
            6 => format!("&#{code};"),
            7 => format!("&#x{code:x};"),
            8 if ascii => format!("%25{code:02X}"),
            9 if code < 0x1_0000 => format!("\\\\u{code:04x}"),
            10 => format!("&amp;#{code};"),
            11 if c == '/' || c == '"' => format!("\\{c}"),
            _ => c.to_string(),
        });
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::fs;
    use std::path::Path;

    use proptest::prelude::*;

    /// What the fuzzer starts from, and what it has found: never wrong again.
    #[test]
    fn the_corpus() {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/secret_mask");
        let mut seen = 0;
        for entry in fs::read_dir(corpus).unwrap() {
            super::mask(&fs::read(entry.unwrap().path()).unwrap());
            seen += 1;
        }
        assert!(seen > 2, "{seen} files");
    }

    proptest! {
        #[test]
        fn anything(secret in "[a*/ -]{1,4}", answer in prop::collection::vec(any::<u8>(), 0..200)) {
            super::mask(&[secret.as_bytes(), b"\n", &answer].concat());
        }

        #[test]
        fn much_of_it(secret in "[a*]{1,4}", answer in "[a*\0\n]{0,60}") {
            super::mask(format!("{secret}\n{answer}").as_bytes());
        }
    }
}
