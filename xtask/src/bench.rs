//! `cargo xtask bench`: the release build measured from outside, beside its peers.

use std::ffi::OsString;

use anyhow::{Context, Result};

use crate::build::{self, Native};
use crate::command;
use crate::layout::Layout;
use crate::report::Report;

/// Runs the task.
pub(crate) fn run(layout: &Layout, args: &[OsString]) -> Result<()> {
    let mut report = Report::new();
    // The host alone first: what is measured is what `build --release` makes,
    // without the features that the benchmark's own packages would add to it.
    build::all(layout, &mut report, true)?;
    report.step("build the benchmark and its native peer", || {
        let packages = ["palisade-bench", "palisade-peer-native"];
        build::native(layout, &Native::Release(&packages))
    })?;
    let mut command = command::program(layout.binary("palisade-bench", true));
    command.current_dir(&layout.root);
    for (flag, file) in [
        ("--palisade", layout.host(true)),
        ("--plugin", layout.plugins().join("filesystem.wasm")),
        ("--guest", layout.guests().join("mallory.wasm")),
        ("--native", layout.binary("palisade-peer-native", true)),
        ("--npm-dir", layout.target.join("bench/npm")),
    ] {
        // Whoever names another one means it.
        if !names(args, flag) {
            command.arg(flag).arg(file);
        }
    }
    command::run(command.args(args)).context("the benchmark did not go as it should")
}

/// Whether a flag is among the arguments, as `--flag value` or `--flag=value`.
fn names(args: &[OsString], flag: &str) -> bool {
    args.iter()
        .filter_map(|arg| arg.to_str()?.strip_prefix(flag))
        .any(|rest| rest.is_empty() || rest.starts_with('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_is_found_however_it_is_written() {
        let args = ["--plugin=a.wasm", "--native", "x"].map(OsString::from);
        assert!(names(&args, "--plugin") && names(&args, "--native"));
        assert!(!names(&args, "--palisade") && !names(&args, "--plug"));
    }
}
