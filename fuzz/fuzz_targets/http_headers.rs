//! The headers of a request, one a line.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| palisade_server::fuzzing::headers(bytes));
