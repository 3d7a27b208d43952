//! A command line of the host, in an environment of its own.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::artifacts;
use crate::finished::Finished;
use crate::process::Process;
use crate::session::{Session, Streams};

/// A `palisade` command line. It runs with an empty home and without the
/// environment of the tests; only compiled code is shared between them.
#[derive(Debug, Clone)]
pub struct Palisade {
    starter: Vec<OsString>,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    folder: Option<PathBuf>,
    cache: PathBuf,
    home: Arc<TempDir>,
}

/// What a child's standard input and output are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wiring {
    /// A pipe each, as most clients do it.
    Pipes,
    /// A socket each, as Node does it.
    Sockets,
    /// One socket for both, as inetd does it.
    OneSocket,
}

impl Palisade {
    /// `palisade` with these arguments.
    ///
    /// # Panics
    ///
    /// If no temporary folder can be made.
    pub fn new(arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self {
            starter: Vec::new(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            environment: Vec::new(),
            folder: None,
            cache: artifacts::shared_cache().to_owned(),
            home: Arc::new(tempfile::tempdir().expect("temporary folders can be made")),
        }
    }

    /// `palisade run PLUGIN`.
    pub fn run(plugin: impl AsRef<Path>) -> Self {
        Self::new(["run"]).arg(plugin.as_ref())
    }

    /// `palisade run PLUGIN PLUGIN …`.
    pub fn run_several(plugins: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        let start = Self::new(["run"]);
        plugins
            .into_iter()
            .fold(start, |command, plugin| command.arg(plugin.as_ref()))
    }

    /// `palisade inspect PLUGIN`.
    pub fn inspect(plugin: impl AsRef<Path>) -> Self {
        Self::new(["inspect"]).arg(plugin.as_ref())
    }

    /// `palisade call PLUGIN TOOL ARGUMENTS`.
    pub fn call(plugin: impl AsRef<Path>, tool: &str, arguments: &str) -> Self {
        Self::new(["call"])
            .arg(plugin.as_ref())
            .arg(tool)
            .arg(arguments)
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<'a>(self, arguments: impl IntoIterator<Item = &'a str>) -> Self {
        arguments.into_iter().fold(self, Self::arg)
    }

    /// Has it started by another program, which gets these arguments and then
    /// the command line.
    #[must_use]
    pub fn under(mut self, program: &str, arguments: &[&str]) -> Self {
        self.starter = std::iter::once(program)
            .chain(arguments.iter().copied())
            .map(OsString::from)
            .collect();
        self
    }

    /// Adds `--root NAME=PATH:ACCESS`; access is `ro` or `rw`.
    #[must_use]
    pub fn root(self, name: &str, path: impl AsRef<Path>, access: &str) -> Self {
        let mut flag = OsString::from(format!("{name}="));
        flag.push(path.as_ref());
        flag.push(format!(":{access}"));
        self.arg("--root").arg(flag)
    }

    /// Adds `--grant FILE`.
    #[must_use]
    pub fn grant(self, file: impl AsRef<Path>) -> Self {
        self.arg("--grant").arg(file.as_ref())
    }

    /// Sets a variable of the host's own environment.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.environment
            .push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// Starts it in this folder instead of its home.
    #[must_use]
    pub fn in_folder(mut self, folder: impl AsRef<Path>) -> Self {
        self.folder = Some(folder.as_ref().to_owned());
        self
    }

    /// Keeps compiled code below this folder (as `XDG_CACHE_HOME`) instead of
    /// where all tests do.
    #[must_use]
    pub fn cache(mut self, folder: impl AsRef<Path>) -> Self {
        self.cache = folder.as_ref().to_owned();
        self
    }

    /// Its home, an empty folder that is gone with the last clone of this.
    #[must_use]
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Runs it to its end with nothing on its standard input.
    ///
    /// # Panics
    ///
    /// If it can't be started or does not end in time.
    #[track_caller]
    pub fn output(&self) -> Finished {
        self.start().finish()
    }

    /// Runs it to its end with files as its standard input and output.
    ///
    /// # Panics
    ///
    /// If it can't be started or does not end in time.
    #[track_caller]
    pub fn output_with(&self, stdin: impl Into<Stdio>, stdout: impl Into<Stdio>) -> Finished {
        let mut command = self.command();
        command.stdin(stdin).stdout(stdout).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the host can be started");
        let errors = child.stderr.take().map(OwnedFd::from);
        let streams = Streams {
            input: None,
            output: None,
            errors,
        };
        Session::new(Process::new(child), streams, Arc::clone(&self.home)).finish()
    }

    /// Starts it on pipes.
    ///
    /// # Panics
    ///
    /// If it can't be started.
    #[track_caller]
    pub fn start(&self) -> Session {
        self.start_on(Wiring::Pipes)
    }

    /// Starts it on other streams; standard error is a pipe in any case.
    ///
    /// # Panics
    ///
    /// If it can't be started.
    #[track_caller]
    pub fn start_on(&self, wiring: Wiring) -> Session {
        let ((child_input, input), (child_output, output)) = match wiring {
            Wiring::Pipes => {
                let (child_input, input) = pipe();
                let (output, child_output) = pipe();
                ((child_input, input), (child_output, output))
            }
            Wiring::Sockets => (sockets(), sockets()),
            Wiring::OneSocket => {
                let (child, own) = sockets();
                let again = |end: &OwnedFd| end.try_clone().expect("handles can be copied");
                ((again(&child), again(&own)), (child, own))
            }
        };
        let mut command = self.command();
        command
            .stdin(child_input)
            .stdout(child_output)
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the host can be started");
        let errors = child.stderr.take().map(OwnedFd::from);
        let streams = Streams {
            input: Some(input),
            output: Some(output),
            errors,
        };
        Session::new(Process::new(child), streams, Arc::clone(&self.home))
    }

    /// What a client's configuration says to start it: `command`, `args`,
    /// `env` and `cwd`.
    ///
    /// # Panics
    ///
    /// If one of them is not text.
    #[must_use]
    pub fn entry(&self) -> Value {
        let command = self.command();
        let text = |part: &OsStr| part.to_str().expect("it is text").to_owned();
        let args: Vec<_> = command.get_args().map(text).collect();
        let env: Map<_, _> = command
            .get_envs()
            .filter_map(|(name, value)| Some((text(name), Value::from(text(value?)))))
            .collect();
        let cwd = command
            .get_current_dir()
            .map(|folder| text(folder.as_os_str()));
        json!({"command": text(command.get_program()), "args": args, "env": env, "cwd": cwd})
    }

    /// As the standard library has it, for other ways to start it.
    pub(crate) fn command(&self) -> Command {
        let mut words = self.starter.iter().cloned();
        let program = artifacts::palisade().into_os_string();
        let mut command = match words.next() {
            None => Command::new(program),
            Some(starter) => {
                let mut command = Command::new(starter);
                command.args(words).arg(program);
                command
            }
        };
        command
            .args(&self.arguments)
            .env_clear()
            .env("HOME", self.home.path())
            .env("XDG_CACHE_HOME", &self.cache)
            .current_dir(self.folder.as_deref().unwrap_or(self.home.path()));
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command.envs(self.environment.iter().cloned());
        command
    }

    pub(crate) fn keep_home(&self) -> Arc<TempDir> {
        Arc::clone(&self.home)
    }
}

/// The end to read from, and the end to write to.
fn pipe() -> (OwnedFd, OwnedFd) {
    let (reader, writer) = std::io::pipe().expect("pipes can be made");
    (reader.into(), writer.into())
}

fn sockets() -> (OwnedFd, OwnedFd) {
    let (one, other) = UnixStream::pair().expect("sockets can be made");
    (one.into(), other.into())
}
