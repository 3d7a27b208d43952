//! How a scenario went, from the checks that the suite wrote down.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

/// How a scenario went.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// No check failed, and some were made.
    Passed {
        /// How many passed.
        checks: usize,
    },
    /// Some failed, or none was written down; one line for each.
    Failed {
        /// What went wrong.
        why: Vec<String>,
    },
    /// The suite found nothing that it could check.
    Skipped,
}

impl Outcome {
    /// Finds a scenario's checks in the folder that the suite wrote, which has
    /// folders `server-SCENARIO-TIME`. `said` is what it printed.
    ///
    /// # Errors
    /// Where the folder can't be read or holds no checks of the known form.
    pub(super) fn read(folder: &Path, scenario: &str, said: &str) -> Result<Self> {
        let unfinished = || Self::Failed {
            why: vec![format!(
                "the suite did not get to its end: {}",
                last_words(said, scenario)
            )],
        };
        if !folder.is_dir() {
            return Ok(unfinished());
        }
        let cannot = || format!("{} can't be read", folder.display());
        for entry in fs::read_dir(folder).with_context(cannot)? {
            let entry = entry.with_context(cannot)?;
            let name = entry.file_name();
            let is_its = name
                .to_str()
                .and_then(|name| name.strip_prefix("server-")?.strip_prefix(scenario)?.strip_prefix('-'))
                // Of a longer name a time would not follow.
                .is_some_and(|time| time.starts_with(|c: char| c.is_ascii_digit()));
            let checks = entry.path().join("checks.json");
            if is_its && checks.is_file() {
                let text = fs::read_to_string(&checks).with_context(cannot)?;
                let checks: Vec<Value> = serde_json::from_str(&text)
                    .with_context(|| format!("{} is not a list of checks", checks.display()))?;
                return Ok(Self::of(&checks));
            }
        }
        Ok(unfinished())
    }

    fn of(checks: &[Value]) -> Self {
        let with =
            |status: &'static str| checks.iter().filter(move |check| check["status"] == status);
        let why: Vec<_> = with("FAILURE").map(words).collect();
        let passed = with("SUCCESS").count();
        if !why.is_empty() {
            Self::Failed { why }
        } else if passed > 0 {
            Self::Passed { checks: passed }
        } else {
            Self::Skipped
        }
    }
}

/// A check that failed, in one line.
fn words(check: &Value) -> String {
    let text = |key: &str| check[key].as_str().unwrap_or_default().trim();
    let why = match text("errorMessage") {
        "" => text("description"),
        message => message,
    };
    let line = format!("{}: {}", text("id"), why.replace('\n', " "));
    // Some quote whole messages.
    line.chars().take(600).collect()
}

/// What the suite said last about a scenario that it did not finish.
fn last_words(said: &str, scenario: &str) -> String {
    said.lines()
        .rev()
        .find(|line| line.contains(scenario))
        .or_else(|| said.lines().rev().find(|line| !line.trim().is_empty()))
        .map_or_else(
            || "it said nothing".to_owned(),
            |line| line.trim().to_owned(),
        )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failing test may panic")]

    use serde_json::json;

    use super::*;

    fn written(folder: &Path, name: &str, checks: &Value) {
        let folder = folder.join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("checks.json"), checks.to_string()).unwrap();
    }

    #[test]
    fn one_failed_check_fails_a_scenario() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let good = json!({"id": "a", "status": "SUCCESS"});
        let bad = json!({"id": "b", "status": "FAILURE", "errorMessage": "no\nway"});
        let warning = json!({"id": "c", "status": "WARNING"});
        let skipped = json!({"id": "d", "status": "SKIPPED"});
        written(
            folder,
            "server-ping-2026-01-01T00",
            &json!([good, warning, skipped]),
        );
        written(
            folder,
            "server-tools-list-2026-01-01T00",
            &json!([good, bad]),
        );
        written(folder, "server-tools-2026-01-01T00", &json!([skipped]));
        let read = |name: &str| Outcome::read(folder, name, "").unwrap();
        assert_eq!(read("ping"), Outcome::Passed { checks: 1 });
        let why = vec!["b: no way".to_owned()];
        assert_eq!(read("tools-list"), Outcome::Failed { why });
        assert_eq!(read("tools"), Outcome::Skipped);
    }

    #[test]
    fn a_scenario_without_checks_has_failed() {
        let folder = tempfile::tempdir().unwrap();
        let said = "Failed to run scenario ping: refused\nelse";
        for folder in [folder.path(), &folder.path().join("not there")] {
            let Outcome::Failed { why } = Outcome::read(folder, "ping", said).unwrap() else {
                unreachable!("nothing was written");
            };
            assert!(
                why[0].ends_with("Failed to run scenario ping: refused"),
                "{why:?}"
            );
        }
    }
}
