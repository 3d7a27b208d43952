//! A person at a terminal: the host on a pseudo-terminal, answered line by line.

use std::time::Duration;

use rexpect::session::{PtySession, spawn_command};

use crate::command::Palisade;

/// How long the host may take to ask the next thing.
const PATIENCE: Duration = Duration::from_secs(60);

/// A host that a person talks to.
pub struct Terminal {
    session: PtySession,
    _command: Palisade,
}

impl Terminal {
    /// Starts it there.
    ///
    /// # Panics
    ///
    /// If it can't be started.
    #[must_use]
    pub fn start(command: &Palisade) -> Self {
        let mut starts = command.command();
        // A terminal that can do more than lines, and no colours.
        starts.env("TERM", "xterm").env("NO_COLOR", "1");
        let patience = u64::try_from(PATIENCE.as_millis()).ok();
        Self {
            session: spawn_command(starts, patience).expect("the host can be started"),
            _command: command.clone(),
        }
    }

    /// Waits until it shows this; returns what it has shown before.
    ///
    /// # Panics
    ///
    /// If it does not.
    #[track_caller]
    pub fn until(&mut self, shows: &str) -> String {
        match self.session.exp_string(shows) {
            Ok(before) => before,
            Err(error) => panic!("it does not show {shows:?}: {error}"),
        }
    }

    /// Types a line.
    ///
    /// # Panics
    ///
    /// If nobody reads it.
    pub fn types(&mut self, line: &str) {
        self.session.send_line(line).expect("it reads");
    }

    /// Types something without ending the line.
    ///
    /// # Panics
    ///
    /// If nobody reads it.
    pub fn types_only(&mut self, text: &str) {
        self.session.send(text).expect("it reads");
        self.session.flush().expect("it reads");
    }

    /// Waits for its end; returns what it still shows.
    ///
    /// # Panics
    ///
    /// If it does not end.
    pub fn end(mut self) -> String {
        self.session.exp_eof().expect("it ends")
    }
}
