//! The command line.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{OsStringValueParser, TypedValueParser as _};
use clap::{Args, Parser, Subcommand, ValueEnum};
use palisade_policy::units::{parse_duration, parse_size};
use palisade_policy::{AllowFlag, ClientRoots, EnvFlag, FileFlag, RootFlag, ToolFlag};
use palisade_registry::Source;
use palisade_server::{AllowedHost, AllowedOrigin};

mod clients;

pub(crate) use clients::{ClientAddArgs, ClientCommand, ClientRemoveArgs, ConfigArgs, ExportArgs};

use crate::plugin_arg::PluginArg;
use crate::scopes::{Scoped, Written};

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
    /// Say what protects this machine, and what to do where that is less than
    /// it could be.
    Doctor(DoctorArgs),
    /// Compile one plugin for the process that starts this one.
    #[command(hide = true)]
    CompilePlugin(CompilePluginArgs),
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

/// How to serve over HTTP.
#[derive(Debug, Args)]
#[command(next_help_heading = "Over HTTP")]
pub(crate) struct HttpArgs {
    /// Serve over HTTP at this address, such as 127.0.0.1:8080; port 0 takes
    /// any that is free.
    #[arg(long = "http", value_name = "ADDRESS:PORT", value_parser = address)]
    pub(crate) address: Option<SocketAddr>,
    /// Answer only who sends the token in this file; several stand one a line.
    /// Without this, the token is in the variable PALISADE_TOKEN.
    #[arg(long, value_name = "FILE", requires = "address")]
    pub(crate) token_file: Option<PathBuf>,
    /// Answer everybody on this machine.
    #[arg(long, requires = "address", conflicts_with = "token_file")]
    pub(crate) no_auth: bool,
    /// Serve HTTPS, with this chain of certificates in PEM.
    #[arg(long, value_name = "FILE", requires = "address", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The certificate's private key, in PEM.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Another name by which clients call this server.
    #[arg(long = "allow-host", value_name = "NAME[:PORT]", requires = "address")]
    pub(crate) hosts: Vec<AllowedHost>,
    /// A site whose pages may call this server.
    #[arg(long = "allow-origin", value_name = "ORIGIN", requires = "address")]
    pub(crate) origins: Vec<AllowedOrigin>,
    /// End a session in which nothing happens after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 1800, requires = "address",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) session_idle: u32,
    /// Sessions at a time.
    #[arg(long, value_name = "COUNT", default_value_t = 1024, requires = "address",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_sessions: u32,
}

/// An address to listen at. Names are not looked up, but for the one that
/// always is the same.
fn address(text: &str) -> Result<SocketAddr, &'static str> {
    let wrong = "give an IP address and a port, such as 127.0.0.1:8080";
    if let Some(port) = text.strip_prefix("localhost:") {
        let port = port.parse().map_err(|_| wrong)?;
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    text.parse().map_err(|_| wrong)
}

/// An address of a server of names; 53 is the usual port.
fn name_server(text: &str) -> Result<SocketAddr, &'static str> {
    let address = text.parse::<IpAddr>().map(|address| (address, 53).into());
    (address.or_else(|_| text.parse()))
        .map_err(|_| "give an IP address, and a port if it is not 53, such as 127.0.0.1:5353")
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

/// `palisade secret`.
#[derive(Debug, Subcommand)]
pub(crate) enum SecretCommand {
    /// Keep a value. It is asked for at the terminal, which does not show it, or
    /// read from standard input; never from the command line.
    Set {
        /// The secret's name.
        name: SecretArg,
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
