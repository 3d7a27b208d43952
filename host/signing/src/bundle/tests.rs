#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;

#[test]
fn the_authorities_can_be_read() {
    Root::public().unwrap();
    assert!(Root::parse("{}").is_err());
}
