//! Arguments of what is done for other programs: `client` and `export`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, Subcommand, ValueEnum};
use palisade_clients::{CLIENTS, Client, Scope};

/// `palisade client`.
#[derive(Debug, Subcommand)]
pub(crate) enum ClientCommand {
    /// Have a client start an installed plugin.
    Add(ClientAddArgs),
    /// Take a plugin out of a client's configuration.
    Remove(ClientRemoveArgs),
    /// Name the clients, and the plugins they start.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

/// A client's configuration.
#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    /// The client.
    #[arg(value_parser = PossibleValuesParser::new(CLIENTS.iter().map(|client| client.id))
          .try_map(|id| Client::find(&id).ok_or("there is no such client")))]
    pub(crate) client: &'static Client,
    /// The plugin's name.
    pub(crate) name: String,
    /// Edit this file, and not where the client keeps its own.
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Option<PathBuf>,
    /// For you, wherever you work, or for everybody who works in this folder.
    #[arg(long, value_name = "SCOPE", default_value = "user")]
    pub(crate) scope: ScopeArg,
}

/// `palisade client add`.
#[derive(Debug, Args)]
pub(crate) struct ClientAddArgs {
    /// Where.
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    /// Change nothing; print what to paste.
    #[arg(long)]
    pub(crate) print: bool,
    /// Take the place of another server of that name.
    #[arg(long)]
    pub(crate) replace: bool,
}

/// `palisade client remove`.
#[derive(Debug, Args)]
pub(crate) struct ClientRemoveArgs {
    /// Where.
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}

/// Whom an entry is for.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ScopeArg {
    /// You.
    User,
    /// Everybody who works in this folder.
    Project,
}

impl From<ScopeArg> for Scope {
    fn from(arg: ScopeArg) -> Self {
        match arg {
            ScopeArg::User => Self::User,
            ScopeArg::Project => Self::Project,
        }
    }
}

/// `palisade export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The plugin's name.
    pub(crate) name: String,
    /// As a bundle that a client installs with one click.
    #[arg(long, required = true)]
    pub(crate) mcpb: bool,
    /// Where to; NAME.mcpb if it is not said.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// What runs Palisade where the bundle is installed.
    #[arg(long, value_name = "PROGRAM", default_value = "palisade")]
    pub(crate) command: String,
}
