//! The body of a POST.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| palisade_server::fuzzing::body(bytes));
