//! `palisade compile-plugin`: the process in which a stranger's file is
//! compiled and first asked what it offers.

use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use palisade_hardening::{Wall, restrict};
use palisade_runtime::{Engine, EngineOptions, serve_compiler};
use rustix::process::{Resource, Rlimit, Signal, setrlimit};

use crate::args::CompilePluginArgs;
use crate::failure::Failure;

/// Largest file there may be, in bytes: memory that has no other name.
const FILE: u64 = 4 * 1024 * 1024 * 1024;

/// Handles there may be.
const HANDLES: u64 = 256;

/// Takes a component from standard input, a socket, and answers there.
pub(crate) fn run(args: &CompilePluginArgs) -> Result<ExitCode, Failure> {
    let input = std::io::stdin().as_fd().try_clone_to_owned();
    let channel = input.map(UnixStream::from);
    let channel = channel
        .and_then(|channel| channel.peer_addr().map(|_| channel))
        .map_err(|_| {
            Failure::usage("this command is for Palisade itself")
                .remedy("plugins are compiled when they are first run")
        })?;
    bound(args)?;
    // Before anything of the file has been looked at.
    build(&Wall {
        new_code: true,
        ..Wall::default()
    })?;
    let options = EngineOptions {
        plugins: 0,
        pooling: !args.on_demand,
        ..EngineOptions::default()
    };
    let engine = Engine::new(&options)
        .map_err(|error| Failure::because("plugins can't be compiled here", &error))?;
    let done = serve_compiler(channel, &engine, || {
        // Before any of it runs.
        build(&Wall::default()).map_err(|failure| failure.sentence())
    });
    done.map_err(|error| Failure::because("compiling broke off", &error))?;
    Ok(ExitCode::SUCCESS)
}

/// Keeps within bounds what this process may take, and ends it with the one
/// that started it.
fn bound(args: &CompilePluginArgs) -> Result<(), Failure> {
    let failed = |error: rustix::io::Errno| {
        let error = std::io::Error::from(error);
        Failure::because("compiling can't be kept within bounds", &error)
    };
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(failed)?;
    for (resource, most) in [
        // What is reserved and not used, such as room for instances, does not
        // count.
        (Resource::Data, args.memory),
        (Resource::Cpu, args.cpu_time),
        (Resource::Fsize, FILE),
        (Resource::Nofile, HANDLES),
        (Resource::Core, 0),
    ] {
        // At the first of the two a process is told, at the second it ends.
        let grace = if resource == Resource::Cpu { 1 } else { 0 };
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most.saturating_add(grace)),
        };
        match setrlimit(resource, limit) {
            Ok(()) => {}
            // Stricter ones hold already.
            Err(rustix::io::Errno::PERM) => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(())
}

/// What is missing of it, the process that started this one tells.
fn build(wall: &Wall) -> Result<(), Failure> {
    restrict(wall)
        .map(drop)
        .map_err(|error| Failure::because("the second wall can't be built", &error))
}
