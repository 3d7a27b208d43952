//! What was decided, written down.

use std::collections::BTreeSet;

use palisade_audit::{Event, Log, Record};
use palisade_policy::{Access, Grant};

use crate::output;
use crate::places::Places;

/// Writes it down. What was done stays done where that can't be; a person is told.
pub(crate) fn record(plugin: &str, digest: Option<String>, event: Event) {
    let Some(places) = Places::find() else {
        return;
    };
    let log = Log::of(places.audit());
    if let Err(error) = log.add(&Record::now(plugin, digest, event)) {
        output::error_line(&format!("palisade: {}", unrecorded(plugin, &error)));
    }
}

/// That something about a plugin could not be written down.
pub(crate) fn unrecorded(plugin: &str, error: &palisade_audit::AuditError) -> String {
    let source = std::error::Error::source(error);
    let why = source
        .map(|source| format!(": {source}"))
        .unwrap_or_default();
    format!("what happened to {plugin} is not recorded: {error}{why}")
}

/// What a grant has come to, from one text to another.
pub(crate) fn grants(
    plugin: &str,
    digest: Option<&str>,
    before: Option<&str>,
    after: Option<&str>,
) {
    let (before, after) = (entries(before), entries(after));
    let more: Vec<_> = after.difference(&before).cloned().collect();
    let less: Vec<_> = before.difference(&after).cloned().collect();
    let digest = digest.map(str::to_owned);
    if !less.is_empty() {
        record(plugin, digest.clone(), Event::Revoked { what: less });
    }
    if !more.is_empty() {
        record(plugin, digest, Event::Granted { what: more });
    }
}

/// What a grant gives, in words; never what a variable is set to.
fn entries(text: Option<&str>) -> BTreeSet<String> {
    let Some(Ok(grant)) = text.map(Grant::parse) else {
        return BTreeSet::new();
    };
    let mut all = BTreeSet::new();
    for root in &grant.roots {
        let access = match root.access {
            Access::ReadOnly => "read",
            Access::ReadWrite => "read and write",
        };
        let (kind, name, path) = (root.kind.word(), &root.name, root.path.display());
        all.insert(format!("{access} the {kind} {name}: {path}"));
    }
    all.extend(grant.network.iter().map(|rule| format!("talk to {rule}")));
    all.extend(grant.env.keys().map(|name| format!("the variable {name}")));
    all.extend(grant.secrets.iter().map(|secret| match &secret.use_as {
        Some(use_as) => format!("the secret {} {use_as}", secret.name),
        None => format!("the secret {}", secret.name),
    }));
    let tools = grant.tools.iter();
    all.extend(tools.map(|(pattern, decision)| format!("the tools {pattern}: {decision}")));
    all
}
