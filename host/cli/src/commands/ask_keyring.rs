//! `palisade ask-keyring`: the process that speaks to the system's keyring.

use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use palisade_secrets::serve_keyring;
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::failure::Failure;

/// Takes a question from standard input, a socket, and answers there.
pub(crate) fn run() -> Result<ExitCode, Failure> {
    let input = std::io::stdin().as_fd().try_clone_to_owned();
    let channel = input.map(UnixStream::from);
    let channel = channel
        .and_then(|channel| channel.peer_addr().map(|_| channel))
        .map_err(|_| {
            Failure::usage("this command is for Palisade itself")
                .remedy("`palisade secret` is the one for you")
        })?;
    bound().map_err(|error| {
        let error = std::io::Error::from(error);
        Failure::because("the keyring can't be asked in safety", &error)
    })?;
    serve_keyring(channel)
        .map_err(|error| Failure::because("asking the keyring broke off", &error))?;
    Ok(ExitCode::SUCCESS)
}

/// Ends this process with the one that started it, and leaves no value behind
/// where it crashes.
fn bound() -> rustix::io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    setrlimit(Resource::Core, none)
}
