//! Asking the person at the terminal. In a pipe nobody is asked, and nothing is
//! taken for a yes.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

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
