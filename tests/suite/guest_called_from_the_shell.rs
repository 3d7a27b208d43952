//! In a shell there is a person: what a plugin says while it runs goes to
//! standard error, and only the answer to standard output.

use palisade_tests::{Palisade, guest};

#[test]
fn progress_and_messages() {
    let call = Palisade::call(guest("chatty"), "progress", r#"{"steps": 2}"#);
    let finished = call.output().success();
    assert_eq!(finished.stdout, "2 steps\n");
    for step in ["step 1", "step 2"] {
        assert!(finished.stderr.contains(step), "{finished:?}");
    }

    let call = Palisade::call(guest("chatty"), "log_object", "{}");
    let finished = call.output().success();
    assert_eq!(finished.stdout, "one object\n");
    assert!(finished.stderr.contains("{\"answer\":42}"), "{finished:?}");
    assert!(finished.stderr.contains("arning"), "{finished:?}");
}

#[test]
fn a_crash() {
    let call = Palisade::call(guest("traps"), "abort", "{}");
    let finished = call.output();
    assert_eq!(finished.code, Some(1), "{finished:?}");
    assert_eq!(finished.stdout, "");
    assert!(finished.stderr.contains("crashed"), "{finished:?}");
}
