//! Printing.

use std::io::{ErrorKind, IsTerminal, Write as _};

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

/// The same of what has to stay in its line, where another one could be taken for
/// one of ours.
pub(crate) fn one_line(text: &str) -> String {
    Shown::OneLine.of(text).into_owned()
}

/// Whether what is written there may be in colour: a person looks at it, and
/// has not said otherwise.
pub(crate) fn has_colour(stream: &impl IsTerminal) -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    stream.is_terminal() && !is_set("NO_COLOR") && !dumb
}

/// One line of text in red, if it may be in colour.
pub(crate) fn red(line: &str, colour: bool) -> String {
    match colour {
        true => format!("\u{1b}[31m{line}\u{1b}[0m"),
        false => line.to_owned(),
    }
}
