//! `palisade approve`: what a plugin that is served has said it has since somebody
//! agreed to it, and only then served as it is now.

use std::process::ExitCode;

use palisade_audit::Event;
use palisade_registry::{Change, EntryChange, Offer};
use serde_json::{Value, json};

use crate::args::ApproveArgs;
use crate::audit;
use crate::consent::{Agreeing, grant_for};
use crate::failure::Failure;
use crate::installed::withheld::File;
use crate::installed::{Home, Installed, failure};
use crate::output::{self, has_colour, one_line};
use crate::places::Places;
use crate::update::{Definitions, different};

/// Shows what is withheld, and has it served if the person says so.
pub(crate) fn run(args: &ApproveArgs) -> Result<ExitCode, Failure> {
    let home = Home::find()?;
    let installed = home.get(&args.name)?;
    let file = Places::find().map(|places| File::of(&places, &args.name));
    let unreadable = |error: std::io::Error| {
        Failure::because(
            format!("what is withheld of {} can't be read", args.name),
            &error,
        )
        .remedy(match &file {
            Some(file) => format!(
                "take {} away: the server that runs next writes down what it finds",
                file.path().display()
            ),
            None => "set HOME to a directory of your own".to_owned(),
        })
    };
    let kept = match &file {
        Some(file) => file.read().map_err(unreadable)?,
        None => Default::default(),
    };
    let becomes = kept.added_to(&installed.offer);
    // What was agreed to meanwhile is withheld no more.
    if !kept.is_of(installed.entry.digest) || becomes == installed.offer {
        match args.json {
            true => output::line(json!({"name": args.name, "withheld": []}))?,
            false => output::line(format!("nothing of {} is withheld", args.name))?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    let digest = format!("sha256:{}", kept.digest().hex());
    let definitions = different(&installed.offer, &becomes);
    if !args.json {
        let colour = has_colour(&std::io::stdout());
        let mut text = format!("{} has changed while it was served:\n", args.name);
        for one in &definitions {
            text.push_str(&one.text(colour));
            text.push('\n');
        }
        output::line(text)?;
    }
    let agreeing = Agreeing {
        accepted: args.accept.as_deref(),
        question: (!args.json).then_some("serve it like that?"),
        look: format!("palisade approve {}", args.name),
    };
    let agreed = agreeing.with(&digest)?;
    if args.json {
        let withheld: Vec<Value> = definitions.iter().map(Definitions::json).collect();
        output::line(json!({
            "name": args.name,
            "digest": digest,
            "withheld": withheld,
            "approved": agreed,
        }))?;
    }
    if !agreed {
        return Err(Failure::new(format!(
            "what is new of {} stays withheld: nobody has agreed to it",
            args.name
        ))
        .remedy(format!(
            "if you do: palisade approve {} --accept {digest}",
            args.name
        ))
        .into_refusal());
    }
    let notes = keep(&home, &installed, &becomes)?;
    let plugin = format!("sha256:{}", installed.entry.digest.hex());
    let what = kept.words();
    audit::record(&args.name, Some(plugin.clone()), Event::Approved { what });
    let after = home.get(&args.name)?.grant;
    let before = installed.grant.as_deref();
    audit::grants(&args.name, Some(&plugin), before, after.as_deref());
    if let Some(file) = &file {
        file.remove().map_err(unreadable)?;
    }
    if !args.json {
        output::line(format!(
            "{} may show that from now on; a server that runs notices within a second",
            args.name
        ))?;
        for note in notes {
            output::line(format!("  {}", one_line(&note)))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes down that it was agreed to. What a person has to know of it.
fn keep(home: &Home, installed: &Installed, offer: &Offer) -> Result<Vec<String>, Failure> {
    let (grant, notes) = grant_for(installed, offer)?;
    let said = |error| failure(&error);
    let writer = home.store.begin().map_err(said)?;
    let mut becomes = installed.entry.clone();
    becomes.offer = writer.add_offer(offer).map_err(said)?;
    becomes.agreed = offer.digests();
    let replaced = EntryChange::replace(installed.entry.clone(), becomes);
    let change = Change {
        entries: [(installed.name.clone(), replaced)].into(),
        files: vec![installed.grant_change(grant)],
    };
    writer.commit(change).map_err(said)?;
    Ok(notes)
}
