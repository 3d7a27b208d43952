//! What is left of a command that has run.

use serde_json::Value;

/// A process that has ended, and all it wrote.
#[derive(Debug)]
pub struct Finished {
    /// Its exit code; none where a signal ended it.
    pub code: Option<i32>,
    /// All of standard output that had not been looked at before.
    pub stdout: String,
    /// All of standard error.
    pub stderr: String,
}

impl Finished {
    /// Standard output as one JSON value.
    ///
    /// # Panics
    ///
    /// If it is none.
    #[track_caller]
    pub fn json(&self) -> Value {
        match serde_json::from_str(&self.stdout) {
            Ok(value) => value,
            Err(error) => panic!("standard output is not JSON ({error}): {self:?}"),
        }
    }

    /// Standard output as JSON values, one a line.
    ///
    /// # Panics
    ///
    /// If a line is none.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        self.stdout
            .lines()
            .map(|line| match serde_json::from_str(line) {
                Ok(value) => value,
                Err(error) => panic!("a line of standard output is not JSON ({error}): {line}"),
            })
            .collect()
    }

    /// This, if it ended with success.
    ///
    /// # Panics
    ///
    /// If it did not.
    #[track_caller]
    pub fn success(self) -> Self {
        assert_eq!(self.code, Some(0), "it failed: {self:?}");
        self
    }
}
