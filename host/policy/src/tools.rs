//! Which tools may be called, and which ask the person first.

use std::collections::BTreeMap;
use std::fmt;

use crate::error::ParseError;
use crate::parse::Table;
use crate::text::shown;

/// Longest pattern, in bytes.
const PATTERN_MAX: usize = 128;

/// What happens to a call. Ordered from the loosest to the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ToolDecision {
    /// It runs.
    Allow,
    /// The person is asked, each time.
    Ask,
    /// It is refused.
    Deny,
}

impl fmt::Display for ToolDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        })
    }
}

/// The `[tools]` of a grant: patterns of tool names, `*` standing for any
/// characters or none, each with a decision.
///
/// The order in the file means nothing; the most specific pattern that matches
/// decides:
///
/// 1. a pattern without `*` (the name itself), then
/// 2. the pattern with the longest part before its first `*`, then
/// 3. the one with more characters besides `*`, then
/// 4. the stricter decision.
///
/// A tool that no pattern matches is allowed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolRules {
    rules: BTreeMap<String, ToolDecision>,
    /// Where in the grant file a pattern stands.
    lines: BTreeMap<String, usize>,
}

/// A pattern that no tool of a plugin matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnmatchedPattern {
    /// The pattern, ready to print.
    pub pattern: String,
    /// The line of the grant file, where it is of one.
    pub line: Option<usize>,
    /// The tool that was probably meant, ready to print.
    pub closest: Option<String>,
}

impl ToolRules {
    pub(crate) fn parse(table: &Table<'_>) -> Result<Self, ParseError> {
        let choices = [
            ("allow", ToolDecision::Allow),
            ("ask", ToolDecision::Ask),
            ("deny", ToolDecision::Deny),
        ];
        let mut rules = Self::default();
        for item in table.items() {
            let pattern = item.key();
            if !is_pattern(pattern) {
                return Err(item.error(
                    "is not a pattern of tool names",
                    format!(
                        "write 1 to {PATTERN_MAX} visible characters, `*` for any, \
                         as in \"delete_*\" = \"ask\""
                    ),
                ));
            }
            if item.table("", "").is_ok() {
                return Err(item.error(
                    "is a table",
                    "put patterns with a dot in quotes, as in \"files.*\" = \"ask\"",
                ));
            }
            rules.insert(pattern, item.choice(&choices)?);
            rules.lines.insert(pattern.to_owned(), item.line());
        }
        Ok(rules)
    }

    /// Sets the decision for a pattern, replacing one for the same pattern.
    pub fn insert(&mut self, pattern: impl Into<String>, decision: ToolDecision) {
        self.rules.insert(pattern.into(), decision);
    }

    /// What happens to a call of this tool.
    pub fn decide(&self, name: &str) -> ToolDecision {
        (self.rules.iter())
            .filter(|(pattern, _)| matches(pattern, name))
            .max_by_key(|(pattern, decision)| (specificity(pattern), **decision))
            .map_or(ToolDecision::Allow, |(_, decision)| *decision)
    }

    /// Every pattern with its decision, the most specific first.
    pub fn iter(&self) -> impl Iterator<Item = (&str, ToolDecision)> {
        let mut rules: Vec<_> = (self.rules.iter())
            .map(|(pattern, decision)| (pattern.as_str(), *decision))
            .collect();
        rules.sort_by_key(|(pattern, decision)| {
            std::cmp::Reverse((specificity(pattern), *decision))
        });
        rules.into_iter()
    }

    /// Whether there is no rule, so that every tool is allowed.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The first pattern that matches none of a plugin's tools, and so is most
    /// likely a slip: misspelt, a `deny` would deny nothing. `*` alone is what
    /// is said of all tools, be there any or none.
    pub fn unmatched<'n>(
        &self,
        tools: impl Iterator<Item = &'n str> + Clone,
    ) -> Option<UnmatchedPattern> {
        let slip = (self.rules.keys())
            .find(|pattern| *pattern != "*" && !tools.clone().any(|name| matches(pattern, name)))?;
        let names: Vec<_> = tools.collect();
        Some(UnmatchedPattern {
            pattern: shown(slip),
            line: self.lines.get(slip).copied(),
            closest: nearest(slip, &names).map(shown),
        })
    }

    /// These rules with those of `other` added, and replacing equal patterns.
    pub(crate) fn overridden_by(mut self, other: Self) -> Self {
        self.lines
            .retain(|pattern, _| !other.rules.contains_key(pattern));
        self.lines.extend(other.lines);
        self.rules.extend(other.rules);
        self
    }
}

/// The name that is closest to a pattern, if one is close at all.
fn nearest<'n>(pattern: &str, names: &[&'n str]) -> Option<&'n str> {
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

fn is_pattern(text: &str) -> bool {
    (1..=PATTERN_MAX).contains(&text.len())
        && !(text.chars()).any(|c| c.is_whitespace() || crate::text::steers(c))
}

/// Larger is more specific: exact, length before the first `*`, length in all.
fn specificity(pattern: &str) -> (bool, usize, usize) {
    let prefix = pattern.find('*').unwrap_or(pattern.len());
    let literal = pattern.len() - pattern.matches('*').count();
    (prefix == pattern.len(), prefix, literal)
}

/// Whether a pattern matches a whole name. Each part between two `*` is taken
/// at its first place, which finds a match if there is one.
fn matches(pattern: &str, name: &str) -> bool {
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

    fn rules(list: &[(&str, ToolDecision)]) -> ToolRules {
        let mut rules = ToolRules::default();
        for (pattern, decision) in list {
            rules.insert(*pattern, *decision);
        }
        rules
    }

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

    #[test]
    fn the_most_specific_pattern_decides() {
        use ToolDecision::{Allow, Ask, Deny};
        let rules = rules(&[
            ("*", Allow),
            ("delete_*", Ask),
            ("delete_all*", Deny),
            ("delete_all_drafts", Allow),
            ("*_secret", Deny),
            ("*_secrets_of", Ask),
        ]);
        for (name, expected) in [
            ("read", Allow),
            ("delete_one", Ask),
            ("delete_all", Deny),
            ("delete_all_mail", Deny),
            ("delete_all_drafts", Allow),
            ("read_secret", Deny),
            ("delete_secret", Ask),
        ] {
            assert_eq!(rules.decide(name), expected, "{name}");
        }
    }

    #[test]
    fn of_equally_specific_patterns_the_stricter_decides() {
        use ToolDecision::{Allow, Deny};
        let rules = rules(&[
            ("*ab", Allow),
            ("*bc*", Deny),
            ("*b*", Deny),
            ("*xb", Allow),
        ]);
        assert_eq!(rules.decide("abcab"), Deny);
    }

    #[test]
    fn many_stars_are_no_work() {
        let rules = rules(&[(&"*a".repeat(64), ToolDecision::Deny)]);
        assert_eq!(rules.decide(&"b".repeat(100_000)), ToolDecision::Allow);
        assert_eq!(rules.decide(&"a".repeat(100_000)), ToolDecision::Deny);
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

        #[test]
        fn the_name_itself_always_decides(
            list in prop::collection::vec(("[ab*]{1,5}", 0..3usize), 0..8),
            name in "[ab]{1,5}",
        ) {
            let all = [ToolDecision::Allow, ToolDecision::Ask, ToolDecision::Deny];
            let mut rules = ToolRules::default();
            for (pattern, n) in list {
                rules.insert(pattern, all[n]);
            }
            for decision in all {
                rules.insert(name.clone(), decision);
                prop_assert_eq!(rules.decide(&name), decision);
            }
        }

        #[test]
        fn some_matching_rule_decides_or_none_matches(
            list in prop::collection::vec(("[ab*]{1,5}", 0..3usize), 0..8),
            name in "[ab]{1,5}",
        ) {
            let all = [ToolDecision::Allow, ToolDecision::Ask, ToolDecision::Deny];
            let mut rules = ToolRules::default();
            for (pattern, n) in list {
                rules.insert(pattern, all[n]);
            }
            let first = rules.iter().find(|(pattern, _)| matches(pattern, &name));
            let expected = first.map_or(ToolDecision::Allow, |(_, decision)| decision);
            prop_assert_eq!(rules.decide(&name), expected);
        }
    }
}
