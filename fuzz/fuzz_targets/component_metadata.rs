//! The bytes of a component: the manifest it carries is looked for before
//! anything else of it is trusted.

#![no_main]

use libfuzzer_sys::fuzz_target;
use palisade_policy::Manifest;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(Some(manifest)) = palisade_runtime::carried_manifest(bytes) {
        let _ = Manifest::parse(&manifest);
    }
});
