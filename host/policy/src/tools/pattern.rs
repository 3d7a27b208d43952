//! Patterns of tool names: `*` stands for any characters or none.

use super::PATTERN_MAX;

/// The name that is closest to a pattern, if one is close at all.
pub(super) fn nearest<'n>(pattern: &str, names: &[&'n str]) -> Option<&'n str> {
    let wanted = pattern.replace('*', "");
    let distance = |name: &str| match pattern.contains('*') {
        // As much of the name as the pattern spells out.
        true => {
            let length = wanted.chars().count();
            let begin: String = name.chars().take(length).collect();
            let skip = name.chars().count().saturating_sub(length);
            let end: String = name.chars().skip(skip).collect();
            strsim::osa_distance(&wanted, &begin).min(strsim::osa_distance(&wanted, &end))
        }
        false => strsim::osa_distance(&wanted, name),
    };
    (names.iter())
        .map(|name| (distance(name), *name))
        .filter(|(distance, _)| *distance <= (wanted.len() / 2).max(1))
        .min()
        .map(|(_, name)| name)
}

pub(super) fn is_pattern(text: &str) -> bool {
    (1..=PATTERN_MAX).contains(&text.len())
        && !(text.chars()).any(|c| c.is_whitespace() || crate::text::steers(c))
}

/// Larger is more specific: exact, length before the first `*`, length in all.
pub(super) fn specificity(pattern: &str) -> (bool, usize, usize) {
    let prefix = pattern.find('*').unwrap_or(pattern.len());
    let literal = pattern.len() - pattern.matches('*').count();
    (prefix == pattern.len(), prefix, literal)
}

/// Whether a pattern matches a whole name. Each part between two `*` is taken
/// at its first place, which finds a match if there is one.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let Some((prefix, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let (middle, suffix) = rest.rsplit_once('*').unwrap_or(("", rest));
    let Some(mut name) = (name.strip_prefix(prefix)).and_then(|name| name.strip_suffix(suffix))
    else {
        return false;
    };
    for part in middle.split('*') {
        match name.find(part) {
            Some(place) => name = &name[place + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, expected) in [
            ("read", "read", true),
            ("read", "reader", false),
            ("read", "Read", false),
            ("*", "", true),
            ("*", "anything", true),
            ("delete_*", "delete_all", true),
            ("delete_*", "delete_", true),
            ("delete_*", "undelete_all", false),
            ("*_file", "read_file", true),
            ("*_file", "read_files", false),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("**", "x", true),
            ("*ab*ab", "ab", false),
            ("*ab*ab", "abab", true),
            ("*ä*", "bär", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    /// The definition of a match, one character at a time.
    fn by_definition(pattern: &[char], name: &[char]) -> bool {
        match (pattern, name) {
            ([], []) => true,
            (['*', rest @ ..], _) => (0..=name.len()).any(|n| by_definition(rest, &name[n..])),
            ([p, rest @ ..], [n, names @ ..]) => p == n && by_definition(rest, names),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn matching_follows_the_definition(pattern in "[ab*]{0,8}", name in "[ab]{0,10}") {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(matches(&pattern, &name), by_definition(&chars(&pattern), &chars(&name)));
        }
    }
}
