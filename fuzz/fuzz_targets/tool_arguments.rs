//! A JSON Schema, a line break, and arguments for it.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| palisade_server::fuzzing::arguments(bytes));
