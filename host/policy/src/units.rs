//! Sizes ("64 MiB") and durations ("30 s") as people write them.
//!
//! Whole numbers with a unit, nothing else: no fractions, no sums, no bare
//! numbers whose unit would be a guess.

use std::time::Duration;

const SIZES: [(&str, u64); 7] = [
    ("B", 1),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
];

const DURATIONS: [(&str, u64); 4] = [("ms", 1), ("s", 1_000), ("min", 60_000), ("h", 3_600_000)];

/// Why a size or a duration was not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// Not a whole number followed by a known unit of size.
    #[error(
        "not a size: write a whole number and B, KiB, MiB, GiB, KB, MB or GB, as in \"64 MiB\""
    )]
    Size,
    /// Not a whole number followed by a known unit of time.
    #[error("not a duration: write a whole number and ms, s, min or h, as in \"30 s\"")]
    Duration,
    /// More than 64 bits can count.
    #[error("too large a number")]
    TooLarge,
}

/// Reads a size, in bytes. KiB, MiB and GiB are powers of 1024; KB, MB and GB
/// powers of 1000. The space is optional.
///
/// # Errors
/// [`UnitError`] when it is not a whole number with one of these units, or the
/// result does not fit 64 bits.
///
/// ```
/// use palisade_policy::units::parse_size;
/// assert_eq!(parse_size("64 MiB"), Ok(64 * 1024 * 1024));
/// assert_eq!(parse_size("5KB"), Ok(5000));
/// assert!(parse_size("64").is_err());
/// ```
pub fn parse_size(text: &str) -> Result<u64, UnitError> {
    parse(text, &SIZES, UnitError::Size)
}

/// Reads a duration in ms, s, min or h. The space is optional.
///
/// # Errors
/// [`UnitError`] when it is not a whole number with one of these units, or the
/// milliseconds do not fit 64 bits.
///
/// ```
/// use std::time::Duration;
/// use palisade_policy::units::parse_duration;
/// assert_eq!(parse_duration("2 min"), Ok(Duration::from_secs(120)));
/// ```
pub fn parse_duration(text: &str) -> Result<Duration, UnitError> {
    parse(text, &DURATIONS, UnitError::Duration).map(Duration::from_millis)
}

fn parse(text: &str, units: &[(&str, u64)], unknown: UnitError) -> Result<u64, UnitError> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    let unit = rest.strip_prefix(' ').unwrap_or(rest);
    let (_, scale) = (units.iter())
        .find(|(name, _)| *name == unit)
        .ok_or(unknown)?;
    if number.is_empty() {
        return Err(unknown);
    }
    let number: u64 = number.parse().map_err(|_| UnitError::TooLarge)?;
    number.checked_mul(*scale).ok_or(UnitError::TooLarge)
}

/// Writes a size in the largest binary unit that divides it, so that
/// [`parse_size`] reads the same number back.
pub fn format_size(bytes: u64) -> String {
    format(bytes, &SIZES[..4])
}

/// Writes a duration in the largest unit that divides it, in whole
/// milliseconds (anything finer is dropped), so that [`parse_duration`] reads
/// the same duration back.
pub fn format_duration(duration: Duration) -> String {
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    match millis {
        0 => "0 s".into(),
        _ => format(millis, &DURATIONS),
    }
}

fn format(value: u64, units: &[(&str, u64)]) -> String {
    let fitting =
        (units.iter().rev()).find(|(_, scale)| value >= *scale && value.is_multiple_of(*scale));
    let (unit, scale) = fitting.unwrap_or(&units[0]);
    format!("{} {unit}", value / scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("0 B", 0),
            ("1B", 1),
            ("4 KiB", 4096),
            ("64 MiB", 67_108_864),
            ("2 GiB", 2_147_483_648),
            ("3 KB", 3000),
            ("3 MB", 3_000_000),
            ("3 GB", 3_000_000_000),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for text in [
            "",
            "64",
            "MiB",
            " 64 MiB",
            "64  MiB",
            "64 MiB ",
            "64 mib",
            "64 M",
            "-1 MiB",
            "+1 MiB",
            "1.5 MiB",
            "1_000 B",
            "١ MiB",
            "1 MiB 2 KiB",
            "0x10 B",
            "64 TiB",
        ] {
            assert_eq!(parse_size(text), Err(UnitError::Size), "{text}");
        }
        for text in ["18446744073709551616 B", "18014398509481984 KiB"] {
            assert_eq!(parse_size(text), Err(UnitError::TooLarge), "{text}");
        }
    }

    #[test]
    fn durations() {
        for (text, millis) in [
            ("0 s", 0),
            ("5ms", 5),
            ("30 s", 30_000),
            ("2 min", 120_000),
            ("1 h", 3_600_000),
        ] {
            assert_eq!(
                parse_duration(text),
                Ok(Duration::from_millis(millis)),
                "{text}"
            );
        }
        for text in [
            "",
            "30",
            "s",
            "30 sec",
            "1 m",
            "1 d",
            "1.5 s",
            "1 min 30 s",
            "-1 s",
            "inf s",
        ] {
            assert_eq!(parse_duration(text), Err(UnitError::Duration), "{text}");
        }
        assert_eq!(
            parse_duration("18446744073709551615 h"),
            Err(UnitError::TooLarge)
        );
    }

    #[test]
    fn written_in_the_unit_a_person_would_pick() {
        assert_eq!(format_size(64 << 20), "64 MiB");
        assert_eq!(format_size(1000), "1000 B");
        assert_eq!(format_size(0), "0 B");
        assert_eq!(format_duration(Duration::from_secs(90)), "90 s");
        assert_eq!(format_duration(Duration::from_secs(120)), "2 min");
        assert_eq!(format_duration(Duration::from_millis(1500)), "1500 ms");
    }

    proptest! {
        #[test]
        fn a_written_size_reads_back(bytes: u64) {
            prop_assert_eq!(parse_size(&format_size(bytes)), Ok(bytes));
        }

        #[test]
        fn a_written_duration_reads_back(millis: u64) {
            let duration = Duration::from_millis(millis);
            prop_assert_eq!(parse_duration(&format_duration(duration)), Ok(duration));
        }

        #[test]
        fn nothing_panics(text in ".*") {
            let _ = (parse_size(&text), parse_duration(&text));
        }
    }
}
