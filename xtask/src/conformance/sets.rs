//! Which scenarios a revision requires of a server, as the suite lists them.

use anyhow::{Result, bail};

/// The revisions that the suite has requirements for.
pub(super) const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// What one revision requires, and what is run beside it and never scored.
pub(super) struct Set {
    pub(super) revision: &'static str,
    scored: Vec<String>,
    unscored: Vec<String>,
}

/// One scenario of a set.
pub(super) struct Scenario<'a> {
    pub(super) name: &'a str,
    pub(super) scored: bool,
}

impl Set {
    /// Reads what `list --server --requirements REVISION` prints.
    ///
    /// # Errors
    /// Where it is not of the form that the pinned version has.
    pub(super) fn parse(revision: &'static str, listed: &str) -> Result<Self> {
        let mut set = Self {
            revision,
            scored: Vec::new(),
            unscored: Vec::new(),
        };
        let mut in_server = false;
        let mut beside = false;
        for line in listed.lines() {
            if !line.starts_with(' ') && !line.is_empty() {
                in_server = line.starts_with("Server scenarios");
                beside = line.starts_with("Run and reported");
            } else if let Some(name) = line.trim_start().strip_prefix("- ") {
                if in_server {
                    set.scored.push(name.to_owned());
                } else if beside && let Some(name) = name.strip_suffix(" [server]") {
                    set.unscored.push(name.to_owned());
                }
            }
        }
        if set.scored.is_empty() || set.unscored.is_empty() {
            bail!("no scenarios of a server are listed for {revision}");
        }
        Ok(set)
    }

    /// Those with `filter` in their name, scored ones first.
    pub(super) fn matching(&self, filter: Option<&str>) -> Vec<Scenario<'_>> {
        let scored = self.scored.iter().map(|name| (name, true));
        let unscored = self.unscored.iter().map(|name| (name, false));
        scored
            .chain(unscored)
            .filter(|(name, _)| filter.is_none_or(|text| name.contains(text)))
            .map(|(name, scored)| Scenario { name, scored })
            .collect()
    }

    /// Whether a scenario is one of those that are never scored.
    pub(super) fn has_unscored(&self, name: &str) -> bool {
        self.unscored.iter().any(|other| other == name)
    }
}

#[cfg(test)]
pub(super) mod tests {
    #![allow(clippy::unwrap_used, reason = "a failing test may panic")]

    use super::*;

    pub(in super::super) const LISTED: &str = "Required for 2025-11-25 (3 scenarios, frozen):

Server scenarios (test against a server):
  - ping
  - tools-list

Client scenarios (test against a client):
  - initialize

Run and reported, but never scored:
  pending (2):
    - auth/dpop [client]
    - server-sse-polling [server]
";

    #[test]
    fn only_what_is_asked_of_a_server_is_taken() {
        let set = Set::parse("2025-11-25", LISTED).unwrap();
        let all: Vec<_> = set
            .matching(None)
            .iter()
            .map(|scenario| (scenario.name, scenario.scored))
            .collect();
        let expected = [
            ("ping", true),
            ("tools-list", true),
            ("server-sse-polling", false),
        ];
        assert_eq!(all, expected);
        assert_eq!(set.matching(Some("list")).len(), 1);
        assert!(set.has_unscored("server-sse-polling") && !set.has_unscored("ping"));
    }

    #[test]
    fn another_form_is_refused_rather_than_taken_for_no_requirements() {
        assert!(Set::parse("2025-11-25", "Server scenarios:\n").is_err());
        assert!(Set::parse("2025-11-25", "").is_err());
    }
}
