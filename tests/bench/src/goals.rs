//! The goals Palisade is held to, and whether the medians reach them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::args::Name;
use crate::metrics::{Metric, Numbers};

/// One goal and how it was met.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Goal {
    metric: Metric,
    value: f64,
    side: Side,
    limit: f64,
    /// Where the limit comes from.
    rule: &'static str,
    /// Whether the value is on the right side of the limit.
    pub(crate) met: bool,
}

/// On which side of its limit a value has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Side {
    AtMost,
    AtLeast,
    Below,
}

/// Judges what can be judged: a goal against a server that was left out is not
/// in the answer.
pub(crate) fn judge(medians: &BTreeMap<Name, Numbers>) -> Vec<Goal> {
    let get = |name: Name, metric: Metric| medians.get(&name)?.get(metric);
    let native = |metric| get(Name::Native, metric);
    let npm = |metric| get(Name::Npm, metric);
    let goals = [
        (
            Metric::CallP50Us,
            Side::AtMost,
            native(Metric::CallP50Us),
            "1.0 × native",
        ),
        (
            Metric::Throughput,
            Side::AtLeast,
            native(Metric::Throughput).map(|rate| rate * 0.7),
            "0.7 × native",
        ),
        (
            Metric::StartMs,
            Side::AtMost,
            native(Metric::StartMs).map(|ms| ms + 5.0),
            "native + 5 ms",
        ),
        (
            Metric::StartMs,
            Side::AtMost,
            npm(Metric::StartMs).map(|ms| ms / 40.0),
            "npm / 40",
        ),
        (Metric::PeakMb, Side::Below, Some(30.0), "fixed"),
    ];
    goals
        .into_iter()
        .filter_map(|(metric, side, limit, rule)| {
            let (value, limit) = get(Name::Palisade, metric).zip(limit)?;
            let met = match side {
                Side::AtMost => value <= limit,
                Side::AtLeast => value >= limit,
                Side::Below => value < limit,
            };
            Some(Goal {
                metric,
                value,
                side,
                limit,
                rule,
                met,
            })
        })
        .collect()
}

impl Goal {
    /// What was measured, the value, the limit and where that comes from.
    pub(crate) fn measured(&self) -> [String; 4] {
        let metric = self.metric;
        let side = match self.side {
            Side::AtMost => "at most",
            Side::AtLeast => "at least",
            Side::Below => "below",
        };
        [
            metric.label().to_owned(),
            metric.show(self.value),
            format!("{side} {}", metric.show(self.limit)),
            self.rule.to_owned(),
        ]
    }

    /// "met", or by how much it was missed.
    pub(crate) fn mark(&self) -> String {
        if self.met {
            return "met".to_owned();
        }
        let by = (self.value - self.limit).abs();
        let percent = by / self.limit * 100.0;
        format!("missed by {} ({percent:.0}%)", self.metric.show(by))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failing test may panic")]

    use super::*;

    fn numbers(values: &[(Metric, f64)]) -> Numbers {
        let mut numbers = Numbers::default();
        for (metric, value) in values {
            numbers.set(*metric, *value);
        }
        numbers
    }

    fn peers() -> BTreeMap<Name, Numbers> {
        let native = numbers(&[
            (Metric::CallP50Us, 50.0),
            (Metric::Throughput, 60_000.0),
            (Metric::StartMs, 2.0),
        ]);
        let npm = numbers(&[(Metric::StartMs, 360.0)]);
        BTreeMap::from([(Name::Native, native), (Name::Npm, npm)])
    }

    fn marks(palisade: &[(Metric, f64)]) -> Vec<String> {
        let mut medians = peers();
        medians.insert(Name::Palisade, numbers(palisade));
        judge(&medians).iter().map(Goal::mark).collect()
    }

    #[test]
    fn exactly_at_the_limit_is_met_but_memory_must_be_below() {
        let marks = marks(&[
            (Metric::CallP50Us, 50.0),
            (Metric::Throughput, 42_000.0),
            (Metric::StartMs, 7.0),
            (Metric::PeakMb, 30.0),
        ]);
        assert_eq!(
            marks,
            ["met", "met", "met", "met", "missed by 0.00 MB (0%)"]
        );
    }

    #[test]
    fn a_miss_tells_by_how_much() {
        let marks = marks(&[
            (Metric::CallP50Us, 60.0),
            (Metric::Throughput, 21_000.0),
            (Metric::StartMs, 9.5),
            (Metric::PeakMb, 29.0),
        ]);
        assert_eq!(
            marks,
            [
                "missed by 10.0 µs (20%)",
                "missed by 21,000 calls/s (50%)",
                "missed by 2.50 ms (36%)",
                "missed by 0.50 ms (6%)",
                "met",
            ]
        );
    }

    #[test]
    fn without_palisade_there_is_nothing_to_judge() {
        assert!(judge(&peers()).is_empty());
    }
}
