//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use palisade_policy::{EnvFlag, RootFlag};

/// Runs MCP servers nobody has reason to trust: WebAssembly plugins that get
/// exactly the directories and variables you grant.
#[derive(Debug, Parser)]
#[command(name = "palisade", version, about, propagate_version = true)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve a plugin to an MCP client over standard input and output.
    Run(RunArgs),
    /// Show what a plugin is, what it asks for and what it would get.
    Inspect(InspectArgs),
    /// Call one tool and print what it answers.
    Call(CallArgs),
}

/// What a person grants on the command line.
#[derive(Debug, Args)]
pub(crate) struct GrantArgs {
    /// Grant a directory: [NAME=]PATH[:ro|:rw]. It is read-only unless the
    /// text ends in `:rw`, and the plugin sees it as /NAME.
    #[arg(long = "root", value_name = "[NAME=]PATH[:ro|:rw]")]
    pub(crate) roots: Vec<RootFlag>,
    /// Grant an environment variable: NAME=VALUE, or NAME to pass on your own.
    #[arg(long, value_name = "NAME[=VALUE]")]
    pub(crate) env: Vec<EnvFlag>,
    /// Read more grants from a file; flags add to it and override it.
    #[arg(long, value_name = "FILE")]
    pub(crate) grant: Option<PathBuf>,
}

/// `palisade run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The plugin, a .wasm file.
    pub(crate) plugin: PathBuf,
    /// What it may use.
    #[command(flatten)]
    pub(crate) grants: GrantArgs,
}

/// `palisade inspect`.
#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// The plugin, a .wasm file.
    pub(crate) plugin: PathBuf,
    /// What it would be granted.
    #[command(flatten)]
    pub(crate) grants: GrantArgs,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `palisade call`.
#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// The plugin, a .wasm file.
    pub(crate) plugin: PathBuf,
    /// The tool's name.
    pub(crate) tool: String,
    /// Its arguments, a JSON object; `-` reads them from standard input.
    #[arg(default_value = "{}")]
    pub(crate) arguments: String,
    /// What the plugin may use.
    #[command(flatten)]
    pub(crate) grants: GrantArgs,
    /// Print the whole result as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
