//! Sigstore bundles, as they lie beside a file or in a registry.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| palisade_signing::fuzzing::bundle(bytes));
