//! `palisade audit`: what was decided about plugins, and when.

use std::process::ExitCode;
use std::time::Duration;

use palisade_audit::{Line, Log, Record};
use serde_json::json;

use crate::args::AuditArgs;
use crate::failure::Failure;
use crate::output::{self, one_line};
use crate::permissions::table;
use crate::places::Places;

/// How often it is looked whether there is more.
const LOOK: Duration = Duration::from_millis(400);

/// Shows it, and goes on doing so if that is wanted.
pub(crate) fn run(args: &AuditArgs) -> Result<ExitCode, Failure> {
    let places = Places::find().ok_or_else(|| {
        Failure::new("there is no home directory in which anything could be recorded")
            .remedy("set HOME, or XDG_STATE_HOME, to a directory of your own")
    })?;
    let log = Log::of(places.audit());
    let mut lines = read(&log)?;
    let shown = wanted(args, &lines);
    let first = shown.len().saturating_sub(args.last.get());
    show(args, &shown[first..])?;
    if !args.follow {
        return Ok(ExitCode::SUCCESS);
    }
    // Until it is stopped, or nobody reads any more.
    loop {
        std::thread::park_timeout(LOOK);
        let now = read(&log)?;
        // What was there may have gone with the oldest file.
        let last = lines
            .last()
            .and_then(|last| now.iter().rposition(|line| line == last));
        let new = last.map_or(0, |last| last + 1);
        let shown = wanted(args, now.get(new..).unwrap_or_default());
        show(args, &shown)?;
        lines = now;
    }
}

fn read(log: &Log) -> Result<Vec<Line>, Failure> {
    log.read().map_err(|error| {
        Failure::because("the record can't be read", &error)
            .remedy("if others could have written it, nothing in it can be believed")
    })
}

fn wanted<'l>(args: &AuditArgs, lines: &'l [Line]) -> Vec<&'l Line> {
    let is = |line: &&Line| match (&args.name, line) {
        (None, _) => true,
        (Some(name), Line::Record(record)) => record.plugin == *name,
        (Some(_), Line::Unknown(_)) => false,
    };
    lines.iter().filter(is).collect()
}

fn show(args: &AuditArgs, lines: &[&Line]) -> Result<(), Failure> {
    if args.json {
        for line in lines {
            output::line(match line {
                Line::Record(record) => json!(record),
                Line::Unknown(text) => json!({ "unknown": text }),
            })?;
        }
        return Ok(());
    }
    if lines.is_empty() {
        return match args.follow {
            true => Ok(()),
            false => output::line("nothing is recorded"),
        };
    }
    let mut rows = table();
    for line in lines {
        match line {
            Line::Record(record) => rows.add_row(row(record)),
            Line::Unknown(text) => rows.add_row(["?", "", "can't be read", &one_line(text)]),
        };
    }
    output::line(rows)
}

fn row(record: &Record) -> [String; 4] {
    let details: Vec<_> = record
        .event
        .details()
        .iter()
        .map(|one| one_line(one))
        .collect();
    [
        format!("{:.0}", record.at),
        one_line(&record.plugin),
        record.event.word().to_owned(),
        details.join("\n"),
    ]
}
