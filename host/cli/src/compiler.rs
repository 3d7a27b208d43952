//! The process in which plugins are compiled: this program, started again.

use std::path::PathBuf;
use std::process::Command;

use palisade_runtime::{CompilerProcess, Engine, threads_for_calls};

use crate::args::CompileArgs;
use crate::logging;
use crate::output;

/// What a new process gets of our environment: nothing that is a secret.
const PASSED_ON: [&str; 2] = [logging::FILTER, "LD_LIBRARY_PATH"];

/// A compiler within these bounds.
pub(crate) fn compiler(bounds: CompileArgs) -> CompilerProcess {
    CompilerProcess {
        command: Box::new(move |engine| command(bounds, engine)),
        time: bounds.compile_time,
        memory: bounds.compile_memory,
        heard: |line| output::error_line(&output::printable(line)),
    }
}

fn command(bounds: CompileArgs, engine: &Engine) -> Command {
    let threads = threads_for_calls();
    let cpu_time = bounds.compile_time.as_secs().saturating_add(1);
    let cpu_time = cpu_time.saturating_mul(threads as u64);
    let mut command = Command::new(this_program());
    command
        .arg("compile-plugin")
        .arg(format!("--memory={}", bounds.compile_memory))
        .arg(format!("--cpu-time={cpu_time}"))
        .current_dir("/")
        .env_clear()
        // It could not find out by itself, behind its wall.
        .env("RAYON_NUM_THREADS", threads.to_string());
    if !engine.is_pooling() {
        command.arg("--on-demand");
    }
    for name in PASSED_ON {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

/// The very program that runs, also if its file has been replaced.
pub(crate) fn this_program() -> PathBuf {
    if cfg!(target_os = "linux") {
        return PathBuf::from("/proc/self/exe");
    }
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("palisade"))
}
