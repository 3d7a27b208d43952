//! The servers that are measured, and how each is started.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};

use crate::args::{Args, Name};
use crate::npm;
use crate::watchdog::Watchdog;

/// One server and its command line.
#[derive(Debug)]
pub(crate) struct Contender {
    pub(crate) kind: Name,
    pub(crate) program: PathBuf,
    arguments: Vec<OsString>,
    /// A directory of its own for what it keeps, its caches among it.
    pub(crate) home: PathBuf,
}

impl Contender {
    /// The server of this kind, to serve `directory`. What is missing is named,
    /// with what to do; the npm server is installed.
    pub(crate) fn new(
        kind: Name,
        args: &Args,
        directory: &Path,
        home: PathBuf,
        watchdog: &Watchdog,
    ) -> anyhow::Result<Self> {
        let (program, arguments) = match kind {
            Name::Palisade => {
                let mut root = OsString::from("bench=");
                root.push(directory);
                root.push(":rw");
                let hint = "build it with `cargo xtask build --release`, or leave it out: --only native,npm";
                let plugin = present(&args.plugin, hint)?;
                let arguments = vec!["run".into(), plugin.into(), "--root".into(), root];
                (present(&args.palisade, hint)?, arguments)
            }
            Name::Native => {
                let hint = "build it with `cargo build --release --package palisade-peer-native`";
                (present(&args.native, hint)?, vec![directory.into()])
            }
            Name::Npm => {
                let entry = npm::install(&args.npm_dir, watchdog)?;
                // node itself: npx would add its own start to the server's.
                ("node".into(), vec![entry.into(), directory.into()])
            }
        };
        Ok(Self {
            kind,
            program,
            arguments,
            home,
        })
    }

    /// Whether the server knows the stateless revision. The npm server's SDK
    /// does not.
    pub(crate) fn stateless(&self) -> bool {
        self.kind != Name::Npm
    }

    /// The command, in an environment that is the same for all and in which
    /// nothing of the person's own configuration is found.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        for name in ["CACHE", "CONFIG", "DATA", "STATE"] {
            let value = self.home.join(name.to_ascii_lowercase());
            command.env(format!("XDG_{name}_HOME"), value);
        }
        for name in [
            "RUST_LOG",
            "RUST_BACKTRACE",
            "TOKIO_WORKER_THREADS",
            "NODE_OPTIONS",
        ] {
            command.env_remove(name);
        }
        command
    }

    /// Forgets all that earlier starts kept.
    pub(crate) fn forget(&self) -> anyhow::Result<()> {
        if self.home.exists() {
            fs::remove_dir_all(&self.home)
                .with_context(|| format!("{} can't be emptied", self.home.display()))?;
        }
        fs::create_dir_all(&self.home)
            .with_context(|| format!("{} can't be made", self.home.display()))
    }
}

fn present(file: &Path, hint: &str) -> anyhow::Result<PathBuf> {
    if !file.is_file() {
        bail!("{} is not there\n  {hint}", file.display());
    }
    file.canonicalize()
        .with_context(|| format!("{} can't be found", file.display()))
}
