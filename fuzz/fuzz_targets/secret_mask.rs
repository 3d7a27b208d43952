//! A secret, a line break, and an answer in pieces: nothing of the secret is
//! left, and nothing else is changed.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| palisade_net::fuzzing::mask(bytes));
