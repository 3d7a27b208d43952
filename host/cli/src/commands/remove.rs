//! `palisade remove`: a plugin, its grant, its compiled code, and what starts it.

use std::process::ExitCode;

use palisade_audit::Event;
use palisade_registry::{Change, EntryChange};

use crate::args::RemoveArgs;
use crate::audit;
use crate::commands::client;
use crate::failure::Failure;
use crate::installed::withheld::File;
use crate::installed::{Home, failure};
use crate::load::forget_compiled;
use crate::output;
use crate::places::Places;

/// Takes it away. Values of secrets stay: other plugins may have the use of them.
pub(crate) fn run(args: &RemoveArgs) -> Result<ExitCode, Failure> {
    let home = Home::find()?;
    let installed = home.get(&args.name)?;
    let change = Change {
        entries: [(
            args.name.clone(),
            EntryChange::remove(installed.entry.clone()),
        )]
        .into(),
        files: vec![installed.grant_change(None)],
    };
    let writer = home.store.begin().map_err(|error| failure(&error))?;
    let after = writer.commit(change).map_err(|error| failure(&error))?;
    let digest = installed.entry.digest;
    audit::record(
        &args.name,
        Some(format!("sha256:{}", digest.hex())),
        Event::Removed,
    );
    let still_there = after.entries().values().any(|entry| entry.digest == digest);
    if let (Some(places), false) = (Places::find(), still_there) {
        forget_compiled(&places, digest.bytes());
    }
    if let Some(places) = Places::find() {
        // Nothing that counts once it is not installed.
        let _ = File::of(&places, &args.name).remove();
    }
    let secrets: Vec<_> = (installed.manifest().ok().flatten())
        .map(|manifest| {
            manifest
                .secrets
                .into_iter()
                .map(|secret| secret.name)
                .collect()
        })
        .unwrap_or_default();
    output::line(format!("{} is removed, and what it was granted", args.name))?;
    if !args.keep_clients {
        client::forget(&args.name)?;
    }
    for name in secrets {
        output::line(format!(
            "  the secret {name} is kept; palisade secret remove {name} forgets it"
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}
