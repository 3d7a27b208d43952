//! Scenarios that are never scored and do not pass, each with its reason.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::sets::Set;

/// Reasons by revision and scenario.
pub(super) struct Expected {
    reasons: BTreeMap<String, BTreeMap<String, String>>,
}

impl Expected {
    /// Reads `{"REVISION": {"SCENARIO": "reason"}}`.
    ///
    /// # Errors
    /// Where it is of another form, or a reason is empty.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path)
            .with_context(|| format!("{} can't be read", path.display()))?;
        Self::parse(&text).with_context(|| format!("{} is of no use", path.display()))
    }

    fn parse(text: &str) -> Result<Self> {
        let reasons: BTreeMap<String, BTreeMap<String, String>> =
            serde_json::from_str(text).context("it must map revisions to scenarios to reasons")?;
        for (scenario, reason) in reasons.values().flatten() {
            if reason.trim().is_empty() {
                bail!("{scenario} has no reason");
            }
        }
        Ok(Self { reasons })
    }

    /// Why a scenario is expected to fail, if it is.
    pub(super) fn reason(&self, revision: &str, scenario: &str) -> Option<&str> {
        let reason = self.reasons.get(revision)?.get(scenario)?;
        Some(reason)
    }

    /// Checks that nothing is expected of scenarios that are scored or not there.
    ///
    /// # Errors
    /// Names the first one of which something is.
    pub(super) fn all_are_in(&self, set: &Set) -> Result<()> {
        for name in self
            .reasons
            .get(set.revision)
            .into_iter()
            .flat_map(BTreeMap::keys)
        {
            if !set.has_unscored(name) {
                bail!(
                    "{} has no unscored scenario {name}: only those may be expected to fail",
                    set.revision
                );
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failing test may panic")]

    use super::super::sets::tests::LISTED;
    use super::*;

    #[test]
    fn only_unscored_scenarios_may_be_expected_to_fail() {
        let set = Set::parse("2025-11-25", LISTED).unwrap();
        let of = |scenario: &str| {
            Expected::parse(&format!(r#"{{"2025-11-25": {{"{scenario}": "why"}}}}"#)).unwrap()
        };
        of("server-sse-polling").all_are_in(&set).unwrap();
        of("ping").all_are_in(&set).unwrap_err();
        of("no-such-scenario").all_are_in(&set).unwrap_err();
        let expected = of("server-sse-polling");
        assert_eq!(
            expected.reason("2025-11-25", "server-sse-polling"),
            Some("why")
        );
        assert_eq!(expected.reason("2026-07-28", "server-sse-polling"), None);
    }

    #[test]
    fn a_failure_without_a_reason_is_refused() {
        assert!(Expected::parse(r#"{"2025-11-25": {"ping": " "}}"#).is_err());
        assert!(Expected::parse("[]").is_err());
    }
}
