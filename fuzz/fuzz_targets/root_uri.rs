//! The address of a client's root: what is understood is an absolute path without
//! a way back in it.

#![no_main]

use std::path::Component;

use libfuzzer_sys::fuzz_target;
use palisade_policy::ClientPath;

fuzz_target!(|uri: &str| {
    if let Ok(path) = ClientPath::parse(uri).and_then(|path| path.to_path()) {
        assert!(path.is_absolute(), "{path:?}");
        let back = |part: Component<'_>| matches!(part, Component::ParentDir | Component::CurDir);
        assert!(!path.components().any(back), "{path:?}");
        assert!(
            !path.as_os_str().as_encoded_bytes().contains(&0),
            "{path:?}"
        );
    }
});
