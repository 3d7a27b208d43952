use proptest::prelude::*;

use crate::glob::Glob;

/// Recorded from minimatch 10.2.6 with `dot: true`: pattern, path, answer.
const MINIMATCH: &str = include_str!("minimatch.jsonl");

#[test]
fn patterns_mean_what_they_mean_in_the_reference_server() {
    let mut cases = 0;
    for line in MINIMATCH.lines() {
        let (pattern, path, answer): (String, String, bool) = serde_json::from_str(line).unwrap();
        let glob = Glob::new(&pattern).unwrap();
        assert_eq!(glob.matches(&path), answer, "{pattern} on {path}");
        assert!(
            !answer
                || glob
                    .deepest()
                    .is_none_or(|most| path.split('/').count() <= most),
            "{pattern}"
        );
        cases += 1;
    }
    assert!(cases > 400);
}

#[test]
fn an_excessive_pattern_is_refused_with_the_reason() {
    let long = Glob::new(&"a".repeat(5000)).unwrap_err().to_string();
    assert!(long.contains("at most 4096 bytes"), "{long}");
    let many = Glob::new("{1..2000}").unwrap_err().to_string();
    assert!(many.contains("too many patterns"), "{many}");
}

#[test]
fn a_pattern_made_to_be_slow_is_not() {
    let name = "a".repeat(255);
    let path = [name.as_str(); 12].join("/");
    for pattern in [
        "*a".repeat(100),
        "**/a*/".repeat(60) + "b",
        format!("**/{}b", "*(a|aa)".repeat(8)),
        "*(*(*(a)))".repeat(3) + "b",
    ] {
        assert!(!Glob::new(&pattern).unwrap().matches(&path));
    }
}

proptest! {
    #[test]
    fn any_text_is_a_pattern(pattern in any::<String>(), path in any::<String>()) {
        if let Ok(glob) = Glob::new(&pattern) {
            glob.matches(&path);
        }
    }

    #[test]
    fn a_name_matches_its_own_escaped_form(name in "[^/]{1,20}") {
        let escaped: String = name.chars().flat_map(|c| ['\\', c]).collect();
        prop_assert!(Glob::new(&escaped).unwrap().matches(&name));
    }
}
