//! The statistics the table is made of.

use std::time::Duration;

/// The smallest sample that at least `percent` of all samples do not exceed
/// (nearest rank). `None` without samples. `percent` is held to 0..=100.
pub(crate) fn percentile(samples: &mut [Duration], percent: u32) -> Option<Duration> {
    samples.sort_unstable();
    let rank = (samples.len() * percent.min(100) as usize).div_ceil(100);
    samples.get(rank.saturating_sub(1)).copied()
}

/// The middle value, or the mean of the two middle ones. `None` without values.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    if values.len() % 2 == 1 {
        return Some(upper);
    }
    Some(f64::midpoint(*values.get(middle.checked_sub(1)?)?, upper))
}

/// `a / b`, where both are there and `b` is above zero.
pub(crate) fn ratio(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) if b > 0.0 => Some(a / b),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(values: impl IntoIterator<Item = u64>) -> Vec<Duration> {
        values.into_iter().map(Duration::from_micros).collect()
    }

    #[test]
    fn percentiles_are_samples_by_nearest_rank() {
        let mut hundred = micros((1..=100).rev());
        for (percent, expected) in [(0, 1), (1, 1), (50, 50), (99, 99), (100, 100), (400, 100)] {
            assert_eq!(
                percentile(&mut hundred, percent),
                Some(Duration::from_micros(expected)),
                "p{percent}"
            );
        }
        let mut five = micros([15, 20, 35, 40, 50]);
        assert_eq!(percentile(&mut five, 30), Some(Duration::from_micros(20)));
        assert_eq!(percentile(&mut five, 99), Some(Duration::from_micros(50)));
        assert_eq!(
            percentile(&mut micros([7]), 50),
            Some(Duration::from_micros(7))
        );
        assert_eq!(percentile(&mut [], 50), None);
    }

    #[test]
    fn a_percentile_has_that_share_of_the_samples_at_or_below_it() {
        for count in 1..40_u64 {
            let mut samples = micros((0..count).map(|i| i * 7919 % 31));
            for percent in 1..=100 {
                let value = percentile(&mut samples, percent);
                let within = samples.iter().filter(|s| Some(**s) <= value).count();
                let below = samples.iter().filter(|s| Some(**s) < value).count();
                let wanted = samples.len() * percent as usize;
                assert!(within * 100 >= wanted, "p{percent} of {count}");
                assert!(below * 100 < wanted, "p{percent} of {count}");
            }
        }
    }

    #[test]
    fn the_median_ignores_order_and_outliers() {
        assert_eq!(median([3.0, 1.0, 1e9]), Some(3.0));
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median([]), None);
    }

    #[test]
    fn a_ratio_needs_both_sides() {
        assert_eq!(ratio(Some(3.0), Some(2.0)), Some(1.5));
        assert_eq!(ratio(Some(3.0), Some(0.0)), None);
        assert_eq!(ratio(None, Some(2.0)), None);
        assert_eq!(ratio(Some(2.0), None), None);
    }
}
