//! What can go wrong, in the words the reference server uses where it has
//! words for it: clients and models have seen those texts before.

use crate::disk::{self, Reason};
use crate::roots::Place;

/// Why a call did not work. The text is what the model reads.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The path is in no granted directory.
    #[error("Access denied - path outside allowed directories: {path} not in {allowed}")]
    Outside {
        /// The path after `..` has been worked out.
        path: String,
        /// The granted directories, comma-separated.
        allowed: String,
    },
    /// The path is in a granted directory, but a link on it leads out.
    #[error("Access denied - symlink target outside allowed directories: {path} not in {allowed}")]
    LeadsOut {
        /// The path as requested.
        path: String,
        /// The granted directories, comma-separated.
        allowed: String,
    },
    /// Nothing is granted at all.
    #[error("Access denied - no directory is granted to this plugin")]
    NothingGranted,
    /// A change was asked for where only reading is granted.
    #[error("Access denied - {root} is granted read-only, so {path} cannot be changed")]
    ReadOnly {
        /// The granted directory.
        root: String,
        /// The path as requested.
        path: String,
    },
    /// The operating system said no.
    #[error("{code}: {text}, {call}{at}")]
    System {
        /// The POSIX name, `ENOENT` for example.
        code: &'static str,
        /// What the code means.
        text: &'static str,
        /// The operation that failed.
        call: &'static str,
        /// ` 'PATH'`, ` 'FROM' -> 'TO'`, or nothing.
        at: String,
    },
    /// The operating system said something that has no POSIX name here.
    #[error("Could not {call}{at}: {cause}")]
    Other {
        /// The operation that failed.
        call: &'static str,
        /// As in [`Failure::System`].
        at: String,
        /// What the operating system said.
        cause: String,
    },
    /// More than one answer may hold.
    #[error(
        "{path} does not fit into this answer: it has {size}, and there is room for about {room}. \
         read_text_file with head or tail, a number of lines, reads a part of a text"
    )]
    TooLarge {
        /// The path as requested.
        path: String,
        /// How large it is.
        size: String,
        /// How much would fit.
        room: String,
    },
    /// The client no longer waits for the answer.
    #[error("The call was cancelled")]
    Cancelled,
    /// Anything with a sentence of its own.
    #[error("{0}")]
    Refused(String),
}

impl Failure {
    /// Names the operation and the path an error belongs to.
    pub(crate) fn disk(error: disk::Error, call: &'static str, place: &Place<'_>) -> Self {
        let at = format!(" '{}'", place.shown());
        Self::new(error, call, at, place)
    }

    /// As [`Failure::disk`], for an operation on two paths.
    pub(crate) fn disk_pair(
        error: disk::Error,
        call: &'static str,
        from: &Place<'_>,
        to: &Place<'_>,
    ) -> Self {
        let at = format!(" '{}' -> '{}'", from.shown(), to.shown());
        Self::new(error, call, at, from)
    }

    /// As [`Failure::disk`], where the system would not name the path.
    pub(crate) fn nameless(reason: Reason, call: &'static str) -> Self {
        Self::posix(reason, call, String::new())
    }

    fn new(error: disk::Error, call: &'static str, at: String, place: &Place<'_>) -> Self {
        match error {
            disk::Error::Outside => Self::Outside {
                path: place.shown(),
                allowed: place.allowed(),
            },
            disk::Error::NotPermitted => Self::LeadsOut {
                path: place.shown(),
                allowed: place.allowed(),
            },
            disk::Error::Posix(reason) => Self::posix(reason, call, at),
            disk::Error::Other(cause) => Self::Other { call, at, cause },
        }
    }

    fn posix(reason: Reason, call: &'static str, at: String) -> Self {
        let (code, text) = reason.words();
        Self::System {
            code,
            text,
            call,
            at,
        }
    }
}
