//! `cargo xtask fuzz`: everything that reads what an outsider wrote, for a while
//! each, with libFuzzer.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::command;
use crate::layout::Layout;
use crate::report::Report;
use crate::tool::Tool;

const TOOL: Tool = Tool {
    name: "cargo-fuzz",
    version: "0.13.2",
};

/// Longest input, in bytes: what is wrong shows in small ones, many of which
/// can be tried.
const LONGEST: u32 = 4096;

/// Memory after which an input counts as a fault, in MiB.
const MEMORY: u32 = 1024;

/// Runs every target with this in its name, or all, for so many seconds each.
pub(crate) fn run(layout: &Layout, filter: Option<&str>, seconds: u32) -> Result<()> {
    let targets = targets(layout, filter)?;
    let fuzz = TOOL.get(layout)?;
    let mut report = Report::new();
    let cargo_fuzz = |verb: &str| {
        let mut command = command::program(&fuzz);
        // As a subcommand of cargo is called. Without a sanitizer, which only
        // nightly compilers have: the code is safe Rust, and what is looked for
        // are panics, endless work and memory without end.
        command.args(["fuzz", verb, "--sanitizer", "none"]);
        command.current_dir(layout.root.join("fuzz"));
        command.env("CARGO_TARGET_DIR", layout.target.join("fuzz-build"));
        command
    };
    report.step("build the fuzz targets", || {
        command::run(&mut cargo_fuzz("build"))
    })?;
    for target in &targets {
        let corpus = layout.target.join("fuzz").join(target);
        fs::create_dir_all(&corpus)
            .with_context(|| format!("{} can't be made", corpus.display()))?;
        let seeds = layout.root.join("fuzz/corpus").join(target);
        report.step(&format!("fuzz {target} for {seconds} s"), || {
            let mut command = cargo_fuzz("run");
            command.arg(target).arg(&corpus);
            if seeds.is_dir() {
                command.arg(&seeds);
            }
            command.arg("--").args([
                format!("-max_total_time={seconds}"),
                format!("-max_len={LONGEST}"),
                format!("-rss_limit_mb={MEMORY}"),
                "-timeout=10".to_owned(),
                "-verbosity=0".to_owned(),
                "-print_final_stats=1".to_owned(),
            ]);
            command::run(&mut command)
        })?;
    }
    Ok(())
}

/// The targets there are, by their files.
fn targets(layout: &Layout, filter: Option<&str>) -> Result<Vec<String>> {
    let dir = layout.root.join("fuzz/fuzz_targets");
    let entries = fs::read_dir(&dir).with_context(|| format!("{} can't be read", dir.display()))?;
    let mut targets = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_stem().and_then(|name| name.to_str());
        targets.extend(
            name.filter(|name| filter.is_none_or(|filter| name.contains(filter)))
                .map(str::to_owned),
        );
    }
    targets.sort();
    if targets.is_empty() {
        bail!(
            "no fuzz target has {:?} in its name",
            filter.unwrap_or_default()
        );
    }
    Ok(targets)
}
