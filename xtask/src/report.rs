//! What a person sees of the steps: a heading for each, how long it took, and
//! all of them in a table at the end.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use anyhow::Result;

/// Prints steps as they run and remembers how they went. Everything goes to
/// standard error, beside what the tools themselves say.
pub(crate) struct Report {
    begun: Instant,
    colour: bool,
    steps: Vec<Step>,
}

struct Step {
    name: String,
    took: Duration,
    passed: bool,
}

impl Report {
    /// An empty report, its clock started.
    pub(crate) fn new() -> Self {
        let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        Self {
            begun: Instant::now(),
            colour,
            steps: Vec::new(),
        }
    }

    /// Runs one step and prints its name and duration.
    ///
    /// # Errors
    /// The step's own.
    pub(crate) fn step<T>(&mut self, name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        eprintln!("{}", self.paint("1", &format!("── {name}")));
        let begun = Instant::now();
        let result = work();
        let step = Step {
            name: name.to_owned(),
            took: begun.elapsed(),
            passed: result.is_ok(),
        };
        eprintln!("{}", self.line(&step, 0));
        self.steps.push(step);
        result
    }

    /// Whether a step has failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.steps.iter().any(|step| !step.passed)
    }

    /// Prints all steps with their durations.
    pub(crate) fn table(&self) {
        eprintln!();
        let width = self
            .steps
            .iter()
            .map(|step| step.name.chars().count())
            .max()
            .unwrap_or_default();
        for step in &self.steps {
            eprintln!("{}", self.line(step, width));
        }
        eprintln!("  in all {}", duration(self.begun.elapsed()));
    }

    fn line(&self, step: &Step, width: usize) -> String {
        let mark = if step.passed {
            self.paint("32", "✓")
        } else {
            self.paint("31", "✗")
        };
        format!("{mark} {:width$}  {}", step.name, duration(step.took))
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.colour {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}
