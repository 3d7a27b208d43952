//! `palisade-bench`: what Palisade costs, measured from outside the process,
//! against a native server of the same tools and the reference server from npm.
//!
//! Servers take turns within every round, every answer is checked, and the table
//! holds medians, so that a busy machine disturbs all alike.

mod args;
mod calls;
mod contender;
mod exchange;
mod goals;
mod link;
mod machine;
mod measure;
mod memory;
mod metrics;
mod network;
mod npm;
mod plan;
mod report;
mod server;
mod session;
mod stats;
mod watchdog;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use clap::Parser as _;

use crate::args::{Args, Name};
use crate::contender::Contender;
use crate::machine::Machine;
use crate::measure::Bench;
use crate::metrics::Numbers;
use crate::network::Network;
use crate::plan::Files;
use crate::report::Report;
use crate::watchdog::Watchdog;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("palisade-bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let machine = Machine::here();
    if args.network {
        let _watchdog = Watchdog::start(Duration::from_secs(args.time_limit));
        let network = Network::measure(args, &args.plan())?;
        write!(std::io::stdout().lock(), "{machine}\n{}", network.text())?;
        return Ok(judged(args, network.goals().iter().all(|met| *met)));
    }
    let temporary = tempfile::tempdir().context("no temporary directory can be made")?;
    // Servers compare real paths.
    let base = temporary.path().canonicalize()?;
    let served = base.join("served");
    fs::create_dir(&served)?;
    let bench = Bench {
        plan: args.plan(),
        files: Files::create(&served)?,
        watchdog: Watchdog::start(Duration::from_secs(args.time_limit)),
    };
    let contenders = args
        .names()?
        .into_iter()
        .map(|name| {
            let home = base.join(name.to_string());
            Contender::new(name, args, &served, home, &bench.watchdog)
        })
        .collect::<anyhow::Result<Vec<_>>>()?;

    let rounds = rounds(args, &bench, &contenders)?;
    let medians: BTreeMap<Name, Numbers> = rounds
        .iter()
        .map(|(name, rounds)| (*name, Numbers::medians(rounds)))
        .collect();
    let network = (args.measures_network())
        .then(|| Network::measure(args, &bench.plan))
        .transpose()?;
    let report = Report {
        machine,
        goals: goals::judge(&medians),
        medians,
        rounds,
        network,
    };
    write!(std::io::stdout().lock(), "{}", report.text(args.judges()))?;
    if let Some(file) = &args.json {
        fs::write(file, serde_json::to_string_pretty(&report)? + "\n")
            .with_context(|| format!("{} can't be written", file.display()))?;
    }
    let network = report.network.iter().flat_map(Network::goals);
    let met = report.goals.iter().map(|goal| goal.met).chain(network);
    Ok(judged(args, met.into_iter().all(|met| met)))
}

/// The exit code, which is a failure if a goal was to be met and was not.
fn judged(args: &Args, met: bool) -> ExitCode {
    if args.check && !met {
        eprintln!("palisade-bench: a goal was missed");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Measures all contenders in turn, part by part, round by round.
fn rounds(
    args: &Args,
    bench: &Bench,
    contenders: &[Contender],
) -> anyhow::Result<BTreeMap<Name, Vec<Numbers>>> {
    let mut all: BTreeMap<Name, Vec<Numbers>> = BTreeMap::new();
    for round in 1..=bench.plan.rounds {
        eprintln!("round {round} of {}", bench.plan.rounds);
        let mut numbers = vec![Numbers::default(); contenders.len()];
        for (contender, numbers) in contenders.iter().zip(&mut numbers) {
            bench.starts(contender, numbers)?;
        }
        for (contender, numbers) in contenders.iter().zip(&mut numbers) {
            bench.calls(contender, numbers)?;
        }
        for (contender, numbers) in contenders.iter().zip(&mut numbers) {
            if args.modern && contender.stateless() {
                bench.stateless(contender, numbers)?;
            }
        }
        for (contender, numbers) in contenders.iter().zip(numbers) {
            all.entry(contender.kind).or_default().push(numbers);
        }
    }
    Ok(all)
}
