//! The bytes of a file that may carry a signature: whoever is recognised did sign it.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| palisade_signing::fuzzing::file(bytes));
