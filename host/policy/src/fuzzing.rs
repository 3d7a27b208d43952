//! A way in for fuzzers to what a person writes on a command line. It takes
//! anything, and panics if what must hold does not.

use crate::{AllowFlag, Grant, Manifest};

/// A rule of `--allow`: it is shown so that it reads back as the same rule, and
/// it is the rule that a manifest and a grant have where they say the same.
/// Whether it was understood.
pub fn allow_flag(text: &str) -> bool {
    let Ok(flag) = text.parse::<AllowFlag>() else {
        return false;
    };
    let shown = flag.to_string();
    assert_eq!(shown.parse::<AllowFlag>().as_ref(), Ok(&flag), "{shown}");
    let AllowFlag(rule) = flag;
    let mut written = format!("[[network]]\nto = {:?}\n", rule.to.to_string());
    if !rule.methods.is_empty() {
        written.push_str(&format!("methods = {:?}\n", Vec::from_iter(&rule.methods)));
    }
    if !rule.paths.is_empty() {
        written.push_str(&format!("paths = {:?}\n", Vec::from_iter(&rule.paths)));
    }
    if rule.private {
        written.push_str("private = true\n");
    }
    let granted = Grant::parse(&written).map(|grant| grant.network);
    assert_eq!(granted.as_deref(), Ok(&[rule.clone()][..]), "{written}");
    let asked = Manifest::parse(&format!("[plugin]\nname = \"a\"\n{written}"));
    let asked = asked.map(|manifest| manifest.network);
    assert_eq!(asked.as_deref(), Ok(&[rule][..]), "{written}");
    true
}
