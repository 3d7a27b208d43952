//! Running other programs, with an environment that does not depend on being
//! inside `cargo run`, and with errors that are one sentence.

use std::env;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Output, Stdio};
use std::thread;

use anyhow::{Context, Result, anyhow, bail};

/// What cargo sets for the program it runs, meant for that program and not for
/// another cargo below it. `RUSTUP_TOOLCHAIN` stays: it is the one in use.
const SET_BY_CARGO: [&str; 7] = [
    "CARGO",
    "CARGO_BIN_NAME",
    "CARGO_CRATE_NAME",
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_PATH",
    "CARGO_PRIMARY_PACKAGE",
    "OUT_DIR",
];

/// What a person may have set for native builds and must not reach a guest build.
const NATIVE_ONLY: [&str; 8] = [
    "CARGO_BUILD_RUSTC",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_TARGET_DIR",
    "RUSTC",
    "RUSTC_BOOTSTRAP",
    "RUSTFLAGS",
];

/// A program with a cleaned environment.
pub(crate) fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    for variable in SET_BY_CARGO {
        command.env_remove(variable);
    }
    for (variable, _) in env::vars_os() {
        if variable
            .to_str()
            .is_some_and(|name| name.starts_with("CARGO_PKG_"))
        {
            command.env_remove(variable);
        }
    }
    command
}

/// The cargo that runs this, for native work.
pub(crate) fn cargo() -> Command {
    program(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The cargo that runs this, for guests: nothing of a native build's settings reaches it.
pub(crate) fn guest_cargo() -> Command {
    let mut command = cargo();
    for variable in NATIVE_ONLY {
        command.env_remove(variable);
    }
    command
}

/// Runs a command whose output goes straight to the person.
///
/// # Errors
/// One sentence with the command, where it could not start or failed.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| cannot_start(command))?;
    if status.success() {
        return Ok(());
    }
    bail!("`{}` failed ({status})", shown(command))
}

/// Runs a command and returns what it wrote to standard output; standard error
/// goes to the person.
///
/// # Errors
/// As for [`run`].
pub(crate) fn stdout_of(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| cannot_start(command))?;
    text_of(command, output)
}

/// Runs a command that only asks something; nothing is shown.
///
/// # Errors
/// As for [`run`].
pub(crate) fn ask(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| cannot_start(command))?;
    text_of(command, output)
}

/// Runs a command that may fail; what it wrote to both outputs, one after the
/// other. Nothing is shown.
///
/// # Errors
/// Where it can't be started.
pub(crate) fn quiet(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| cannot_start(command))?;
    let both = [output.stdout, output.stderr].concat();
    Ok(String::from_utf8_lossy(&both).into_owned())
}

fn text_of(command: &Command, output: Output) -> Result<String> {
    if !output.status.success() {
        bail!("`{}` failed ({})", shown(command), output.status);
    }
    String::from_utf8(output.stdout)
        .with_context(|| format!("`{}` printed something that is not UTF-8", shown(command)))
}

/// Runs a command, passing on both outputs line by line, and hands each line to
/// `each_line` as well.
///
/// # Errors
/// As for [`run`], or where its output can't be passed on.
pub(crate) fn watch(command: &mut Command, each_line: impl Fn(&str) + Sync) -> Result<()> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| cannot_start(command))?;
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        bail!("`{}` has no output to read", shown(command));
    };
    let each_line = &each_line;
    thread::scope(|scope| {
        let errors = scope.spawn(move || pass_on(stderr, std::io::stderr(), each_line));
        let out = pass_on(stdout, std::io::stdout(), each_line);
        let errors = errors
            .join()
            .map_err(|_| anyhow!("reading the errors of a command stopped"))?;
        out.and(errors)
    })
    .with_context(|| format!("the output of `{}` can't be passed on", shown(command)))?;
    let status = child
        .wait()
        .with_context(|| format!("`{}` was lost", shown(command)))?;
    if status.success() {
        return Ok(());
    }
    bail!("`{}` failed ({status})", shown(command))
}

fn pass_on(from: impl Read, mut to: impl Write, each_line: &(impl Fn(&str) + Sync)) -> Result<()> {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line)? > 0 {
        to.write_all(&line)?;
        to.flush()?;
        each_line(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok(())
}

fn cannot_start(command: &Command) -> String {
    format!("`{}` can't be started", shown(command))
}

/// The command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let mut text = program
        .file_name()
        .unwrap_or(program.as_os_str())
        .to_string_lossy()
        .into_owned();
    for argument in command.get_args() {
        let argument = argument.to_string_lossy();
        text.push(' ');
        if argument.is_empty()
            || argument.contains(|c: char| c.is_whitespace() || "'\"$`()".contains(c))
        {
            text.push('\'');
            text.push_str(&argument.replace('\'', r"'\''"));
            text.push('\'');
        } else {
            text.push_str(&argument);
        }
    }
    text
}
