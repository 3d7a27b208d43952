//! `cargo xtask …`: everything that is done to this repository, one file a
//! subcommand. Kept light, since a clean clone builds it first.

mod bench;
mod build;
mod checks;
mod clients;
mod command;
mod conformance;
mod demo;
mod deny;
mod docs;
mod fuzz;
mod guests;
mod layout;
mod lint;
mod manifest_section;
mod report;
mod setup;
mod summary;
mod test;
mod tool;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::layout::Layout;

/// Build, test, demonstrate and measure Palisade.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Get a Rust target for WASI components (done by the other tasks where they need it)
    Setup,
    /// Build the host to target/{debug,release}/palisade and every plugin to target/plugins/NAME.wasm
    Build {
        /// Optimise the host (plugins always are)
        #[arg(long)]
        release: bool,
    },
    /// Check formatting, lints, licences and the rules of this repository
    Lint,
    /// Run everything that is tested; ends with the line "N passed, N failed, N skipped"
    Test {
        /// Run only the tests with this in their name, without lints and doc tests
        #[arg(long, value_name = "TEXT")]
        filter: Option<String>,
    },
    /// Install the real MCP clients and the registry that tests are run with (done by `test`)
    Clients,
    /// Run the protocol's own conformance suite against the host over HTTP
    Conformance {
        /// Run only the scenarios with this in their name
        #[arg(long, value_name = "TEXT")]
        filter: Option<String>,
    },
    /// Show the sandbox at work: a real MCP client, a real plugin, three ways out that are shut
    Demo,
    /// Write the pages of docs/ that are made of what the code knows
    Docs,
    /// Feed random input to everything that reads what an outsider wrote
    Fuzz {
        /// Run only the targets with this in their name
        #[arg(long, value_name = "TEXT")]
        filter: Option<String>,
        /// How long each runs
        #[arg(long, value_name = "SECONDS", default_value_t = 60)]
        seconds: u32,
    },
    /// Measure against a native server and the reference server from npm
    Bench {
        /// Passed on to the benchmark
        #[arg(
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "ARGS"
        )]
        args: Vec<OsString>,
    },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = Layout::find().and_then(|layout| match cli.task {
        Task::Setup => setup::run(&layout),
        Task::Build { release } => build::run(&layout, release),
        Task::Lint => lint::run(&layout),
        Task::Test { filter } => test::run(&layout, filter.as_deref()),
        Task::Clients => clients::run(&layout),
        Task::Conformance { filter } => conformance::run(&layout, filter.as_deref()),
        Task::Fuzz { filter, seconds } => fuzz::run(&layout, filter.as_deref(), seconds),
        Task::Docs => docs::run(&layout),
        Task::Demo => demo::run(&layout),
        Task::Bench { args } => bench::run(&layout, &args),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
