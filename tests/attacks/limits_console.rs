//! What a guest prints is passed on up to a point; printing more neither stops
//! the guest nor fills the log.

use palisade_tests::stage::{MIB, done, open};
use palisade_tests::{Palisade, guest};
use serde_json::json;

const CUT: &str = "further output of this call is dropped";

#[test]
fn a_flood_is_cut_off_with_a_note() {
    let mut session = open(&Palisade::run(guest("prints-to-stdout")));
    let answer = done(&mut session, "print_much", json!({"bytes": 10 * MIB}));
    assert_eq!(answer, "printed 10485800 bytes");
    session.until_stderr(|text| text.contains(CUT));
    // Each call has an allowance of its own.
    done(&mut session, "print", json!({"text": "still here"}));
    let finished = session.finish();
    assert!(finished.stderr.contains("still here"));
    assert_eq!(finished.stderr.matches(CUT).count(), 1);
    let printed = finished.stderr.matches(&"x".repeat(99)).count() * 100;
    assert!((60_000..70_000).contains(&printed), "{printed} bytes");
    assert!(finished.stderr.len() < 200_000, "{}", finished.stderr.len());
}
