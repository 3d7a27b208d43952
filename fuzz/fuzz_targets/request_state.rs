//! What a client says it was given to keep.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| palisade_server::fuzzing::state(bytes));
