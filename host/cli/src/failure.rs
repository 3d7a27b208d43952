//! How a command fails in front of a person.

use std::error::Error;
use std::fmt::Write as _;
use std::process::ExitCode;

use palisade_policy::PolicyError;

use crate::output;

/// Exit code when something did not work.
const FAILED: u8 = 1;
/// Exit code when the command line is wrong (clap uses the same).
const USAGE: u8 = 2;
/// Exit code when the permission does not allow it.
const REFUSED: u8 = 3;

/// One clear sentence, what to do about it, and an exit code.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    message: String,
    remedy: Option<String>,
    code: u8,
}

impl Failure {
    /// Something did not work.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            remedy: None,
            code: FAILED,
        }
    }

    /// The command line asks for something that makes no sense.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            code: USAGE,
            ..Self::new(message)
        }
    }

    /// `what` failed because of `error`, whose causes are told as well.
    pub(crate) fn because(what: impl std::fmt::Display, error: &(dyn Error + 'static)) -> Self {
        Self::new(format!("{what}: {}", chain(error)))
    }

    /// The permission does not allow `what`.
    pub(crate) fn refused(what: impl std::fmt::Display, error: &PolicyError) -> Self {
        Self {
            code: REFUSED,
            ..Self::because(what, error)
        }
    }

    /// Says what to do.
    pub(crate) fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// Makes this a refusal by policy.
    pub(crate) fn into_refusal(mut self) -> Self {
        self.code = REFUSED;
        self
    }

    /// Whether the command line is wrong.
    pub(crate) fn is_usage(&self) -> bool {
        self.code == USAGE
    }

    /// Whether the permission does not allow it.
    pub(crate) fn is_refusal(&self) -> bool {
        self.code == REFUSED
    }

    /// Its sentence, on one line.
    pub(crate) fn sentence(&self) -> String {
        output::printable(self.message.lines().next().unwrap_or_default())
    }

    /// Nobody reads standard output any more, which is the reader's choice.
    pub(crate) fn unread() -> Self {
        Self::new("")
    }

    /// Tells the person.
    pub(crate) fn report(&self) -> ExitCode {
        if self.message.is_empty() {
            return ExitCode::from(self.code);
        }
        let mut text = format!("palisade: {}", self.message);
        if let Some(remedy) = &self.remedy {
            // Writing to a String can't fail.
            let _ = write!(text, "\n  {remedy}");
        }
        output::error_line(&output::printable(&text));
        ExitCode::from(self.code)
    }
}

/// Tells what is wrong with a command line, or what was asked of it.
pub(crate) fn of_arguments(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Help, or the version.
        return match output::line(error.render().to_string().trim_end()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => failure.report(),
        };
    }
    let text = error.render().to_string();
    let told: Vec<_> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:"))
        .filter(|line| !line.is_empty() && !line.starts_with("For more information"))
        .collect();
    let (first, rest) = told
        .split_first()
        .unwrap_or((&"the command line can't be read", &[]));
    let mut message = first.trim_start_matches("error: ").to_owned();
    let mut remedy = rest.join(" ");
    if message.ends_with(':') {
        message = format!("{message} {remedy}");
        remedy.clear();
    }
    if remedy.is_empty() {
        remedy = format!("see `{} --help`", command_of(&text));
    }
    Failure::usage(output::printable(&message))
        .remedy(output::printable(remedy.trim_start_matches("tip: ")))
        .report()
}

/// The command that the usage in `text` is of, with its subcommands.
fn command_of(text: &str) -> String {
    let usage = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("Usage: "));
    let words = usage.unwrap_or("palisade").split(' ');
    let own = |word: &&str| {
        word.starts_with(|first: char| first.is_ascii_lowercase())
            && word
                .chars()
                .all(|one| one.is_ascii_lowercase() || one == '-')
    };
    words.take_while(own).collect::<Vec<_>>().join(" ")
}

/// The text without the number the system has for it.
fn without_number(text: &str) -> String {
    match text.split_once(" (os error ") {
        Some((before, after)) => {
            let rest = after.split_once(')').map_or("", |(_, rest)| rest);
            format!("{before}{rest}")
        }
        None => text.to_owned(),
    }
}

/// An error with its causes, each told once.
fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = without_number(&error.to_string());
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = without_number(&error.to_string());
        if !text.contains(&next) {
            text.push_str(": ");
            text.push_str(&next);
        }
        cause = error.source();
    }
    text
}
