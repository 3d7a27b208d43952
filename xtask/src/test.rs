//! `cargo xtask test`: everything that is tested, in an order that fails early.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, bail};

use crate::build::{self, Native};
use crate::clients;
use crate::command::{self, cargo};
use crate::conformance;
use crate::deny;
use crate::guests;
use crate::layout::Layout;
use crate::lint;
use crate::report::Report;
use crate::summary::{Closing, Counts};

/// Runs the task.
pub(crate) fn run(layout: &Layout, filter: Option<&str>) -> Result<()> {
    let mut report = Report::new();
    let mut tally = Tally::default();
    let result = steps(layout, filter, &mut report, &mut tally);
    report.table();
    let mut counts = tally.counts;
    if report.has_failed() && counts.failed == 0 {
        // Nobody may read success out of a run that stopped before its tests.
        counts.failed = 1;
    }
    writeln!(std::io::stdout(), "{counts}")?;
    result?;
    if report.has_failed() {
        bail!("see the steps marked ✗ above");
    }
    Ok(())
}

fn steps(
    layout: &Layout,
    filter: Option<&str>,
    report: &mut Report,
    tally: &mut Tally,
) -> Result<()> {
    if filter.is_none() {
        lint::code(layout, report)?;
    }
    report.step("build plugins and test guests", || guests::build(layout))?;
    report.step("build host and tests", || {
        build::native(layout, &Native::DebugWithTests)
    })?;

    if wants_clients(filter) {
        report.step("install real clients", || clients::run(layout))?;
    }

    // From here on a failure does not keep the rest from being run.
    let runner = Runner::find(layout);
    let plugins = layout.root.join("plugins/Cargo.toml");
    let mut native = runner.workspace(&plugins, filter);
    native.arg("--target-dir").arg(&layout.target);
    tally.run(
        report,
        "tests of the plugins' code, native",
        &mut native,
        runner.closing(),
    );

    let mut host = runner.workspace(&layout.host_manifest(), filter);
    host.env("PALISADE_BIN", layout.host(false))
        .env("PALISADE_PLUGINS", layout.plugins())
        .env("PALISADE_GUESTS", layout.guests())
        .env("PALISADE_CLIENTS", layout.clients());
    tally.run(
        report,
        "tests of the host, and of its binary from outside",
        &mut host,
        runner.closing(),
    );

    if filter.is_none() {
        tally.add(report, "conformance suite", || {
            conformance::check(layout, None)
        });
        let mut docs = cargo();
        docs.args(["test", "--doc", "--workspace", "--no-fail-fast"])
            .arg("--manifest-path")
            .arg(layout.host_manifest());
        tally.run(report, "doc tests", &mut docs, Closing::Libtest);
        report.step("cargo deny", || deny::check(layout))?;
    }
    Ok(())
}

/// Whether tests may be run that need the clients. Without them those say so.
fn wants_clients(filter: Option<&str>) -> bool {
    filter.is_none_or(|text| text.contains("client") || text.contains("registry"))
}

/// What has been counted so far.
#[derive(Default)]
struct Tally {
    counts: Counts,
}

impl Tally {
    /// Does a step that counts by itself. A failure is kept by the report.
    fn add(&mut self, report: &mut Report, name: &str, work: impl FnOnce() -> Result<Counts>) {
        let mut counts = Counts::default();
        let outcome = report.step(name, || {
            counts = work()?;
            if counts.failed > 0 {
                bail!("{} failed", counts.failed);
            }
            Ok(())
        });
        if let Err(error) = outcome {
            eprintln!("xtask: {error:#}");
            counts.failed = counts.failed.max(1);
        }
        self.counts = self.counts.plus(counts);
    }

    /// Runs a test runner as a step and adds what it counted. A failure is
    /// kept by the report.
    fn run(&mut self, report: &mut Report, name: &str, command: &mut Command, closing: Closing) {
        if std::io::stderr().is_terminal() && std::env::var_os("CARGO_TERM_COLOR").is_none() {
            // It writes to a pipe and would take that for a log file.
            command.env("CARGO_TERM_COLOR", "always");
        }
        let counted = Mutex::new(Counts::default());
        let outcome = report.step(name, || {
            command::watch(command, |line| {
                if let Ok(mut sum) = counted.lock() {
                    *sum = sum.plus(Counts::in_line(line, closing));
                }
            })
        });
        let mut counts = counted.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = outcome {
            eprintln!("xtask: {error:#}");
            // Tests that do not compile are not counted by any runner.
            counts.failed = counts.failed.max(1);
        }
        self.counts = self.counts.plus(counts);
    }
}

/// What runs the tests: cargo-nextest where it is installed, else `cargo test`.
enum Runner {
    Nextest { config: PathBuf },
    Cargo,
}

impl Runner {
    fn find(layout: &Layout) -> Self {
        if command::ask(cargo().args(["nextest", "--version"])).is_ok() {
            Self::Nextest {
                config: layout.root.join("xtask/nextest.toml"),
            }
        } else {
            Self::Cargo
        }
    }

    fn closing(&self) -> Closing {
        match self {
            Self::Nextest { .. } => Closing::Nextest,
            Self::Cargo => Closing::Libtest,
        }
    }

    /// All tests of a workspace but its doc tests, which nextest can't run.
    fn workspace(&self, manifest: &Path, filter: Option<&str>) -> Command {
        let mut command = cargo();
        match self {
            Self::Nextest { config } => command
                .args(["nextest", "run", "--no-tests", "pass", "--config-file"])
                .arg(config),
            Self::Cargo => command.args(["test", "--lib", "--bins", "--tests"]),
        };
        command
            .args(["--workspace", "--no-fail-fast", "--manifest-path"])
            .arg(manifest)
            .args(filter);
        command
    }
}
