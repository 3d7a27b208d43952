//! Printing.

use std::io::{ErrorKind, Write as _};

use palisade_policy::Shown;

use crate::failure::Failure;

/// Prints `text` and a newline to standard output.
pub(crate) fn line(text: impl std::fmt::Display) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")
        .and_then(|()| out.flush())
        .map_err(|error| match error.kind() {
            ErrorKind::BrokenPipe => Failure::unread(),
            _ => Failure::because("standard output can't be written", &error),
        })
}

/// Prints `text` and a newline to standard error, as far as that is possible.
pub(crate) fn error_line(text: &str) {
    // There is nobody left to tell.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Replaces what steers a terminal; newlines and tabs stay.
pub(crate) fn printable(text: &str) -> String {
    Shown::Lines.of(text).into_owned()
}
