//! `palisade install`: fetch, show, ask, keep.

use std::process::ExitCode;

use palisade_audit::Event;
use palisade_policy::{GrantText, ToolDecision};
use palisade_registry::{Before, Change, EntryChange, FileChange};
use palisade_secrets::SecretValue;
use serde_json::json;

use crate::args::InstallArgs;
use crate::audit;
use crate::consent::{Card, answers, is_destructive};
use crate::failure::Failure;
use crate::grants::check_text;
use crate::installed::arriving::Arriving;
use crate::installed::{Home, failure};
use crate::output::{self, has_colour, printable};
use crate::places::Places;
use crate::terminal;

/// Installs a plugin, and grants it what the person says.
pub(crate) fn run(args: &InstallArgs) -> Result<ExitCode, Failure> {
    let home = Home::find()?;
    let here = std::env::current_dir()
        .map_err(|error| Failure::because("the current folder can't be found", &error))?;
    let source = args.source.clone().absolute(&here);
    let arriving = Arriving::fetch(&home, source, args.network, args.compile)?;
    let name = arriving.name(args.name.as_deref())?;
    if let Some(there) = home.look_up(&name)? {
        return again(args, &arriving, &there.entry.digest.hex(), &name);
    }
    let card = Card {
        name: &name,
        manifest: arriving.manifest.as_ref(),
        metadata: arriving.plugin.metadata(),
        source: arriving.source.to_string(),
        digest: arriving.digest.hex(),
        verdict: &arriving.verdict,
    };
    let asks = !args.no_input && !args.json && terminal::is_there();
    if !args.json {
        output::line(card.text(has_colour(&std::io::stdout())))?;
    }
    let mut text = GrantText::new(&name);
    answers::add_flags(&mut text, &args.grants, arriving.manifest.as_ref())?;
    for tool in arriving
        .plugin
        .metadata()
        .tools
        .iter()
        .filter(|tool| is_destructive(tool))
    {
        text.set_tool(&tool.name, ToolDecision::Ask);
    }
    let places = Places::find();
    let mut values = Vec::new();
    if let (true, Some(manifest)) = (asks, &arriving.manifest) {
        output::error_line("");
        let store = places
            .as_ref()
            .map(|places| places.secrets(crate::keyring::AT_START));
        let is_set = |name: &str| {
            store
                .as_ref()
                .is_some_and(|store| matches!(store.get(name), Ok(Some(_))))
        };
        values = answers::ask(&mut text, manifest, is_set)?;
    }
    check_text(&name, &text, places.as_ref())?;
    let digest = arriving.digest.hex();
    let signer = arriving.signer();
    let manifest = arriving.manifest.clone();
    let source = arriving.source.to_string();
    keep(&home, &name, arriving, &text)?;
    let recorded = format!("sha256:{digest}");
    let event = Event::Installed {
        source,
        signer: signer.clone(),
    };
    audit::record(&name, Some(recorded.clone()), event);
    audit::grants(&name, Some(&recorded), None, Some(&text.to_string()));
    keep_values(places.as_ref(), &values)?;
    let proposed = manifest.map(|manifest| answers::proposed(&manifest, &text));
    args.told(&name, &proposed.unwrap_or_default(), &digest, signer)?;
    Ok(ExitCode::SUCCESS)
}

impl InstallArgs {
    fn told(
        &self,
        name: &str,
        proposed: &[String],
        digest: &str,
        signer: Option<String>,
    ) -> Result<(), Failure> {
        if self.json {
            let json = json!({
                "name": name,
                "digest": format!("sha256:{digest}"),
                "signer": signer,
                "not_granted": proposed,
            });
            return output::line(json);
        }
        let mut text = format!("\n  {name} is installed.");
        if !proposed.is_empty() {
            text.push_str("\n  Not granted; what would grant it:");
            for flag in proposed {
                text.push_str(&format!("\n    palisade grant {name} {flag}"));
            }
        }
        text.push_str(&format!("\n  Run it:  palisade run {name}"));
        output::line(printable(&text))
    }
}

/// There is one of this name: the same, or another one.
fn again(
    args: &InstallArgs,
    arriving: &Arriving,
    there: &str,
    name: &str,
) -> Result<ExitCode, Failure> {
    if arriving.digest.hex() != there {
        return Err(Failure::new(format!(
            "{name} is installed already, and {} is another one (sha256:{})",
            arriving.source,
            arriving.digest.hex()
        ))
        .remedy(format!(
            "palisade update {name} shows what is different; --name OTHER installs it beside"
        )));
    }
    match args.json {
        true => args.told(name, &[], there, arriving.signer())?,
        false => output::line(format!("{name} is installed already, and is the same."))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes it part of the store, with its grant, at one moment.
fn keep(home: &Home, name: &str, arriving: Arriving, text: &GrantText) -> Result<(), Failure> {
    let said = |error| failure(&error);
    let writer = home.store.begin().map_err(said)?;
    let offer = writer.add_offer(&arriving.offer).map_err(said)?;
    let entry = arriving.entry(offer);
    writer.add_blob(arriving.blob).map_err(said)?;
    let grant = FileChange {
        path: home.grant_file(name),
        // One that a removed plugin left behind, or that was put there for this
        // one to find, is not what was said now.
        before: Before::Any,
        bytes: Some(text.to_string().into_bytes()),
    };
    let change = Change {
        entries: [(name.to_owned(), EntryChange::install(entry))].into(),
        files: vec![grant],
    };
    writer.commit(change).map_err(said)?;
    Ok(())
}

fn keep_values(places: Option<&Places>, values: &[(String, SecretValue)]) -> Result<(), Failure> {
    let Some(store) = places.map(|places| places.secrets(crate::keyring::AT_START)) else {
        return Ok(());
    };
    for (name, value) in values {
        store.set(name, value, None).map_err(|error| {
            crate::secrets::store_failure(name, &format!("{name} can't be kept"), &error)
        })?;
    }
    Ok(())
}
