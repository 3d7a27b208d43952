//! A grant: what a person wrote, perhaps by a tool that got it wrong.

#![no_main]

use libfuzzer_sys::fuzz_target;
use palisade_policy::{Grant, compare};

fuzz_target!(|text: &str| {
    match Grant::parse(text) {
        Ok(grant) => {
            // Equal permissions have equal fingerprints.
            if let (Ok(one), Ok(other)) = (compare(None, &grant), compare(None, &grant)) {
                assert_eq!(one.effective.hash(), other.effective.hash());
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
