//! `palisade`: run MCP servers nobody has reason to trust.
//!
//! This crate parses arguments and prints. What the commands do is in the
//! crates below it.

use std::process::ExitCode;

use clap::Parser;

mod args;
mod audit;
mod commands;
mod compiler;
mod config_file;
mod consent;
mod dev;
mod failure;
mod files;
mod grants;
mod installed;
mod keyring;
mod limits;
mod load;
mod logging;
mod output;
mod outside;
mod permissions;
mod places;
mod plugin_arg;
mod prepare;
mod project;
mod scopes;
mod secrets;
mod several;
mod signed;
mod steps;
mod terminal;
mod update;
mod wall;

use args::{Cli, Command};

/// What a call allocates on one thread another often frees. The system's
/// allocator takes a lock for that: with calls side by side, this one serves
/// half as many again.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    // Before the command line is read, which takes more stack than anything else.
    if let Err(failure) = limits::check() {
        return failure.report();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::of_arguments(&error),
    };
    logging::start();
    let done = match cli.command {
        Command::Run(args) => commands::run::run(&args),
        Command::Inspect(args) => commands::inspect::run(&args),
        Command::Call(args) => commands::call::run(&args),
        Command::Install(args) => commands::install::run(&args),
        Command::List(args) => commands::list::run(&args),
        Command::Update(args) => commands::update::run(&args),
        Command::Approve(args) => commands::approve::run(&args),
        Command::Audit(args) => commands::audit::run(&args),
        Command::Remove(args) => commands::remove::run(&args),
        Command::Verify(args) => commands::list::verify(&args),
        Command::Grant(args) => commands::grant::run(&args),
        Command::Revoke(args) => commands::grant::revoke(&args),
        Command::Permissions(args) => commands::grant::permissions(&args),
        Command::Client { command } => commands::client::run(&command),
        Command::Export(args) => commands::export::run(&args),
        Command::Secret { command } => commands::secret::run(&command),
        Command::New(args) => commands::new::run(&args),
        Command::Dev(args) => commands::dev::run(&args),
        Command::Pack(args) => commands::pack::run(&args),
        Command::Keygen(args) => commands::sign::keygen(&args),
        Command::Sign(args) => commands::sign::run(&args),
        Command::Push(args) => commands::push::run(&args),
        Command::Doctor(args) => commands::doctor::run(&args),
        Command::CompilePlugin(args) => commands::compile_plugin::run(&args),
        Command::AskKeyring => commands::ask_keyring::run(),
    };
    match done {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}
