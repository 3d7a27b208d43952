//! The command line of what is installed.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use palisade_policy::{AllowFlag, ToolFlag};
use palisade_registry::Source;

use super::{CompileArgs, GrantFlags, NetworkArgs, SecretArg};

/// `palisade install`.
#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// Where it is: a path, https://… or oci://REGISTRY/NAME:TAG.
    pub(crate) source: Source,
    /// Another name than its own.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// What it is granted; the rest is asked for at the terminal.
    #[command(flatten)]
    pub(crate) grants: GrantFlags,
    /// Ask nothing: grant what the flags say, and no more.
    #[arg(long)]
    pub(crate) no_input: bool,
    /// How the network is reached.
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
    /// How it is compiled.
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
    /// Print JSON, and ask nothing.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `palisade push`.
#[derive(Debug, Args)]
pub(crate) struct PushArgs {
    /// The plugin, a packed .wasm file.
    pub(crate) file: PathBuf,
    /// Where to: oci://REGISTRY/NAME:TAG.
    pub(crate) to: Source,
    /// Put this Sigstore bundle beside it, which says who made it.
    #[arg(long, value_name = "FILE")]
    pub(crate) bundle: Option<PathBuf>,
    /// How the network is reached.
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
    /// How it is compiled.
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `palisade update`.
#[derive(Debug, Args)]
pub(crate) struct UpdateArgs {
    /// The plugin's name.
    pub(crate) name: String,
    /// Take this very version without being asked: the digest that was shown.
    #[arg(long, value_name = "sha256:DIGEST")]
    pub(crate) accept: Option<String>,
    /// How the network is reached.
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
    /// How it is compiled.
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
    /// Print JSON, and ask nothing.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `palisade approve`.
#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// The plugin's name.
    pub(crate) name: String,
    /// Agree to this very change without being asked: the digest that was shown.
    #[arg(long, value_name = "sha256:DIGEST")]
    pub(crate) accept: Option<String>,
    /// Print JSON, and ask nothing.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `palisade audit`.
#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// Of this plugin alone.
    pub(crate) name: Option<String>,
    /// The last so many records.
    #[arg(long, value_name = "COUNT", default_value = "100")]
    pub(crate) last: NonZeroUsize,
    /// Go on as records are added.
    #[arg(long)]
    pub(crate) follow: bool,
    /// Print JSON, a record a line.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `palisade list`, `palisade verify`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `palisade remove`.
#[derive(Debug, Args)]
pub(crate) struct RemoveArgs {
    /// The plugin's name.
    pub(crate) name: String,
    /// Leave the entries that start it in the configuration of clients.
    #[arg(long)]
    pub(crate) keep_clients: bool,
}

/// `palisade permissions`.
#[derive(Debug, Args)]
pub(crate) struct PermissionsArgs {
    /// The plugin's name.
    pub(crate) name: String,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `palisade grant`.
#[derive(Debug, Args)]
pub(crate) struct GrantCommand {
    /// The plugin's name.
    pub(crate) name: String,
    /// What it is granted.
    #[command(flatten)]
    pub(crate) grants: GrantFlags,
    /// Decide about tools: 'PATTERN=allow', 'PATTERN=ask' or 'PATTERN=deny'.
    #[arg(long = "tool", value_name = "PATTERN=DECISION")]
    pub(crate) tools: Vec<ToolFlag>,
    /// Let the plugin see a secret itself, and not only have the use of it.
    #[arg(long = "expose-secret", value_name = "NAME")]
    pub(crate) exposed: Vec<SecretArg>,
}

/// `palisade revoke`.
#[derive(Debug, Args)]
pub(crate) struct RevokeArgs {
    /// The plugin's name.
    pub(crate) name: String,
    /// Take back the folder or file of this name.
    #[arg(long = "root", visible_alias = "file", value_name = "NAME")]
    pub(crate) roots: Vec<String>,
    /// Take back a place in the network, as it was granted.
    #[arg(long = "allow", value_name = "RULE")]
    pub(crate) allow: Vec<AllowFlag>,
    /// Take back an environment variable.
    #[arg(long, value_name = "NAME")]
    pub(crate) env: Vec<String>,
    /// Take back the use of a secret. Its value stays; `palisade secret remove`
    /// forgets it.
    #[arg(long = "secret", value_name = "NAME")]
    pub(crate) secrets: Vec<SecretArg>,
    /// Forget what was decided about tools.
    #[arg(long = "tool", value_name = "PATTERN")]
    pub(crate) tools: Vec<String>,
    /// Take back everything.
    #[arg(long, conflicts_with_all = ["roots", "allow", "env", "secrets", "tools"])]
    pub(crate) all: bool,
}
