//! What machine the numbers are from.

use std::fmt;
use std::fs;
use std::thread::available_parallelism;

use serde::Serialize;

/// Above this, something else runs. It is not only slower then: cores that never
/// sleep save the wake-ups that a call is mostly made of.
const BUSY: f64 = 0.5;

/// The machine, and how busy it was before the measurement.
#[derive(Debug, Serialize)]
pub(crate) struct Machine {
    cores: usize,
    processor: String,
    kernel: String,
    /// Runnable processes on average over the minute before.
    load: f64,
}

impl Machine {
    /// The machine this runs on. What it does not tell is left empty.
    pub(crate) fn here() -> Self {
        let kernel = rustix::system::uname();
        let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let processor = processors
            .lines()
            .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
            .map_or_else(String::new, |(_, name)| name.trim().to_owned());
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        Self {
            cores: available_parallelism().map_or(1, usize::from),
            processor,
            kernel: format!(
                "{} {}",
                kernel.sysname().to_string_lossy(),
                kernel.release().to_string_lossy()
            ),
            load: load
                .split_whitespace()
                .next()
                .and_then(|load| load.parse().ok())
                .unwrap_or_default(),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cores, {}", self.cores, self.kernel)?;
        if !self.processor.is_empty() {
            write!(f, ", {}", self.processor)?;
        }
        write!(f, ", load {:.2} before", self.load)?;
        if self.load > BUSY {
            f.write_str(": other work runs here, which distorts the ratios too")?;
        }
        Ok(())
    }
}
