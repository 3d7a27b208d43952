//! The command line.

use std::fmt;
use std::path::PathBuf;

use anyhow::bail;
use clap::{Parser, ValueEnum};
use serde::Serialize;

use crate::plan::Plan;

/// Measure Palisade from outside against a native server and the npm reference
/// server: start, call, throughput, memory. Run from the workspace's root.
#[derive(Debug, Parser)]
#[command(name = "palisade-bench", version, about, max_term_width = 100)]
pub(crate) struct Args {
    /// The palisade binary
    #[arg(long, value_name = "FILE", default_value = "target/release/palisade")]
    pub(crate) palisade: PathBuf,

    /// The filesystem plugin that palisade runs
    #[arg(
        long,
        value_name = "FILE",
        default_value = "target/plugins/filesystem.wasm"
    )]
    pub(crate) plugin: PathBuf,

    /// The guest that makes requests
    #[arg(
        long,
        value_name = "FILE",
        default_value = "target/guests/mallory.wasm"
    )]
    pub(crate) guest: PathBuf,

    /// Measure only the network
    #[arg(long, conflicts_with_all = ["only", "modern", "json"])]
    pub(crate) network: bool,

    /// The native peer
    #[arg(
        long,
        value_name = "FILE",
        default_value = "target/release/palisade-peer-native"
    )]
    pub(crate) native: PathBuf,

    /// Where the npm server is, or will be installed
    #[arg(long, value_name = "DIR", default_value = "target/bench/npm")]
    pub(crate) npm_dir: PathBuf,

    /// Measure only these servers
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Vec<Name>,

    /// How often everything is measured; the table shows medians [default: 7]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: Option<u32>,

    /// Also measure calls in the stateless revision 2026-07-28
    #[arg(long)]
    pub(crate) modern: bool,

    /// Only see that every answer is right: one short round, without npm,
    /// nothing judged
    #[arg(long, conflicts_with_all = ["check", "rounds"])]
    smoke: bool,

    /// Fail if a goal is missed
    #[arg(long)]
    pub(crate) check: bool,

    /// Save every round's numbers
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Seconds that all of it may take
    #[arg(long, value_name = "SECONDS", default_value_t = 1800,
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) time_limit: u64,
}

/// The servers that can be measured, in the order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Name {
    /// The filesystem plugin in Palisade's sandbox
    Palisade,
    /// The same tools written natively on rmcp
    Native,
    /// The reference server from npm
    Npm,
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Palisade => "palisade",
            Self::Native => "native",
            Self::Npm => "npm",
        })
    }
}

impl Args {
    /// The servers to measure, each once, in the table's order.
    pub(crate) fn names(&self) -> anyhow::Result<Vec<Name>> {
        let mut names = if self.only.is_empty() {
            Name::value_variants().to_vec()
        } else {
            self.only.clone()
        };
        names.sort_unstable();
        names.dedup();
        if self.smoke {
            names.retain(|name| *name != Name::Npm);
        }
        if names.is_empty() {
            bail!("--smoke leaves npm out, so nothing is left to measure");
        }
        if self.check && names.len() < Name::value_variants().len() {
            bail!("--check needs all three servers: leave --only out");
        }
        Ok(names)
    }

    /// Whether the network is measured: with all of it, or alone.
    pub(crate) fn measures_network(&self) -> bool {
        self.network || self.only.is_empty()
    }

    /// Whether the speed is held against the goals.
    pub(crate) fn judges(&self) -> bool {
        !self.smoke
    }

    /// How much is measured.
    pub(crate) fn plan(&self) -> Plan {
        if self.smoke {
            Plan::smoke()
        } else {
            Plan::full(self.rounds.unwrap_or(7))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failing test may panic")]

    use clap::CommandFactory as _;

    use super::*;

    fn parse(line: &str) -> Result<Args, clap::Error> {
        Args::try_parse_from(std::iter::once("palisade-bench").chain(line.split_whitespace()))
    }

    #[test]
    fn the_command_line_is_well_formed() {
        Args::command().debug_assert();
    }

    #[test]
    fn all_three_are_measured_in_seven_rounds_unless_told_otherwise() {
        let args = parse("").unwrap();
        assert_eq!(
            args.names().unwrap(),
            [Name::Palisade, Name::Native, Name::Npm]
        );
        assert_eq!(args.plan().rounds, 7);
        assert!(!args.check && !args.modern);
    }

    #[test]
    fn only_picks_servers_whatever_the_order() {
        let args = parse("--only npm,native,npm --rounds 3").unwrap();
        assert_eq!(args.names().unwrap(), [Name::Native, Name::Npm]);
        assert_eq!(args.plan().rounds, 3);
        assert!(parse("--only deno").is_err());
    }

    #[test]
    fn smoke_is_one_short_round_without_npm() {
        let args = parse("--smoke").unwrap();
        assert_eq!(args.names().unwrap(), [Name::Palisade, Name::Native]);
        assert_eq!(args.plan().rounds, 1);
        assert!(args.plan().calls < Plan::full(7).calls);
        assert!(parse("--smoke --only npm").unwrap().names().is_err());
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        for bad in [
            "--smoke --check",
            "--smoke --rounds 3",
            "--rounds 0",
            "--time-limit 0",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        let error = parse("--check --only native,npm")
            .unwrap()
            .names()
            .unwrap_err();
        assert!(error.to_string().contains("all three"), "{error}");
    }
}
