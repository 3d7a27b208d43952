//! A plugin sees the environment variables that were granted, with the values
//! that were granted, and no other.

use palisade_tests::stage::{done, open};
use palisade_tests::{Palisade, guest};
use serde_json::json;

#[test]
fn by_value_and_by_name() {
    let command = Palisade::run(guest("escapes"))
        .env("HANDED_ON", "from the host")
        .env("OVERRIDDEN", "from the host")
        .env("KEPT_BACK", "hunter2")
        .arg("--env")
        .arg("GIVEN=a=b c")
        .arg("--env")
        .arg("HANDED_ON")
        .arg("--env")
        .arg("OVERRIDDEN=from the flag")
        .arg("--env")
        .arg("EMPTY=");
    let mut session = open(&command);
    let mut seen: Vec<_> = done(&mut session, "env", json!({}))
        .lines()
        .map(str::to_owned)
        .collect();
    seen.sort();
    assert_eq!(
        seen,
        [
            "EMPTY=",
            "GIVEN=a=b c",
            "HANDED_ON=from the host",
            "OVERRIDDEN=from the flag"
        ]
    );
}
