//! Adds up the closing lines of test runners.

/// How a runner closes. Only its own way counts: nextest passes on what a failed
/// test printed, and that is libtest's closing line for the one test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Closing {
    /// `cargo test`, once for each test binary.
    Libtest,
    /// cargo-nextest, once.
    Nextest,
}

/// How many tests went how.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Ended as they should.
    pub(crate) passed: u64,
    /// Did not, or did not end at all.
    pub(crate) failed: u64,
    /// Were not run.
    pub(crate) skipped: u64,
}

impl Counts {
    /// What is left of a line without colours, if it is the runner's closing line.
    fn closing(line: &str, runner: Closing) -> Option<Self> {
        let line = plain(line);
        let line = line.trim();
        match runner {
            // test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.01s
            Closing::Libtest => {
                let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
                Some(Self::sum(counts.split(';')))
            }
            // Summary [   0.123s] 9/10 tests run: 8 passed (1 slow), 1 timed out, 2 skipped
            Closing::Nextest => {
                let (_, after_time) = line.strip_prefix("Summary [")?.split_once(']')?;
                let (run, counts) = after_time.split_once(" run: ")?;
                (run.ends_with("tests") || run.ends_with("test")).then_some(())?;
                Some(Self::sum(without_parentheses(counts).split(',')))
            }
        }
    }

    /// The counts in a line of a runner's output, where it is a closing line.
    pub(crate) fn in_line(line: &str, runner: Closing) -> Self {
        Self::closing(line, runner).unwrap_or_default()
    }

    /// These and those together.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
        }
    }

    fn sum<'a>(parts: impl Iterator<Item = &'a str>) -> Self {
        let mut counts = Self::default();
        for part in parts {
            let Some((number, what)) = part.trim().split_once(' ') else {
                continue;
            };
            let Ok(number) = number.parse::<u64>() else {
                continue;
            };
            match what.trim() {
                "passed" => counts.passed += number,
                "failed" | "exec failed" | "timed out" => counts.failed += number,
                "ignored" | "filtered out" | "skipped" => counts.skipped += number,
                _ => {}
            }
        }
        counts
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} passed, {} failed, {} skipped",
            self.passed, self.failed, self.skipped
        )
    }
}

/// The line without ANSI colours (`ESC [ … m`).
fn plain(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("\x1b[") {
        text.push_str(before);
        rest = after.split_once('m').map_or("", |(_, after)| after);
    }
    text.push_str(rest);
    text
}

fn without_parentheses(text: &str) -> String {
    let mut depth = 0_u32;
    text.chars()
        .filter(|&c| {
            match c {
                '(' => depth += 1,
                ')' => {
                    depth = depth.saturating_sub(1);
                    return false;
                }
                _ => {}
            }
            depth == 0
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(passed: u64, failed: u64, skipped: u64) -> Counts {
        Counts {
            passed,
            failed,
            skipped,
        }
    }

    #[test]
    fn reads_what_cargo_test_closes_with() {
        for (line, expected) in [
            (
                "test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.01s\n",
                counts(5, 0, 4),
            ),
            (
                "test result: \x1b[31mFAILED\x1b[0m. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 12.50s",
                counts(4, 2, 0),
            ),
        ] {
            assert_eq!(Counts::in_line(line, Closing::Libtest), expected, "{line}");
            assert_eq!(Counts::in_line(line, Closing::Nextest), counts(0, 0, 0));
        }
    }

    #[test]
    fn reads_what_nextest_closes_with() {
        for (line, expected) in [
            (
                "     Summary [   0.123s] 10 tests run: 10 passed, 0 skipped",
                counts(10, 0, 0),
            ),
            (
                "     Summary [   0.004s] 1 test run: 1 passed, 7 skipped",
                counts(1, 0, 7),
            ),
            (
                "\x1b[31;1m     Summary\x1b[0m [   9.001s] \x1b[1m12/14\x1b[0m tests run: \x1b[1m8\x1b[0m \x1b[32;1mpassed\x1b[0m (1 slow, 2 flaky), \x1b[1m2\x1b[0m failed, 1 exec failed, 1 timed out, 3 skipped\n",
                counts(8, 4, 3),
            ),
            (
                "     Summary [   0.000s] 0 tests run: 0 passed, 0 skipped",
                counts(0, 0, 0),
            ),
        ] {
            assert_eq!(Counts::in_line(line, Closing::Nextest), expected, "{line}");
            assert_eq!(Counts::in_line(line, Closing::Libtest), counts(0, 0, 0));
        }
    }

    #[test]
    fn other_lines_count_for_nothing() {
        for line in [
            "",
            "running 5 tests",
            "test result: ",
            "        PASS [   0.007s] xtask summary::tests::x",
            "Summary [0.1s] 3 files run: 3 passed",
            "he said: 5 passed, 1 failed",
        ] {
            for runner in [Closing::Libtest, Closing::Nextest] {
                assert_eq!(Counts::in_line(line, runner), counts(0, 0, 0), "{line}");
            }
        }
    }

    #[test]
    fn closes_with_the_line_that_others_read() {
        let all = counts(3, 0, 1).plus(counts(2, 1, 0));
        assert_eq!(all.to_string(), "5 passed, 1 failed, 1 skipped");
    }
}
