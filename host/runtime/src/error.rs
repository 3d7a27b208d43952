//! What can go wrong, typed. Each message is one sentence for a person;
//! causes are kept as `source`.

use std::path::PathBuf;
use std::time::Duration;

use palisade_policy::units::{format_duration, format_size};
use serde::{Deserialize, Serialize};

mod cause;

pub use cause::Cause;

/// The engine can't be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// wasmtime refuses to run on this machine.
    #[error("WebAssembly can't be run on this machine")]
    Unusable(#[source] wasmtime::Error),
    /// The host's own functions could not be linked.
    #[error("the host's own functions could not be linked; this is a bug in Palisade")]
    Link(#[source] wasmtime::Error),
    /// No thread could be started.
    #[error("no thread could be started to watch over time limits")]
    Ticker(#[source] std::io::Error),
    /// No runtime for overlapping calls could be started.
    #[error("no threads could be started to run calls side by side")]
    Pool(#[source] std::io::Error),
}

/// A file can't become a [`Plugin`](crate::Plugin).
#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
#[non_exhaustive]
pub enum LoadError {
    /// The file can't be read as a whole.
    #[error("it can't be read")]
    #[serde(skip)]
    Read(#[source] std::io::Error),
    /// What was hashed is not what was read.
    #[error("it was changed while it was being read; try again")]
    Changed,
    /// The bytes are not WebAssembly, or no component.
    #[error("{0}")]
    NotAComponent(String),
    /// The component does not pass validation or can't be compiled.
    #[error("it is not a valid component: {}", .0.root())]
    Compile(#[source] Cause),
    /// Compiling took too long, or would have.
    #[error("compiling it takes longer than {}", duration(.0))]
    CompileTime(Duration),
    /// Compiling took too much memory, or would have.
    #[error("compiling it needs more memory than {}", size(.0))]
    CompileMemory(u64),
    /// The process in which plugins are compiled could not be started.
    #[error("no process to compile it in could be started")]
    #[serde(skip)]
    NoCompiler(#[source] std::io::Error),
    /// The process in which it was compiled broke off.
    #[error("the process that compiled it broke off ({0})")]
    CompilerDied(String),
    /// The component imports something the host does not offer.
    #[error("it needs {import}, which this host does not offer")]
    UnknownImport {
        /// The interface or function, as the component names it.
        import: String,
    },
    /// An import exists here but with another type.
    #[error("it needs {import} with another type than this host offers")]
    ImportType {
        /// The interface or function, as the component names it.
        import: String,
        /// What wasmtime says of the difference.
        source: Cause,
    },
    /// Nothing the component exports can be served.
    #[error("it offers nothing that can be served: {found}")]
    NothingToServe {
        /// What it exports instead, in words.
        found: String,
    },
    /// The component could not be linked for another reason.
    #[error("it can't be linked: {}", .0.root())]
    Link(#[source] Cause),
    /// An exported function takes or gives something else than the contract says.
    #[error("its function {export} has another type than palisade:mcp says")]
    ExportType {
        /// The function, with its interface.
        export: String,
        /// What wasmtime says of the difference.
        source: Cause,
    },
    /// The plugin failed when it was asked what it offers.
    #[error("it failed when asked what it offers")]
    Listing(#[source] Cause),
    /// What it says it offers is unusable.
    #[error("what it offers is unusable: {0}")]
    BadListing(String),
    /// Its JSON Schemas can't be used.
    #[error("{0}")]
    BadSchema(String),
    /// The manifest it carries can't be read out of it.
    #[error("the manifest inside it can't be read: {0}")]
    BadManifestSection(String),
    /// What a granted directory hides can't be understood.
    #[error("the folder {root} {source}")]
    #[serde(skip)]
    Hide {
        /// The directory's name.
        root: String,
        /// What is wrong.
        source: palisade_policy::PatternError,
    },
    /// A granted directory or file can't be opened.
    #[error("{} can't be opened", .path.display())]
    #[serde(skip)]
    Root {
        /// The directory or file, as granted.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A granted path is something else than a directory.
    #[error("{} is not a directory", .0.display())]
    RootIsNoDirectory(PathBuf),
    /// What is granted as a single file is something else.
    #[error("{} is not a file", .0.display())]
    RootIsNoFile(PathBuf),
}

/// A limit of `[limits]` (or a fixed one) that a call ran into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// Bytes of linear memory.
    Memory(u64),
    /// Wall clock of one call.
    CallTime(Duration),
    /// CPU time of one call.
    CpuTime(Duration),
    /// Bytes of one result.
    Output(u64),
    /// Host resources (open files, streams, timers) held at once.
    Handles(u32),
    /// Bytes of stack.
    Stack(u64),
    /// Elements of tables, all together.
    TableElements(u32),
    /// Random bytes asked for at once.
    RandomBytes(u64),
    /// Entries of listed directories held at once.
    DirectoryEntries(u32),
    /// Header fields of one request, in bytes with what they take beside.
    Headers(u64),
}

/// Carries a limit through wasmtime's error.
#[derive(Debug, thiserror::Error)]
#[error("limit of {0}")]
pub(crate) struct Exceeded(pub(crate) Limit);

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Memory(bytes) => write!(f, "memory ({})", format_size(*bytes)),
            Self::CallTime(time) => write!(f, "call-time ({})", format_duration(*time)),
            Self::CpuTime(time) => write!(f, "cpu-time ({})", format_duration(*time)),
            Self::Output(bytes) => write!(f, "output ({})", format_size(*bytes)),
            Self::Handles(count) => write!(f, "handles ({count} at once)"),
            Self::Stack(bytes) => write!(f, "stack ({})", format_size(*bytes)),
            Self::TableElements(count) => write!(f, "table elements ({count})"),
            Self::RandomBytes(bytes) => {
                write!(f, "random bytes ({} at once)", format_size(*bytes))
            }
            Self::Headers(bytes) => {
                write!(f, "headers ({} in one request)", format_size(*bytes))
            }
            Self::DirectoryEntries(count) => write!(f, "directory entries ({count} at once)"),
        }
    }
}

/// A call has no outcome.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The call went over a limit and was stopped.
    #[error("the call was stopped: it went over its limit of {0}")]
    Limit(Limit),
    /// As many calls run and wait as may.
    #[error("the plugin is busy: {0} calls are running and as many are waiting; try again")]
    Busy(u32),
    /// The instances of other plugins take all the room there is.
    #[error("there is no room for another instance beside those of other plugins; try again")]
    NoRoom,
    /// The caller cancelled it.
    #[error("the call was cancelled")]
    Cancelled,
    /// What it was granted is not granted any more.
    #[error("the call was stopped: what the plugin is granted has changed")]
    Revoked,
    /// The guest trapped (a panic, an unreachable instruction, an overflow).
    #[error("the plugin crashed: {}", root_cause(.0))]
    Trap(#[source] wasmtime::Error),
    /// The guest ended itself instead of answering.
    #[error("the plugin ended itself (exit code {0}) instead of answering")]
    Exit(i32),
    /// The host could not make an instance.
    #[error("no instance of the plugin could be made: {}", root_cause(.0))]
    Instantiate(#[source] wasmtime::Error),
    /// The host itself failed.
    #[error("the host failed to run the call")]
    Host(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The plugin does not export the interface that the call is for.
    #[error("the plugin does not offer {0}")]
    NotOffered(&'static str),
    /// The plugin does not want to run with its configuration.
    #[error("the plugin refused to start: {0}")]
    Start(String),
    /// The plugin's answer is one that no client could use.
    #[error("the plugin's answer is unusable: {0}")]
    BadAnswer(String),
    /// The plugin answered with an error of its own.
    #[error("{message}")]
    Plugin {
        /// What kind of error.
        kind: crate::contract::ErrorKind,
        /// The plugin's sentence.
        message: String,
        /// The plugin's data, JSON text.
        data: Option<String>,
    },
}

/// Compiled code can't be kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The directory can't be made or opened.
    #[error("the cache directory {} can't be used", .path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Somebody else could write compiled code there.
    #[error(
        "the cache directory {} could be written by another user ({why}); \
         make it yours alone (chmod 700) or set XDG_CACHE_HOME to another place",
        .path.display()
    )]
    NotPrivate {
        /// The directory.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
}

fn duration(duration: &Duration) -> String {
    format_duration(*duration)
}

fn size(bytes: &u64) -> String {
    format_size(*bytes)
}

/// The innermost cause, which in wasmtime's chains is the one that says most.
fn root_cause(error: &wasmtime::Error) -> String {
    error.root_cause().to_string()
}
