//! A way in for fuzzers to what reads sources. It takes anything, and panics if
//! what must hold does not.

use crate::source::Source;

/// A text: what is understood means the same when it is written out and read
/// again, and what is not is refused in one short line.
pub fn source(text: &str) {
    match text.parse::<Source>() {
        Ok(source) => {
            let written = source.to_string();
            assert_eq!(written.parse(), Ok(source), "{written:?}");
            assert!(!written.contains(char::is_control), "{written:?}");
        }
        Err(error) => {
            let error = error.to_string();
            assert!(error.len() < 1200, "{error:?}");
            assert!(!error.contains('\n'), "{error:?}");
        }
    }
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
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/plugin_source");
        let mut seen = 0;
        for entry in fs::read_dir(corpus).unwrap() {
            super::source(&fs::read_to_string(entry.unwrap().path()).unwrap());
            seen += 1;
        }
        assert!(seen > 4, "{seen} files");
    }

    proptest! {
        #[test]
        fn anything(text in any::<String>()) {
            super::source(&text);
        }

        #[test]
        fn nearly_one(text in "(https?|oci|OCI)://[a-zA-Z0-9.:@\\[\\]-]{0,20}/[a-z0-9/:@._?#%-]{0,30}(@sha256:[0-9a-f]{62,65})?") {
            super::source(&text);
        }
    }
}
