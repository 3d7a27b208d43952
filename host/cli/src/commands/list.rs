//! `palisade list` and `palisade verify`: what is installed, and whether it still
//! is what was installed.

use std::process::ExitCode;

use serde_json::json;

use crate::args::ListArgs;
use crate::failure::Failure;
use crate::installed::{Home, failure};
use crate::output::{self, one_line};
use crate::permissions::table;
use crate::places::Places;
use crate::signed::{self, Verdict};

/// Characters of a digest that are shown in a table.
const SHORT: usize = 12;

/// Lists what is installed.
pub(crate) fn run(args: &ListArgs) -> Result<ExitCode, Failure> {
    let home = Home::find()?;
    let snapshot = home.store.read().map_err(|error| failure(&error))?;
    let entries = snapshot.entries();
    if args.json {
        let all: Vec<_> = entries
            .iter()
            .map(|(name, entry)| {
                json!({
                    "name": name,
                    "version": entry.version,
                    "digest": format!("sha256:{}", entry.digest.hex()),
                    "signer": entry.signer,
                    "source": entry.source.to_string(),
                    "tools": entry.agreed.tools.keys().collect::<Vec<_>>(),
                })
            })
            .collect();
        let json = serde_json::to_string_pretty(&all)
            .map_err(|error| Failure::because("the result can't be written as JSON", &error))?;
        output::line(json)?;
        return Ok(ExitCode::SUCCESS);
    }
    if entries.is_empty() {
        output::line("nothing is installed; palisade install SOURCE installs a plugin")?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut rows = table();
    rows.set_header(["name", "version", "digest", "signed by", "source"]);
    for (name, entry) in entries {
        rows.add_row([
            name.clone(),
            one_line(entry.version.as_deref().unwrap_or("—")),
            entry.digest.hex().chars().take(SHORT).collect(),
            one_line(entry.signer.as_deref().unwrap_or("—")),
            one_line(&entry.source.to_string()),
        ]);
    }
    let lines = rows.to_string();
    let lines: Vec<_> = lines.lines().map(str::trim_end).collect();
    output::line(lines.join("\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// Hashes everything that is installed, and says what is not as it was.
pub(crate) fn verify(args: &ListArgs) -> Result<ExitCode, Failure> {
    let home = Home::find()?;
    let damaged = home.store.verify().map_err(|error| failure(&error))?;
    let again = |name: &str| format!("palisade remove {name}, and install it again");
    let mut wrong: Vec<_> = (damaged.iter())
        .map(|(name, error)| (name.clone(), error.to_string(), again(name)))
        .collect();
    let trust = signed::trust(Places::find().as_ref())?;
    let snapshot = home.store.read().map_err(|error| failure(&error))?;
    for (name, entry) in snapshot.entries() {
        if let Err(failure) = Verdict::of_installed(&trust, entry).satisfies("it") {
            wrong.push((name.clone(), failure.sentence(), signed::TRUST.to_owned()));
        }
    }
    let count = snapshot.entries().len();
    if args.json {
        let wrong: Vec<_> = wrong
            .iter()
            .map(|(name, error, _)| json!({ "name": name, "problem": error }))
            .collect();
        output::line(json!({ "plugins": count, "wrong": wrong }))?;
    } else if wrong.is_empty() {
        output::line(match count {
            1 => "1 plugin is as it was installed".to_owned(),
            count => format!("{count} plugins are as they were installed"),
        })?;
    }
    if wrong.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    for (name, error, remedy) in &wrong {
        output::error_line(&one_line(&format!("palisade: {name}: {error}; {remedy}")));
    }
    Ok(ExitCode::FAILURE)
}
