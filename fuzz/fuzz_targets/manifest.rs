//! A manifest: what a plugin asks for is hostile until it is parsed, and never holds by itself.

#![no_main]

use libfuzzer_sys::fuzz_target;
use palisade_policy::{Grant, Manifest, compare};

fuzz_target!(|text: &str| {
    match Manifest::parse(text) {
        Ok(manifest) => {
            let decided = compare(Some(&manifest), &Grant::default());
            let effective = decided.map(|decision| decision.effective);
            // Without a grant there is nothing but limits.
            assert!(effective.is_ok_and(|effective| {
                effective.roots.is_empty()
                    && effective.network.is_empty()
                    && effective.env.is_empty()
                    && effective.secrets.is_empty()
                    && effective.storage.is_none()
            }));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
