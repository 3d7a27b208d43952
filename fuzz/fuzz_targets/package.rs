//! The bytes of a component that is packed, and what a package carries: what was
//! packed is read back, and packing it again changes nothing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use palisade_package::{Parts, carried, pack};

const MANIFEST: &str = "[plugin]\nname = \"fuzzed\"\nversion = \"1\"\n";

fuzz_target!(|bytes: &[u8]| {
    let _ = carried(bytes);
    let parts = Parts {
        manifest: MANIFEST,
        readme: Some("# Fuzzed\n"),
        licence: None,
    };
    if let Ok(package) = pack(bytes, parts) {
        let read = carried(&package.bytes).unwrap();
        assert_eq!(read.manifest.as_deref(), Some(MANIFEST));
        assert_eq!(read.readme.as_deref(), Some("# Fuzzed\n"));
        assert_eq!(read.licence, None);
        assert_eq!(pack(&package.bytes, parts).unwrap().bytes, package.bytes);
    }
});
