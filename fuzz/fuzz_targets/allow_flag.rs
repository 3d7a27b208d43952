//! A rule on the command line: what is shown of it is the same rule, and so is
//! what a manifest and a grant say in the same words.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    palisade_policy::fuzzing::allow_flag(text);
});
