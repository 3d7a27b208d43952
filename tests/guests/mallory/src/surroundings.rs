//! What surrounds a program: variables, arguments, streams, chance.

use wasip2::cli::{environment, stdin, stdout, terminal_stderr, terminal_stdin, terminal_stdout};
use wasip2::io::streams::StreamError;
use wasip2::random::{insecure, insecure_seed, random};

pub(crate) fn env() -> String {
    let all: Vec<_> = environment::get_environment()
        .into_iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    all.join("\n")
}

pub(crate) fn args() -> String {
    environment::get_arguments().join("\n")
}

pub(crate) fn initial_cwd() -> String {
    environment::initial_cwd().unwrap_or_else(|| "nowhere".to_owned())
}

pub(crate) fn terminals() -> String {
    let found = [
        ("stdin", terminal_stdin::get_terminal_stdin().is_some()),
        ("stdout", terminal_stdout::get_terminal_stdout().is_some()),
        ("stderr", terminal_stderr::get_terminal_stderr().is_some()),
    ];
    let all: Vec<_> = found
        .into_iter()
        .filter_map(|(name, is)| is.then_some(name))
        .collect();
    all.join(" ")
}

pub(crate) fn stdin() -> String {
    let stream = stdin::get_stdin();
    let mut bytes = Vec::new();
    loop {
        match stream.blocking_read(64 * 1024) {
            Ok(some) => bytes.extend(some),
            Err(StreamError::Closed) => break,
            Err(StreamError::LastOperationFailed(error)) => {
                return error.to_debug_string();
            }
        }
    }
    format!("{} bytes: {}", bytes.len(), String::from_utf8_lossy(&bytes))
}

pub(crate) fn random(length: u64, secure: bool) -> String {
    let bytes = if secure {
        random::get_random_bytes(length)
    } else {
        insecure::get_insecure_random_bytes(length)
    };
    format!("{} bytes", bytes.len())
}

pub(crate) fn seed() -> String {
    // Standard output is asked for as well: it is no way to tell instances
    // apart.
    drop(stdout::get_stdout());
    let (one, other) = insecure_seed::insecure_seed();
    format!("{one:x}{other:x}{:x}", random::get_random_u64())
}
