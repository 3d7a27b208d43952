//! A line of standard input.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| palisade_server::fuzzing::line(bytes));
