//! Which tools may be called, and which ask the person first.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::error::{FlagError, ParseError};
use crate::keys;
use crate::parse::{Item, Table};
use crate::text::shown;

mod pattern;

use pattern::{is_pattern, matches, nearest, specificity};

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
///
/// A rule for a single tool may give it another name:
/// `read = { call = "ask", name = "read_notes" }`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolRules {
    rules: BTreeMap<String, ToolDecision>,
    /// What clients are to know a tool as, by the plugin's own name for it.
    names: BTreeMap<String, String>,
    /// Where in the grant file a pattern stands.
    lines: BTreeMap<String, usize>,
}

/// Two tools of a plugin that clients could not tell apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SameName {
    /// The name both would have, ready to print.
    pub name: String,
    /// The tool that is given it, ready to print.
    pub renamed: String,
    /// The line of the grant file, where it is of one.
    pub line: Option<usize>,
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
            let (decision, name) = match item.table(PLACE, "") {
                Ok(table) => both(&item, &table)?,
                Err(_) => (item.choice(&CHOICES)?, None),
            };
            rules.insert(pattern, decision);
            if let Some(name) = name {
                rules.names.insert(pattern.to_owned(), name);
            }
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

    /// Rules about none of these tools, but for the one that is about any.
    pub fn about_none<'t>(
        &self,
        tools: impl Iterator<Item = &'t str> + Clone,
    ) -> impl Iterator<Item = (&str, ToolDecision)> {
        let idle = move |pattern: &str| {
            pattern != "*" && !tools.clone().any(|tool| matches(pattern, tool))
        };
        self.iter().filter(move |(pattern, _)| idle(pattern))
    }

    /// Whether a pattern is about this tool.
    #[must_use]
    pub fn is_about(&self, name: &str) -> bool {
        self.rules.keys().any(|pattern| matches(pattern, name))
    }

    /// What clients are to know a tool as.
    pub fn name_of<'n>(&'n self, tool: &'n str) -> &'n str {
        self.names.get(tool).map_or(tool, String::as_str)
    }

    /// Gives a tool another name.
    pub fn rename(&mut self, tool: impl Into<String>, name: impl Into<String>) {
        self.names.insert(tool.into(), name.into());
    }

    /// Tools with the names that clients are to know them as.
    pub fn renamed(&self) -> impl Iterator<Item = (&str, &str)> {
        (self.names.iter()).map(|(tool, name)| (tool.as_str(), name.as_str()))
    }

    /// The first tool that is given a name which another one has, be that its own
    /// or given. Denied tools have no name.
    pub fn same_name<'n>(&self, tools: impl Iterator<Item = &'n str> + Clone) -> Option<SameName> {
        let served = tools.filter(|tool| self.decide(tool) != ToolDecision::Deny);
        let twice = |(tool, name): &(&str, &str)| {
            let mut others = served.clone().filter(|other| other != tool);
            served.clone().any(|own| own == *tool)
                && others.any(|other| self.name_of(other) == *name)
        };
        self.renamed().find(twice).map(|(tool, name)| SameName {
            name: shown(name),
            renamed: shown(tool),
            line: self.lines.get(tool).copied(),
        })
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
        self.names
            .retain(|pattern, _| !other.rules.contains_key(pattern));
        self.lines.extend(other.lines);
        self.names.extend(other.names);
        self.rules.extend(other.rules);
        self
    }
}

/// `--tool PATTERN=allow|ask|deny`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolFlag {
    /// Which tools.
    pub pattern: String,
    /// What happens to calls of them.
    pub decision: ToolDecision,
}

impl ToolFlag {
    /// Whether a tool is one of those.
    #[must_use]
    pub fn is_about(&self, tool: &str) -> bool {
        matches(&self.pattern, tool)
    }
}

impl FromStr for ToolFlag {
    type Err = FlagError;

    fn from_str(text: &str) -> Result<Self, FlagError> {
        const USAGE: &str = "write PATTERN=allow, PATTERN=ask or PATTERN=deny, for example \
                             'delete_*=ask'";
        let found = text.rsplit_once('=').and_then(|(pattern, word)| {
            let (_, decision) = CHOICES.iter().find(|(known, _)| *known == word)?;
            is_pattern(pattern).then(|| Self {
                pattern: pattern.to_owned(),
                decision: *decision,
            })
        });
        found.ok_or_else(|| {
            FlagError::new(format!("`{}` decides about no tools", shown(text)), USAGE)
        })
    }
}

/// How a table in `[tools]` is called in messages.
const PLACE: &str = "[tools]";

/// The words for decisions.
const CHOICES: [(&str, ToolDecision); 3] = [
    ("allow", ToolDecision::Allow),
    ("ask", ToolDecision::Ask),
    ("deny", ToolDecision::Deny),
];

impl ToolDecision {
    /// As it is written in a grant.
    pub(crate) fn word(self) -> &'static str {
        let mut choices = CHOICES.iter();
        choices
            .find(|(_, decision)| *decision == self)
            .map_or("deny", |(word, _)| word)
    }
}

/// A rule written as `{ call = "ask", name = "another" }`.
fn both(item: &Item<'_>, table: &Table<'_>) -> Result<(ToolDecision, Option<String>), ParseError> {
    const EXAMPLE: &str = "read = { name = \"read_notes\" }";
    if table.get("call").is_none() && table.get("name").is_none() {
        return Err(item.error(
            "is a table",
            "put patterns with a dot in quotes, as in \"files.*\" = \"ask\"",
        ));
    }
    table.only(&keys::TOOL_OPTIONS, &[])?;
    let decision = match table.get("call") {
        Some(call) => call.choice(&CHOICES)?,
        None => ToolDecision::Allow,
    };
    let Some(named) = table.get("name") else {
        return Ok((decision, None));
    };
    if item.key().contains('*') {
        return Err(item.error(
            "gives several tools one name",
            format!("a name is for one tool, as in {EXAMPLE}"),
        ));
    }
    let name = named.string(EXAMPLE)?;
    if !is_tool_name(name) {
        return Err(named.error(
            &format!("is \"{}\", which is no name of a tool", shown(name)),
            "a name has 1 to 64 of the characters A-Z, a-z, 0-9, `_` and `-`",
        ));
    }
    Ok((decision, Some(name.to_owned())))
}

/// What every client takes for a tool's name.
fn is_tool_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && (name.bytes()).all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
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
    fn a_name_that_two_tools_would_have_is_found() {
        let mut rules = rules(&[("gone", ToolDecision::Deny)]);
        rules.rename("read", "get");
        assert_eq!(rules.name_of("read"), "get");
        assert_eq!(rules.name_of("write"), "write");
        let same = |rules: &ToolRules, tools: &[&str]| {
            let found = rules.same_name(tools.iter().copied());
            found.map(|same| (same.renamed, same.name))
        };
        let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(same(&rules, &["read", "write"]), None);
        assert_eq!(same(&rules, &["read", "get"]), pair("read", "get"));
        assert_eq!(same(&rules, &["get", "write"]), None, "read is not there");
        rules.rename("write", "get");
        assert_eq!(same(&rules, &["read", "write"]), pair("read", "get"));
        rules.rename("read", "gone");
        rules.rename("write", "read");
        assert_eq!(same(&rules, &["read", "write", "gone"]), None, "swapped");
    }

    #[test]
    fn many_stars_are_no_work() {
        let rules = rules(&[(&"*a".repeat(64), ToolDecision::Deny)]);
        assert_eq!(rules.decide(&"b".repeat(100_000)), ToolDecision::Allow);
        assert_eq!(rules.decide(&"a".repeat(100_000)), ToolDecision::Deny);
    }

    proptest! {
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
