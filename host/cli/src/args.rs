//! The command line.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{OsStringValueParser, TypedValueParser as _};
use clap::{Args, Parser, Subcommand, ValueEnum};
use palisade_policy::units::{parse_duration, parse_size};
use palisade_policy::{AllowFlag, ClientRoots, EnvFlag, FileFlag, RootFlag};
use palisade_secrets::Place;

mod clients;

pub(crate) use clients::{ClientAddArgs, ClientCommand, ClientRemoveArgs, ConfigArgs, ExportArgs};

use crate::plugin_arg::PluginArg;
use crate::scopes::{Scoped, Written};

mod http;
mod installed;
mod signing;

pub(crate) use http::HttpArgs;
pub(crate) use installed::{
    ApproveArgs, AuditArgs, GrantCommand, InstallArgs, ListArgs, PermissionsArgs, PushArgs,
    RemoveArgs, RevokeArgs, UpdateArgs,
};
pub(crate) use signing::{KeygenArgs, SignArgs};

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
    /// Serve plugins to an MCP client over standard input and output, or over
    /// HTTP.
    Run(RunArgs),
    /// Show what a plugin is, what it asks for and what it would get.
    Inspect(InspectArgs),
    /// Call one tool and print what it answers.
    Call(CallArgs),
    /// Install a plugin, after showing what it asks for.
    Install(InstallArgs),
    /// List what is installed.
    List(ListArgs),
    /// Get the newest version of an installed plugin, after showing what is
    /// different.
    Update(UpdateArgs),
    /// Show what a plugin has changed while it was served, and serve it like that.
    Approve(ApproveArgs),
    /// Show what was decided about plugins, and when.
    Audit(AuditArgs),
    /// Take an installed plugin away, with everything it was granted.
    Remove(RemoveArgs),
    /// Look whether everything is as it was installed.
    Verify(ListArgs),
    /// Grant an installed plugin something.
    Grant(GrantCommand),
    /// Take back what an installed plugin was granted.
    Revoke(RevokeArgs),
    /// Show what an installed plugin asks for, is granted and gets.
    Permissions(PermissionsArgs),
    /// Have MCP clients start installed plugins.
    Client {
        /// What to do.
        #[command(subcommand)]
        command: ClientCommand,
    },
    /// Put an installed plugin into a file for others.
    Export(ExportArgs),
    /// Keep values that plugins have the use of and never see.
    Secret {
        /// What to do with them.
        #[command(subcommand)]
        command: SecretCommand,
    },
    /// Begin a plugin: a project that builds and tests.
    New(NewArgs),
    /// Serve a project over standard input and output, and again whenever a file
    /// of it is saved. The client stays connected.
    Dev(DevArgs),
    /// Make one file of a plugin, with its manifest, README and licence inside.
    Pack(PackArgs),
    /// Make a key pair, to sign plugins with.
    Keygen(KeygenArgs),
    /// Sign a packed plugin, so that others can tell who made it.
    Sign(SignArgs),
    /// Publish a packed plugin in an OCI registry.
    Push(PushArgs),
    /// Say what protects this machine, and what to do where that is less than
    /// it could be.
    Doctor(DoctorArgs),
    /// Compile one plugin for the process that starts this one.
    #[command(hide = true)]
    CompilePlugin(CompilePluginArgs),
    /// Ask the system's keyring one thing for the process that starts this one.
    #[command(hide = true)]
    AskKeyring,
}

/// What a person grants on the command line.
#[derive(Debug, Args)]
pub(crate) struct GrantArgs {
    /// One by one.
    #[command(flatten)]
    pub(crate) flags: GrantFlags,
    /// Read more grants from a file; flags add to it and override it.
    #[arg(long, value_name = "FILE")]
    pub(crate) grant: Option<PathBuf>,
}

/// What a person grants one plugin, one by one.
#[derive(Debug, Args)]
pub(crate) struct GrantFlags {
    /// Grant a directory: [NAME=]PATH[:ro|:rw]. It is read-only unless the
    /// text ends in `:rw`, and the plugin sees it as /NAME.
    #[arg(long = "root", value_name = "[NAME=]PATH[:ro|:rw]")]
    pub(crate) roots: Vec<RootFlag>,
    /// Grant a single file: [NAME=]PATH[:ro|:rw]. The plugin sees it, and
    /// nothing else, in /NAME.
    #[arg(long = "file", value_name = "[NAME=]PATH[:ro|:rw]")]
    pub(crate) single: Vec<FileFlag>,
    /// Grant an environment variable: NAME=VALUE, or NAME to pass on your own.
    #[arg(long, value_name = "NAME[=VALUE]")]
    pub(crate) env: Vec<EnvFlag>,
    /// Grant a place in the network: [METHOD[,METHOD] ][private:]URL, such as
    /// https://api.example.com or 'GET https://api.example.com/v1/**'. With
    /// `private:`, the name may lead into a private network.
    #[arg(long = "allow", value_name = "RULE")]
    pub(crate) allow: Vec<AllowFlag>,
    /// Grant the use of a secret, as the plugin asks for it: the host adds it to
    /// requests, and the plugin never sees it.
    #[arg(long = "secret", value_name = "NAME")]
    pub(crate) secrets: Vec<SecretArg>,
}

/// What a person grants the plugins of one server.
#[derive(Debug, Args)]
pub(crate) struct RunGrantArgs {
    /// Grant a directory: [NAME=]PATH[:ro|:rw]. It is read-only unless the
    /// text ends in `:rw`, and the plugin sees it as /NAME. With several
    /// plugins: PLUGIN/NAME=PATH[:ro|:rw].
    #[arg(long = "root", value_name = "[NAME=]PATH[:ro|:rw]")]
    pub(crate) roots: Vec<Written<RootFlag>>,
    /// Grant a single file: [NAME=]PATH[:ro|:rw]. The plugin sees it, and
    /// nothing else, in /NAME. With several plugins:
    /// PLUGIN/NAME=PATH[:ro|:rw].
    #[arg(long = "file", value_name = "[NAME=]PATH[:ro|:rw]")]
    pub(crate) single: Vec<Written<FileFlag>>,
    /// Grant an environment variable: NAME=VALUE, or NAME to pass on your own.
    /// With several plugins: PLUGIN/NAME[=VALUE].
    #[arg(long, value_name = "NAME[=VALUE]")]
    pub(crate) env: Vec<Written<EnvFlag>>,
    /// Grant a place in the network: [METHOD[,METHOD] ][private:]URL, such as
    /// https://api.example.com or 'GET https://api.example.com/v1/**'. With
    /// `private:`, the name may lead into a private network. With several
    /// plugins: PLUGIN/RULE.
    #[arg(long = "allow", value_name = "RULE")]
    pub(crate) allow: Vec<Scoped<AllowFlag>>,
    /// Grant the use of a secret, as the plugin asks for it: the host adds it to
    /// requests, and the plugin never sees it. With several plugins:
    /// PLUGIN/NAME.
    #[arg(long = "secret", value_name = "NAME")]
    pub(crate) secrets: Vec<SecretArg>,
    /// Read more grants from a file; flags add to it and override it. With
    /// several plugins, one for each that names it.
    #[arg(long = "grant", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// What has to hold beside the sandbox.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct HardeningArgs {
    /// Refuse to start where the system can't take from this process what it
    /// does not need (Landlock and seccomp); without this, that is a warning.
    #[arg(long)]
    pub(crate) require_hardening: bool,
}

/// How the network is reached.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct NetworkArgs {
    /// Ask this server for names, and not those of the system.
    #[arg(long, value_name = "ADDRESS[:PORT]", value_parser = name_server)]
    pub(crate) resolver: Option<SocketAddr>,
}

/// What a plugin that has not been compiled yet may take.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct CompileArgs {
    /// The time a plugin may take, when it is first met, to be compiled and say
    /// what it offers.
    #[arg(long, value_name = "TIME", default_value = "50 s", value_parser = parse_duration)]
    pub(crate) compile_time: Duration,
    /// The memory it may take for that.
    #[arg(long, value_name = "SIZE", default_value = "4 GiB", value_parser = parse_size)]
    pub(crate) compile_memory: u64,
}

/// `palisade run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The plugin, a .wasm file or the name of an installed one; several are
    /// served as one server. NAME= gives it another name than its own.
    #[arg(required = true, value_name = "[NAME=]PLUGIN",
          value_parser = OsStringValueParser::new().try_map(PluginArg::parse))]
    pub(crate) plugins: Vec<PluginArg>,
    /// What they may use.
    #[command(flatten)]
    pub(crate) grants: RunGrantArgs,
    /// What the client's own roots mean for granted directories.
    #[arg(long, value_name = "MODE", default_value = "narrow")]
    pub(crate) client_roots: ClientRootsArg,
    /// How they reach it.
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
    /// Start only if the system can hold back this process as well.
    #[command(flatten)]
    pub(crate) hardening: HardeningArgs,
    /// How they are compiled.
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
    /// How to serve over HTTP.
    #[command(flatten)]
    pub(crate) http: HttpArgs,
}

/// What a client's roots mean.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ClientRootsArg {
    /// They narrow: what is in none of them is not there. A client without
    /// roots gets what is granted.
    Narrow,
    /// They narrow, and a client without roots gets no directory.
    Require,
    /// Nothing: what is granted is there, and the client is not asked.
    Ignore,
}

impl From<ClientRootsArg> for ClientRoots {
    fn from(arg: ClientRootsArg) -> Self {
        match arg {
            ClientRootsArg::Narrow => Self::Narrow,
            ClientRootsArg::Require => Self::Require,
            ClientRootsArg::Ignore => Self::Ignore,
        }
    }
}

/// An address of a server of names; 53 is the usual port.
fn name_server(text: &str) -> Result<SocketAddr, &'static str> {
    let address = text.parse::<IpAddr>().map(|address| (address, 53).into());
    let address: SocketAddr = (address.or_else(|_| text.parse()))
        .map_err(|_| "give an IP address, and a port if it is not 53, such as 127.0.0.1:5353")?;
    match address.port() {
        0 => Err("no server answers at port 0; the usual port is 53"),
        _ => Ok(address),
    }
}

/// `palisade inspect`.
#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// The plugin, a .wasm file or the name of an installed one.
    pub(crate) plugin: PathBuf,
    /// What it would be granted.
    #[command(flatten)]
    pub(crate) grants: GrantArgs,
    /// How it is compiled.
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the README in it instead.
    #[arg(long, conflicts_with = "json")]
    pub(crate) readme: bool,
    /// Print the text of its licence instead.
    #[arg(long, conflicts_with_all = ["json", "readme"])]
    pub(crate) licence: bool,
}

/// `palisade call`.
#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// The plugin, a .wasm file or the name of an installed one.
    pub(crate) plugin: PathBuf,
    /// The tool's name.
    pub(crate) tool: String,
    /// Its arguments, a JSON object; `-` reads them from standard input.
    #[arg(default_value = "{}")]
    pub(crate) arguments: String,
    /// What the plugin may use.
    #[command(flatten)]
    pub(crate) grants: GrantArgs,
    /// How they reach it.
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
    /// Start only if the system can hold back this process as well.
    #[command(flatten)]
    pub(crate) hardening: HardeningArgs,
    /// How it is compiled.
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
    /// Print the whole result as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `palisade secret`.
#[derive(Debug, Subcommand)]
pub(crate) enum SecretCommand {
    /// Keep a value. It is asked for at the terminal, which does not show it, or
    /// read from standard input; never from the command line.
    Set {
        /// The secret's name.
        name: SecretArg,
        /// Where to keep it; without this in the keyring of the system, or in a
        /// file where there is none.
        #[arg(long, value_name = "PLACE")]
        store: Option<StoreArg>,
        /// What does not belong here, and must not be repeated.
        #[arg(hide = true, num_args = 0..)]
        values: Vec<SecretArg>,
    },
    /// Name the secrets that are kept.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Forget a value.
    Remove {
        /// The secret's name.
        name: SecretArg,
    },
}

/// Where a secret is kept.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum StoreArg {
    /// In the keyring of the system.
    Keyring,
    /// In a file that only you can read.
    File,
}

impl From<StoreArg> for Place {
    fn from(arg: StoreArg) -> Self {
        match arg {
            StoreArg::Keyring => Self::Keyring,
            StoreArg::File => Self::File,
        }
    }
}

/// What should be a secret's name. It is looked at later than other arguments: a
/// value that was written here by mistake would be repeated otherwise.
#[derive(Debug, Clone)]
pub(crate) struct SecretArg(pub(crate) String);

impl From<String> for SecretArg {
    fn from(text: String) -> Self {
        Self(text)
    }
}

/// `palisade doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `palisade compile-plugin`, which a person has no use for.
#[derive(Debug, Args)]
pub(crate) struct CompilePluginArgs {
    /// Memory that may be taken, in bytes.
    #[arg(long)]
    pub(crate) memory: u64,
    /// CPU time that may be taken, in seconds.
    #[arg(long)]
    pub(crate) cpu_time: u64,
    /// For an engine without a pool of instances.
    #[arg(long)]
    pub(crate) on_demand: bool,
}

/// `palisade new`.
#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// The plugin's name, which is that of its folder: a-z, 0-9 and -.
    pub(crate) name: String,
    /// The language it is written in.
    #[arg(long, value_name = "LANGUAGE", default_value = "rust")]
    pub(crate) lang: String,
    /// Where the SDK's source is; without this, beside this program's own.
    #[arg(long, value_name = "PATH")]
    pub(crate) sdk: Option<PathBuf>,
}

/// `palisade pack`.
#[derive(Debug, Args)]
pub(crate) struct PackArgs {
    /// The plugin's folder, with its palisade.toml. Where there is a Cargo.toml,
    /// it is built; otherwise the only .wasm file in it is packed.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The file to write; without this, NAME.wasm.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Pack this component.
    #[arg(long, value_name = "FILE")]
    pub(crate) component: Option<PathBuf>,
    /// How it is compiled, to see whether it would load.
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `palisade dev`.
#[derive(Debug, Args)]
pub(crate) struct DevArgs {
    /// The plugin's folder, with its palisade.toml.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Flags of `palisade run`, such as --root.
    #[arg(
        value_name = "FLAGS",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub(crate) flags: Vec<std::ffi::OsString>,
}
