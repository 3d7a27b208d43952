//! A process gives up what it will not need.
//!
//! WebAssembly is the first wall between a plugin and the machine. This is the
//! second one, for the day on which the first has a hole: the kernel itself is
//! told which files this process still needs, and that it starts no programs,
//! opens no connections and makes no new machine code. Nothing of it can be
//! taken back.
//!
//! On Linux it is made of Landlock, which knows files, and seccomp, which knows
//! system calls. Landlock holds for the calling thread and those it starts
//! later, so [`restrict`] belongs before every thread that runs a guest or
//! reads what a client sends; seccomp holds for all threads.

use std::path::PathBuf;

#[cfg(target_os = "linux")]
mod linux;

/// What a process still needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wall {
    /// Files, and directories with all below them, that are read.
    pub readable: Vec<PathBuf>,
    /// Files, and directories with all below them, that are changed as well.
    pub writable: Vec<PathBuf>,
    /// Connections are made. What listens already goes on either way.
    pub network: bool,
    /// Machine code is made: something is compiled.
    pub new_code: bool,
}

/// What stands now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Active {
    /// The part that knows files.
    pub landlock: Part,
    /// The part that knows system calls.
    pub seccomp: Part,
    /// Threads that ran already and that Landlock does not hold for.
    pub outside: usize,
}

/// One of the two parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// It holds; in words, what of it.
    Holds(String),
    /// This system does not have it; why, as the end of a sentence.
    Missing(String),
}

/// The system has the means and they could not be used as they should be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Something that is to stay within reach can't be opened.
    #[error("{} can't be kept within reach", .path.display())]
    Path {
        /// What it is.
        path: PathBuf,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Landlock is there and refuses.
    #[error("the kernel refused to restrict access to files (Landlock)")]
    Landlock(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The list of system calls could not be made.
    #[error("the list of forbidden system calls is wrong; this is a bug in Palisade")]
    Seccomp(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// There is no thread to try it on.
    #[error("it can't be tried what this system can do: {0}")]
    Probe(String),
}

/// Gives up everything but what `wall` names, for this thread and all that it
/// starts from now on; what seccomp does, for those that run already as well.
/// Handles that are open stay usable.
///
/// # Errors
///
/// [`Error`] if the system has the means but they can't be used. That it does
/// not have them is no error: [`Active`] says so.
pub fn restrict(wall: &Wall) -> Result<Active, Error> {
    #[cfg(target_os = "linux")]
    return linux::restrict(wall);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = wall;
        let missing = || Part::Missing("only Linux has it".to_owned());
        Ok(Active {
            landlock: missing(),
            seccomp: missing(),
            outside: 0,
        })
    }
}

/// What would stand if this process gave up everything: it is tried, on a thread
/// of its own, and nothing of it is left afterwards.
///
/// # Errors
///
/// As [`restrict`].
pub fn probe() -> Result<Active, Error> {
    #[cfg(target_os = "linux")]
    return linux::probe();
    #[cfg(not(target_os = "linux"))]
    restrict(&Wall::default())
}

impl Part {
    /// Whether it holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        matches!(self, Self::Holds(_))
    }
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Holds(what) => f.write_str(what),
            Self::Missing(why) => write!(f, "missing: {why}"),
        }
    }
}

impl Active {
    /// Whether both parts hold, for all threads.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.missing().is_none()
    }

    /// What is missing, in words.
    #[must_use]
    pub fn missing(&self) -> Option<String> {
        let parts = [("Landlock", &self.landlock), ("seccomp", &self.seccomp)];
        let mut missing: Vec<_> = parts
            .into_iter()
            .filter_map(|(name, part)| match part {
                Part::Holds(_) => None,
                Part::Missing(why) => Some(format!("{name} ({why})")),
            })
            .collect();
        if self.landlock.holds() && self.outside > 0 {
            missing.push(format!("Landlock for {} threads", self.outside));
        }
        (!missing.is_empty()).then(|| missing.join(" and "))
    }
}
