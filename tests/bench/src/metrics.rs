//! What is measured: the names, units and values.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::stats;

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Metric {
    /// Start to `tools/list` answered, nothing cached.
    FirstStartMs,
    /// The same with what an earlier start cached.
    StartMs,
    /// One call at a time, the middle one.
    CallP50Us,
    /// One call at a time, the 99th of 100.
    CallP99Us,
    /// As [`Metric::CallP50Us`], in revision 2026-07-28.
    StatelessP50Us,
    /// As [`Metric::CallP99Us`], in revision 2026-07-28.
    StatelessP99Us,
    /// Calls a second, many in flight.
    Throughput,
    /// Megabytes of a large file a second, many in flight.
    LargeThroughput,
    /// Resident once the list was answered.
    IdleMb,
    /// Resident after the small calls.
    LoadedMb,
    /// The same, with shared pages counted by share.
    LoadedShareMb,
    /// The most resident up to then.
    PeakMb,
    /// The most resident after the large answers too.
    LargePeakMb,
}

impl Metric {
    /// All rows, in the table's order.
    pub(crate) const ALL: [Self; 13] = [
        Self::FirstStartMs,
        Self::StartMs,
        Self::CallP50Us,
        Self::CallP99Us,
        Self::StatelessP50Us,
        Self::StatelessP99Us,
        Self::Throughput,
        Self::LargeThroughput,
        Self::IdleMb,
        Self::LoadedMb,
        Self::LoadedShareMb,
        Self::PeakMb,
        Self::LargePeakMb,
    ];

    /// The row's name.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::FirstStartMs => "start, nothing cached",
            Self::StartMs => "start to tools/list",
            Self::CallP50Us => "call p50",
            Self::CallP99Us => "call p99",
            Self::StatelessP50Us => "call p50, 2026-07-28",
            Self::StatelessP99Us => "call p99, 2026-07-28",
            Self::Throughput => "16 in flight",
            Self::LargeThroughput => "16 in flight, 256 KiB file",
            Self::IdleMb => "resident, idle",
            Self::LoadedMb => "resident, after load",
            Self::LoadedShareMb => "proportional, after load",
            Self::PeakMb => "peak, after load",
            Self::LargePeakMb => "peak, after 256 KiB answers",
        }
    }

    /// The unit, as it stands behind a number.
    pub(crate) fn unit(self) -> &'static str {
        match self {
            Self::FirstStartMs | Self::StartMs => "ms",
            Self::CallP50Us | Self::CallP99Us | Self::StatelessP50Us | Self::StatelessP99Us => "µs",
            Self::Throughput => "calls/s",
            Self::LargeThroughput => "MB/s",
            Self::IdleMb
            | Self::LoadedMb
            | Self::LoadedShareMb
            | Self::PeakMb
            | Self::LargePeakMb => "MB",
        }
    }

    /// A value with its unit, to three digits or so.
    pub(crate) fn show(self, value: f64) -> String {
        let digits = match value.abs() {
            small if small < 10.0 => 2,
            middle if middle < 100.0 => 1,
            _ => 0,
        };
        format!("{} {}", grouped(&format!("{value:.digits$}")), self.unit())
    }
}

/// Values by metric: of one round, or the medians of all.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct Numbers(BTreeMap<Metric, f64>);

impl Numbers {
    /// Notes a value.
    pub(crate) fn set(&mut self, metric: Metric, value: f64) {
        self.0.insert(metric, value);
    }

    /// Notes a value where there is one.
    pub(crate) fn set_some(&mut self, metric: Metric, value: Option<f64>) {
        if let Some(value) = value {
            self.set(metric, value);
        }
    }

    /// The value, if that was measured.
    pub(crate) fn get(&self, metric: Metric) -> Option<f64> {
        self.0.get(&metric).copied()
    }

    /// The median of each metric over the rounds that have it.
    pub(crate) fn medians(rounds: &[Self]) -> Self {
        let mut medians = Self::default();
        for metric in Metric::ALL {
            let values = rounds.iter().filter_map(|round| round.get(metric));
            medians.set_some(metric, stats::median(values));
        }
        medians
    }
}

/// Puts commas between thousands.
fn grouped(number: &str) -> String {
    let (whole, rest) = match number.split_once('.') {
        Some((whole, _)) => number.split_at(whole.len()),
        None => (number, ""),
    };
    let (sign, digits) = whole.split_at(whole.len() - whole.trim_start_matches('-').len());
    let mut out = sign.to_owned();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_to_be_read() {
        for (value, shown) in [
            (0.126, "0.13 ms"),
            (9.5, "9.50 ms"),
            (12.345, "12.3 ms"),
            (363.4, "363 ms"),
            (-1234.0, "-1,234 ms"),
            (20_123_456.7, "20,123,457 ms"),
        ] {
            assert_eq!(Metric::StartMs.show(value), shown);
        }
    }

    #[test]
    fn medians_are_of_the_rounds_that_have_the_metric() {
        let mut rounds = vec![Numbers::default(); 3];
        for (round, value) in rounds.iter_mut().zip([3.0, 9.0, 1.0]) {
            round.set(Metric::StartMs, value);
        }
        rounds[1].set(Metric::FirstStartMs, 7.0);
        let medians = Numbers::medians(&rounds);
        assert_eq!(medians.get(Metric::StartMs), Some(3.0));
        assert_eq!(medians.get(Metric::FirstStartMs), Some(7.0));
        assert_eq!(medians.get(Metric::CallP50Us), None);
    }
}
