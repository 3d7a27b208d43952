//! A line of the audit record, whoever wrote it.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| palisade_audit::fuzzing::line(bytes));
