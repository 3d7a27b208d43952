//! How much a plugin may use.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use crate::error::ParseError;
use crate::keys;
use crate::parse::{Item, Table};
use crate::units::{format_duration, format_size, parse_duration, parse_size};

const MEMORY: RangeInclusive<u64> = 1 << 20..=4 << 30;
const TIME: RangeInclusive<Duration> = Duration::from_millis(10)..=Duration::from_hours(24);
const OUTPUT: RangeInclusive<u64> = 1 << 10..=1 << 30;
const CONCURRENCY: RangeInclusive<u32> = 1..=256;

/// The `[limits]` of a manifest (what is asked) or of a grant (the ceiling).
/// `None` where nothing is said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LimitsRequest {
    /// Linear memory of one call, in bytes; 1 MiB to 4 GiB.
    pub memory: Option<u64>,
    /// Wall clock of one call, not counting time spent waiting for a person;
    /// 10 ms to 24 h.
    pub call_time: Option<Duration>,
    /// Processor time of one call; 10 ms to 24 h.
    pub cpu_time: Option<Duration>,
    /// Result of one call, in bytes; 1 KiB to 1 GiB.
    pub output: Option<u64>,
    /// Calls running at the same time; 1 to 256.
    pub concurrency: Option<u32>,
}

impl LimitsRequest {
    pub(crate) fn parse(table: &Table<'_>) -> Result<Self, ParseError> {
        table.only(&keys::LIMITS.names(), &[])?;
        let size = |key, example, bounds| {
            (table.get(key))
                .map(|item| {
                    bounded(
                        &item,
                        parse_size(item.string(example)?),
                        bounds,
                        format_size,
                    )
                })
                .transpose()
        };
        let time = |key, example| {
            (table.get(key))
                .map(|item| {
                    bounded(
                        &item,
                        parse_duration(item.string(example)?),
                        TIME,
                        format_duration,
                    )
                })
                .transpose()
        };
        let concurrency = |item: Item<'_>| {
            let number = item.integer("concurrency = 16")?;
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            bounded(&item, Ok(number), CONCURRENCY, |number| number.to_string())
        };
        Ok(Self {
            memory: size("memory", "memory = \"64 MiB\"", MEMORY)?,
            call_time: time("call-time", "call-time = \"30 s\"")?,
            cpu_time: time("cpu-time", "cpu-time = \"5 s\"")?,
            output: size("output", "output = \"4 MiB\"", OUTPUT)?,
            concurrency: table.get("concurrency").map(concurrency).transpose()?,
        })
    }

    /// These limits with every one that `other` sets replaced.
    pub(crate) fn overridden_by(self, other: Self) -> Self {
        Self {
            memory: other.memory.or(self.memory),
            call_time: other.call_time.or(self.call_time),
            cpu_time: other.cpu_time.or(self.cpu_time),
            output: other.output.or(self.output),
            concurrency: other.concurrency.or(self.concurrency),
        }
    }
}

pub(crate) fn memory_bounds() -> String {
    range(&MEMORY, format_size)
}

pub(crate) fn time_bounds() -> String {
    range(&TIME, format_duration)
}

pub(crate) fn output_bounds() -> String {
    range(&OUTPUT, format_size)
}

pub(crate) fn concurrency_bounds() -> String {
    range(&CONCURRENCY, |number| number.to_string())
}

/// "1 KiB to 1 GiB".
pub(crate) fn range<T: Copy>(bounds: &RangeInclusive<T>, show: impl Fn(T) -> String) -> String {
    format!("{} to {}", show(*bounds.start()), show(*bounds.end()))
}

/// Refuses a value that was not understood or lies outside its bounds.
pub(crate) fn bounded<T: PartialOrd + Copy>(
    item: &Item<'_>,
    value: Result<T, crate::units::UnitError>,
    bounds: RangeInclusive<T>,
    show: impl Fn(T) -> String,
) -> Result<T, ParseError> {
    let range = || range(&bounds, &show);
    match value {
        Ok(value) if bounds.contains(&value) => Ok(value),
        Ok(value) => {
            let side = if value < *bounds.start() {
                "small"
            } else {
                "large"
            };
            Err(item.error(&format!("is too {side}"), format!("possible: {}", range())))
        }
        Err(crate::units::UnitError::TooLarge) => {
            Err(item.error("is too large", format!("possible: {}", range())))
        }
        Err(error) => Err(item.error(&format!("is {error}"), format!("possible: {}", range()))),
    }
}

/// The limits that hold, all of them set.
///
/// [`Default`] is what a plugin gets that asks for nothing and whose grant says
/// nothing. Those below `concurrency` can be neither asked for nor granted: they bound what
/// the host itself spends on a guest, far above what real plugins need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Linear memory of one call, all its memories together, in bytes. 64 MiB.
    pub memory: u64,
    /// Wall clock of one call, not counting time spent waiting for a person.
    /// 30 s.
    pub call_time: Duration,
    /// Processor time of one call. 5 s.
    pub cpu_time: Duration,
    /// Result of one call as a client gets it, in bytes. 4 MiB.
    pub output: u64,
    /// Calls running at the same time. 16.
    pub concurrency: u32,
    /// Bytes of log messages, and the same again of stdout and stderr, kept of
    /// one call, in at most a thousand messages and lines; the rest is dropped.
    /// 64 KiB.
    pub log: u64,
    /// Core module instances in one component instance. 64: a component built
    /// from one program has about five, composed ones a multiple of that.
    pub instances: u32,
    /// Linear memories in one component instance. 8.
    pub memories: u32,
    /// Tables in one component instance. 64.
    pub tables: u32,
    /// Elements of all tables of one component instance together. 100 000:
    /// embedded language interpreters have some ten thousand functions.
    pub table_elements: u32,
    /// Host resources (open files, streams, pollables) held at once. 1024, or
    /// fewer where the system lets a process open few files.
    pub handles: u32,
    /// Entries of listed directories held at once. 100 000.
    pub directory_entries: u32,
    /// Random bytes asked for at once. 1 MiB.
    pub random: u64,
}

/// How many times `output` a tool's result may be before the call fails.
const CEILING: u64 = 8;

/// What that is at most, in bytes, unless `output` itself is more. 64 MiB.
const MOST: u64 = 64 << 20;

impl Limits {
    /// How large a tool's result may be at all, in bytes. What is above
    /// [`Self::output`] a client gets only if it asks for it.
    #[must_use]
    pub fn result_ceiling(&self) -> u64 {
        self.output
            .saturating_mul(CEILING)
            .min(MOST)
            .max(self.output)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: 64 << 20,
            call_time: Duration::from_secs(30),
            cpu_time: Duration::from_secs(5),
            output: 4 << 20,
            concurrency: 16,
            log: 64 << 10,
            instances: 64,
            memories: 8,
            tables: 64,
            table_elements: 100_000,
            handles: 1024,
            directory_entries: 100_000,
            random: 1 << 20,
        }
    }
}

/// One limit: what was asked, what was granted, what holds, and why.
pub(crate) struct Capped<T> {
    pub(crate) value: T,
    pub(crate) why: Option<&'static str>,
}

/// The rule for every limit. A plugin may ask for less than the default as it
/// likes. More than the default it gets only where the grant sets a ceiling,
/// and never more than that ceiling. A plugin that asks for nothing gets what
/// the grant sets, or else the default.
pub(crate) fn cap<T: Ord + Copy>(asked: Option<T>, ceiling: Option<T>, default: T) -> Capped<T> {
    let (value, why) = match (asked, ceiling) {
        (None, None) => (default, Some("default")),
        (None, Some(ceiling)) => (ceiling, None),
        (Some(asked), None) if asked > default => {
            (default, Some("more than the default needs a grant"))
        }
        (Some(asked), Some(ceiling)) if asked > ceiling => (ceiling, Some("ceiling")),
        (Some(asked), _) => (asked, None),
    };
    Capped { value, why }
}

impl fmt::Display for Limits {
    /// "64 MiB memory, 5 s CPU and 30 s per call, 4 MiB output, 16 calls at once".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} memory, {} CPU and {} per call, {} output, {} calls at once",
            format_size(self.memory),
            format_duration(self.cpu_time),
            format_duration(self.call_time),
            format_size(self.output),
            self.concurrency
        )
    }
}
