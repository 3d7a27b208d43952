//! Asking the person at the terminal. In a pipe nobody is asked, and nothing is
//! taken for a yes.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::config::{Behavior, Config};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{Editor, Helper};

use crate::failure::Failure;

/// Longest answer that is read, in bytes.
const LONGEST: u64 = 4096;

/// Whether somebody can be asked: both ends are a terminal.
pub(crate) fn is_there() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks for a yes or a no, where no answer is a no. None if there is nobody to
/// ask.
pub(crate) fn yes(question: &str) -> Result<Option<bool>, Failure> {
    let Some(answer) = line(&format!("{question} [y/N] "))? else {
        return Ok(None);
    };
    let answer = answer.trim();
    Ok(Some(
        answer.eq_ignore_ascii_case("y") || answer.eq_ignore_ascii_case("yes"),
    ))
}

/// Asks for a line. None if there is nobody to ask; empty at the end of input.
pub(crate) fn line(prompt: &str) -> Result<Option<String>, Failure> {
    if !is_there() {
        return Ok(None);
    }
    let failed = |error: std::io::Error| Failure::because("the terminal can't be used", &error);
    let mut terminal = std::io::stderr();
    terminal.write_all(prompt.as_bytes()).map_err(failed)?;
    terminal.flush().map_err(failed)?;
    let mut answer = String::new();
    let mut input = std::io::Read::take(std::io::stdin().lock(), LONGEST);
    input.read_line(&mut answer).map_err(failed)?;
    Ok(Some(answer))
}

/// Asks for a path, which the tab key completes. None if there is nobody to ask.
pub(crate) fn path(prompt: &str) -> Result<Option<String>, Failure> {
    if !is_there() {
        return Ok(None);
    }
    let failed = |error: ReadlineError| Failure::because("the terminal can't be used", &error);
    let config = Config::builder()
        .auto_add_history(false)
        .behavior(Behavior::PreferTerm)
        .build();
    let mut editor: Editor<Paths, MemHistory> =
        Editor::with_history(config, MemHistory::new()).map_err(failed)?;
    editor.set_helper(Some(Paths(FilenameCompleter::new())));
    match editor.readline(prompt) {
        Ok(line) => Ok(Some(line)),
        Err(ReadlineError::Eof) => Ok(Some(String::new())),
        Err(ReadlineError::Interrupted) => Err(Failure::new(
            "nothing was done: you ended it at the terminal",
        )),
        Err(error) => Err(failed(error)),
    }
}

/// Completes paths, and does nothing else.
struct Paths(FilenameCompleter);

impl Completer for Paths {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        place: usize,
        context: &rustyline::Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        self.0.complete(line, place, context)
    }
}

impl Hinter for Paths {
    type Hint = String;
}

impl Highlighter for Paths {}

impl Validator for Paths {}

impl Helper for Paths {}

/// Writes one line over the last one.
pub(crate) fn status(line: &str) {
    let mut terminal = std::io::stderr();
    // There is nobody left to tell.
    let _ = write!(terminal, "\r\u{1b}[2K{}", crate::output::printable(line));
    let _ = terminal.flush();
}
