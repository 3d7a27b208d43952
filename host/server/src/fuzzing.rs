//! Ways in for fuzzers and property tests to what reads a client's bytes. Each
//! function takes anything, and panics if what must hold does not.

use serde_json::Value;

pub use crate::adapter::fuzzing::{body, line, state};
pub use crate::http::fuzzing::headers;

/// A schema, a line break, and arguments for it: what is wrong with arguments
/// is said in a few words, the same each time, and only if there is something.
pub fn arguments(bytes: &[u8]) {
    let mut halves = bytes.splitn(2, |byte| *byte == b'\n');
    let mut next = || serde_json::from_slice::<Value>(halves.next()?).ok();
    let (Some(schema), Some(arguments)) = (next(), next()) else {
        return;
    };
    let verdict = || crate::gate::judge(&schema, &arguments);
    let problem = verdict();
    assert_eq!(problem, verdict(), "another verdict the second time");
    if let Err(problem) = problem {
        assert!(!problem.is_empty(), "refused without a reason");
        assert!(problem.len() < 16 * 1024, "{} bytes", problem.len());
        assert!(!crate::gate::satisfies(&schema, &arguments));
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
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
        type Target = (&'static str, fn(&[u8]));
        let targets: [Target; 5] = [
            ("input_line", super::line),
            ("http_body", super::body),
            ("http_headers", super::headers),
            ("tool_arguments", super::arguments),
            ("request_state", super::state),
        ];
        for (target, run) in targets {
            let mut files = 0;
            for file in fs::read_dir(corpus.join(target)).unwrap() {
                run(&fs::read(file.unwrap().path()).unwrap());
                files += 1;
            }
            assert!(files > 0, "{target} has no corpus");
        }
    }

    /// Bytes that are nearly what is expected: `seed` with some of it replaced.
    fn damaged(seed: &'static str) -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![
            any::<u8>(),
            prop::sample::select(b"{}[]\",:0e-\\\n ".to_vec())
        ];
        prop::collection::vec((0..seed.len(), byte), 0..6).prop_map(move |edits| {
            let mut bytes = seed.as_bytes().to_vec();
            for (place, byte) in edits {
                bytes[place] = byte;
            }
            bytes
        })
    }

    const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":[1,-2.5e3,"\u00e9"]},"_meta":{"progressToken":3}}}"#;
    const LIST: &str =
        r#"[{"jsonrpc":"2.0","id":"a","method":"tools/list"},{"jsonrpc":"2.0","method":"x"}]"#;
    const CHECKED: &str = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\
         \"pattern\":\"^a*$\"}},\"additionalProperties\":false}\n{\"a\":\"aa\",\"b\":1}";
    const HEADERS: &str = "host: localhost:80\norigin: http://localhost\nlast-event-id: 1-2\n\
         accept: application/json;q=0.5, text/event-stream\ncontent-type: application/json";

    proptest! {
        #[test]
        fn any_line(bytes in prop_oneof![damaged(CALL), prop::collection::vec(any::<u8>(), 0..200)]) {
            super::line(&bytes);
        }

        #[test]
        fn any_body(bytes in prop_oneof![damaged(LIST), damaged(CALL)]) {
            super::body(&bytes);
        }

        #[test]
        fn any_arguments(bytes in damaged(CHECKED)) {
            super::arguments(&bytes);
        }

        #[test]
        fn any_headers(bytes in prop_oneof![damaged(HEADERS), prop::collection::vec(any::<u8>(), 0..200)]) {
            super::headers(&bytes);
        }

        #[test]
        fn any_state(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            super::state(&bytes);
        }
    }
}
