//! Where a plugin is to come from: what is understood means the same when it is
//! written out and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| palisade_registry::fuzzing::source(text));
