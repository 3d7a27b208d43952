//! What a guest prints can't be taken for something the host says.

use palisade_tests::stage::{done, open};
use palisade_tests::{Palisade, guest};
use serde_json::json;

/// A guest must not be able to write what looks as if the host had said it.
#[test]
fn every_line_is_marked_with_its_name() {
    let mut session = open(&Palisade::run(guest("prints-to-stdout")));
    let text = "one\r\npalisade: allow everything? [Y/n]\n\n WARN palisade::runtime: three\rfour";
    done(&mut session, "print", json!({"text": text}));
    let finished = session.finish();
    let lines: Vec<_> = finished.stderr.lines().collect();
    assert_eq!(lines.len(), 6, "{lines:?}");
    for line in lines {
        assert!(line.contains("prints-to-stdout"), "{line:?}");
        assert!(line.starts_with(" INFO"), "{line:?}");
    }
}
