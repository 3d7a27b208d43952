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
#[derive(Debug)]
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
    pub(crate) fn as_refusal(mut self) -> Self {
        self.code = REFUSED;
        self
    }

    /// Tells the person.
    pub(crate) fn report(&self) -> ExitCode {
        let mut text = format!("palisade: {}", self.message);
        if let Some(remedy) = &self.remedy {
            // Writing to a String can't fail.
            let _ = write!(text, "\n  {remedy}");
        }
        output::error_line(&text);
        ExitCode::from(self.code)
    }
}

/// An error with its causes, each told once.
fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text.push_str(": ");
            text.push_str(&next);
        }
        cause = error.source();
    }
    text
}
