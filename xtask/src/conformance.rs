//! `cargo xtask conformance`: the protocol's own conformance suite against the
//! built host, for both revisions that it has requirements for.

mod expected;
mod outcome;
mod server;
mod sets;

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::build;
use crate::clients;
use crate::command;
use crate::layout::Layout;
use crate::report::Report;
use crate::summary::Counts;

use expected::Expected;
use outcome::Outcome;
use server::Server;
use sets::{REVISIONS, Set};

/// Runs the task on its own.
pub(crate) fn run(layout: &Layout, filter: Option<&str>) -> Result<()> {
    let mut report = Report::new();
    build::all(layout, &mut report, false)?;
    let counts = report.step("conformance suite", || check(layout, filter))?;
    if counts.failed > 0 {
        bail!("the host does not conform: see the scenarios marked ✗ above");
    }
    Ok(())
}

/// Runs the suite against what has been built; how many scenarios went how.
///
/// # Errors
/// Where the suite can't be installed or run, or its expectations can't be read.
/// A scenario that fails is counted, not an error.
pub(crate) fn check(layout: &Layout, filter: Option<&str>) -> Result<Counts> {
    let suite = Suite::install(layout)?;
    let expected = Expected::read(&layout.root.join("tests/conformance/expected-failures.json"))?;
    let server = Server::start(layout)?;
    let mut lines = Vec::new();
    for revision in REVISIONS {
        let set = suite.set(revision)?;
        expected.all_are_in(&set)?;
        let scenarios = set.matching(filter);
        let outcomes = suite.run(&set, &scenarios, filter.is_some(), &server)?;
        for (scenario, outcome) in scenarios.iter().zip(outcomes) {
            let reason = expected.reason(revision, scenario.name);
            lines.push(Line::of(revision, scenario, &outcome, reason));
        }
    }
    if lines.is_empty() {
        bail!(
            "no scenario has {:?} in its name",
            filter.unwrap_or_default()
        );
    }
    close(&lines)
}

/// How one scenario is reported.
struct Line {
    scored: bool,
    mark: char,
    text: String,
}

impl Line {
    fn of(
        revision: &str,
        scenario: &sets::Scenario<'_>,
        outcome: &Outcome,
        reason: Option<&str>,
    ) -> Self {
        let name = format!("{revision} {}", scenario.name);
        let (mark, text) = match (outcome, reason) {
            (Outcome::Passed { checks }, None) => ('✓', format!("{name}: {checks} checks")),
            (Outcome::Passed { .. }, Some(_)) => (
                '✗',
                format!("{name} passes: take it out of tests/conformance/expected-failures.json"),
            ),
            (Outcome::Skipped, None) => ('-', format!("{name}: skipped by the suite")),
            (Outcome::Skipped, Some(_)) => (
                '✗',
                format!(
                    "{name} is skipped by the suite: take it out of tests/conformance/expected-failures.json"
                ),
            ),
            (Outcome::Failed { .. }, Some(reason)) => {
                ('-', format!("{name} fails, as expected: {reason}"))
            }
            (Outcome::Failed { why }, None) => {
                ('✗', format!("{name}\n      {}", why.join("\n      ")))
            }
        };
        Self {
            scored: scenario.scored,
            mark,
            text,
        }
    }
}

/// Prints how all of it went, the worst last, and one line that sums it up.
fn close(lines: &[Line]) -> Result<Counts> {
    let mut out = std::io::stdout().lock();
    for mark in ['✓', '-', '✗'] {
        for line in lines.iter().filter(|line| line.mark == mark) {
            writeln!(out, "{mark} {}", line.text)?;
        }
    }
    let count = |mark: char, scored: &[bool]| {
        let all = lines.iter();
        all.filter(|line| line.mark == mark && scored.contains(&line.scored))
            .count()
    };
    let sum = |scored: bool| {
        let [passed, failed, skipped] = ['✓', '✗', '-'].map(|mark| count(mark, &[scored]));
        format!("{passed} passed, {failed} failed, {skipped} skipped or expected to fail")
    };
    writeln!(
        out,
        "conformance: scored {}; not scored {}",
        sum(true),
        sum(false)
    )?;
    let both = [true, false];
    Ok(Counts {
        passed: count('✓', &both) as u64,
        failed: count('✗', &both) as u64,
        skipped: count('-', &both) as u64,
    })
}

/// The suite as it is installed.
struct Suite {
    node: PathBuf,
    entry: PathBuf,
    requirements: PathBuf,
    output: PathBuf,
}

impl Suite {
    fn install(layout: &Layout) -> Result<Self> {
        let node = clients::node(layout)?;
        let folder = clients::npm(layout, "conformance", "tests/conformance")?;
        let package = folder.join("node_modules/@modelcontextprotocol/conformance");
        Ok(Self {
            node,
            entry: package.join("dist/index.js"),
            requirements: package.join("requirements"),
            output: layout.target.join("conformance"),
        })
    }

    fn set(&self, revision: &'static str) -> Result<Set> {
        let mut list = command::program(&self.node);
        list.arg(&self.entry)
            .args(["list", "--server", "--requirements", revision]);
        let listed =
            command::ask(&mut list).context("the conformance suite can't list its scenarios")?;
        Set::parse(revision, &listed).with_context(|| {
            format!(
                "what the suite lists can't be read; see {}",
                self.requirements.display()
            )
        })
    }

    /// Runs scenarios, one by one where they are `some` of a set, and returns
    /// how each went.
    fn run(
        &self,
        set: &Set,
        scenarios: &[sets::Scenario<'_>],
        some: bool,
        server: &Server,
    ) -> Result<Vec<Outcome>> {
        let output = self.output.join(set.revision);
        if output.exists() {
            fs::remove_dir_all(&output)
                .with_context(|| format!("{} can't be removed", output.display()))?;
        }
        let start = |which: &[&str]| {
            let mut run = command::program(&self.node);
            run.arg(&self.entry)
                .args(["server", "--url", &server.url])
                .args(which)
                .arg("--output-dir")
                .arg(&output);
            // Its exit code says less than what it writes into the folder.
            command::quiet(&mut run)
        };
        let mut said = String::new();
        if some {
            for scenario in scenarios {
                let which = [
                    "--scenario",
                    scenario.name,
                    "--spec-version",
                    set.revision,
                    "--force",
                ];
                said.push_str(&start(&which)?);
            }
        } else {
            said = start(&["--requirements", set.revision])?;
        }
        scenarios
            .iter()
            .map(|scenario| Outcome::read(&output, scenario.name, &said))
            .collect()
    }
}
