//! What the tests of sandbox and limits share: a folder that is granted beside
//! one that is not, a way to see that nothing in either has changed, and grants
//! that set limits.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::{Palisade, Session, guest, rpc};

/// A mebibyte.
pub const MIB: u64 = 1 << 20;

/// What lies outside and must never be read.
pub const SECRET: &str = "the outside's secret";

/// `inside/` with some files, to be granted; `outside/` with a secret.
pub struct Stage {
    folder: TempDir,
}

impl Stage {
    /// Makes both.
    ///
    /// # Panics
    ///
    /// If no temporary folder can be made.
    #[must_use]
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let stage = Self { folder };
        fs::create_dir_all(stage.inside().join("sub")).unwrap();
        fs::create_dir_all(stage.outside()).unwrap();
        fs::write(stage.inside().join("a.txt"), "the inside's a").unwrap();
        fs::write(stage.inside().join("sub/b.txt"), "the inside's b").unwrap();
        fs::write(stage.outside().join("secret.txt"), SECRET).unwrap();
        stage
    }

    /// The folder that holds both.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// What is granted.
    #[must_use]
    pub fn inside(&self) -> PathBuf {
        self.path().join("inside")
    }

    /// What is not.
    #[must_use]
    pub fn outside(&self) -> PathBuf {
        self.path().join("outside")
    }

    /// A session with a guest to which the inside is granted as `/in`.
    ///
    /// # Panics
    ///
    /// If it can't be opened.
    #[must_use]
    #[track_caller]
    pub fn session(&self, name: &str, access: &str) -> Session {
        open(&Palisade::run(guest(name)).root("in", self.inside(), access))
    }
}

impl Default for Stage {
    fn default() -> Self {
        Self::new()
    }
}

/// Starts a host and opens a session.
///
/// # Panics
///
/// If it does not answer.
#[must_use]
#[track_caller]
pub fn open(command: &Palisade) -> Session {
    let mut session = command.start();
    session.initialize("2025-11-25");
    session
}

/// A command whose grant sets limits; `limits` is its section `[limits]`.
///
/// # Panics
///
/// If the grant can't be written.
#[must_use]
pub fn with_limits(command: Palisade, limits: &str) -> Palisade {
    let grant = command.home().join("grant.toml");
    fs::write(&grant, format!("[limits]\n{limits}\n")).unwrap();
    command.grant(grant)
}

/// A session with a guest whose grant sets limits.
///
/// # Panics
///
/// If it can't be opened.
#[must_use]
#[track_caller]
pub fn limited(name: &str, limits: &str) -> Session {
    open(&with_limits(Palisade::run(guest(name)), limits))
}

/// Calls a tool that must be refused; returns in which words.
///
/// # Panics
///
/// If it works, or fails in another way.
#[track_caller]
pub fn refused(session: &mut Session, tool: &str, arguments: Value) -> String {
    let shown = format!("{tool} {arguments}");
    let result = session.call(tool, arguments);
    assert_eq!(result["isError"], true, "{shown} was let through: {result}");
    let why = rpc::tool_error(&result);
    assert!(!why.is_empty(), "{shown} was refused without a word");
    assert!(!why.contains(SECRET), "{shown} tells the secret: {why}");
    // The sandbox said no: not the schema before it, no crash, no limit.
    for other in ["arguments", "crashed", "was stopped", "instance"] {
        assert!(!why.contains(other), "{shown} failed otherwise: {why}");
    }
    why
}

/// Calls a tool that must work; returns what it says.
///
/// # Panics
///
/// If it does not.
#[track_caller]
pub fn done(session: &mut Session, tool: &str, arguments: Value) -> String {
    rpc::tool_text(&session.call(tool, arguments))
}

/// Everything about a folder that a guest could change, a line for each entry:
/// path, mode, time of the last change and contents.
///
/// # Panics
///
/// If it can't be read.
#[must_use]
pub fn state_of(folder: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    collect(folder, &mut lines);
    lines.sort();
    lines
}

fn collect(path: &Path, lines: &mut Vec<String>) {
    let metadata = path.symlink_metadata().unwrap();
    let kind = metadata.file_type();
    let holds = if kind.is_symlink() {
        format!("{:?}", fs::read_link(path).unwrap())
    } else if kind.is_file() {
        String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()
    } else {
        String::new()
    };
    lines.push(format!(
        "{} {:o} {}.{} {holds}",
        path.display(),
        metadata.mode(),
        metadata.mtime(),
        metadata.mtime_nsec()
    ));
    if kind.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            collect(&entry.unwrap().path(), lines);
        }
    }
}
