//! A pattern of what is hidden, a line break, and a path: what is hidden stays so
//! with another pattern beside it, and so does all that lies below.

#![no_main]

use libfuzzer_sys::fuzz_target;
use palisade_policy::{Entered, HideSet};

/// Whether a path is hidden, and so does not exist.
fn hides(set: &HideSet, path: &str) -> bool {
    let mut trail = set.root();
    for name in path
        .split('/')
        .filter(|name| !matches!(*name, "" | "." | ".."))
    {
        match set.enter(&trail, name) {
            Entered::Hidden => return true,
            Entered::UnlessFolded(next) | Entered::Visible(next) => trail = next,
        }
    }
    false
}

fuzz_target!(|text: &str| {
    let Some((pattern, path)) = text.split_once('\n') else {
        return;
    };
    let (one, other) = (pattern.to_owned(), "other/**".to_owned());
    let Ok(set) = HideSet::new(std::slice::from_ref(&one)) else {
        return;
    };
    if hides(&set, path) {
        assert!(hides(&set, &format!("{path}/below")));
        if let Ok(more) = HideSet::new(&[other, one]) {
            assert!(hides(&more, path));
        }
    }
});
