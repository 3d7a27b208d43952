//! `palisade update`: what is different, and only then the newer version.

use std::fmt::Write as _;
use std::process::ExitCode;

use palisade_audit::Event;
use palisade_policy::{ChangeKind, asks, changes};
use palisade_registry::{Change, EntryChange};
use serde_json::{Value, json};

use crate::args::UpdateArgs;
use crate::audit;
use crate::consent::{Agreeing, grant_for};
use crate::failure::Failure;
use crate::installed::arriving::Arriving;
use crate::installed::{Home, Installed, failure};
use crate::output::{self, has_colour, one_line};
use crate::places::Places;
use crate::signed::{self, Verdict};
use crate::update::{Definitions, different};

/// Shows the differences, and takes the new version if the person says so.
pub(crate) fn run(args: &UpdateArgs) -> Result<ExitCode, Failure> {
    let home = Home::find()?;
    let installed = home.get(&args.name)?;
    let source = installed.entry.source.clone();
    let arriving = Arriving::fetch(&home, source, args.network, args.compile)?;
    let digest = format!("sha256:{}", arriving.digest.hex());
    // Of the same bytes, what they said when they were first loaded is no news.
    let same = arriving.digest == installed.entry.digest
        && arriving.offer.request == installed.offer.request
        && arriving.signer() == installed.entry.signer;
    if same {
        match args.json {
            true => output::line(json!({"name": args.name, "digest": digest, "changed": false}))?,
            false => output::line(format!("{} is what its source has", args.name))?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    let shown = Shown::of(&installed, &arriving)?;
    if !args.json {
        output::line(shown.text(has_colour(&std::io::stdout())))?;
    }
    let refusal = match args.accept {
        None => still_trusted(&installed, &arriving, &digest).err(),
        Some(_) => None,
    };
    let agreeing = Agreeing {
        accepted: args.accept.as_deref(),
        question: (!args.json).then_some("\ntake it?"),
        look: format!("palisade update {}", args.name),
    };
    let agreed = refusal.is_none() && (!shown.needs_consent || agreeing.with(&digest)?);
    if args.json {
        output::line(shown.json(&args.name, &digest, agreed))?;
    }
    if let Some(refusal) = refusal {
        return Err(refusal);
    }
    if !agreed {
        let command = format!("palisade update {} --accept {digest}", args.name);
        return Err(Failure::new(format!(
            "{} stays as it is: nobody has agreed to what is new",
            args.name
        ))
        .remedy(format!("if you do: {command}"))
        .into_refusal());
    }
    let signer = arriving.signer();
    let notes = keep(&home, &installed, arriving)?;
    let was = format!("sha256:{}", installed.entry.digest.hex());
    audit::record(
        &args.name,
        Some(digest.clone()),
        Event::Updated { was, signer },
    );
    let after = home.get(&args.name)?.grant;
    let before = installed.grant.as_deref();
    audit::grants(&args.name, Some(&digest), before, after.as_deref());
    if !args.json {
        output::line(format!(
            "\n{} is updated. What it is granted is what it was: see palisade permissions {0}",
            args.name
        ))?;
        for note in notes {
            output::line(format!("  {}", one_line(&note)))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Somebody who may sign it did, and now nobody has who may: nothing that is said
/// with a yes in passing.
fn still_trusted(installed: &Installed, arriving: &Arriving, digest: &str) -> Result<(), Failure> {
    let trust = signed::trust(Places::find().as_ref())?;
    let was = Verdict::of_installed(&trust, &installed.entry);
    if !was.is_trusted() || arriving.verdict.is_trusted() {
        return Ok(());
    }
    let name = &installed.name;
    Err(Failure::new(format!(
        "{name} stays as it is: it was signed {}, and what is there now is signed {}",
        was.words(),
        arriving.verdict.words()
    ))
    .remedy(format!(
        "ask its author why; if you are sure: palisade update {name} --accept {digest}"
    ))
    .into_refusal())
}

/// Puts it in the place of what was there. What a person has to know of it.
fn keep(home: &Home, installed: &Installed, arriving: Arriving) -> Result<Vec<String>, Failure> {
    let (grant, notes) = grant_for(installed, &arriving.offer)?;
    let said = |error| failure(&error);
    let writer = home.store.begin().map_err(said)?;
    let offer = writer.add_offer(&arriving.offer).map_err(said)?;
    let becomes = arriving.entry(offer);
    writer.add_blob(arriving.blob).map_err(said)?;
    let replaced = EntryChange::replace(installed.entry.clone(), becomes);
    let change = Change {
        entries: [(installed.name.clone(), replaced)].into(),
        files: vec![installed.grant_change(grant)],
    };
    writer.commit(change).map_err(said)?;
    Ok(notes)
}

/// What is different, ready to be shown.
struct Shown {
    facts: Vec<(String, String, String)>,
    more: Vec<String>,
    less: Vec<String>,
    definitions: Vec<Definitions>,
    /// Who had signed it and who has, if that is not the same.
    signed: Option<(String, String)>,
    /// Whether anything is new that a person has to agree to.
    needs_consent: bool,
}

impl Shown {
    fn of(installed: &Installed, arriving: &Arriving) -> Result<Self, Failure> {
        let mut facts = Vec::new();
        let mut fact = |what: &str, was: String, is: String| {
            if was != is {
                facts.push((what.to_owned(), was, is));
            }
        };
        let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "none".to_owned());
        let entry = arriving.entry(installed.entry.offer);
        fact(
            "version",
            or_none(&installed.entry.version),
            or_none(&entry.version),
        );
        fact("digest", installed.entry.digest.hex(), entry.digest.hex());
        let old = installed.manifest()?.as_ref().map(asks).unwrap_or_default();
        let new = arriving.manifest.as_ref().map(asks).unwrap_or_default();
        let changes = changes(&old, &new);
        let words = |kind| {
            (changes.iter())
                .filter(|change| change.kind == kind)
                .map(|change| {
                    let needed = if change.ask.required {
                        " (required)"
                    } else {
                        ""
                    };
                    format!("{}{needed}", change.ask.words())
                })
                .collect::<Vec<_>>()
        };
        let (more, less) = (words(ChangeKind::More), words(ChangeKind::Less));
        let definitions = different(&installed.offer, &arriving.offer);
        // A manifest that is gone means that what is granted is all that counts.
        let unbound = installed.offer.request.is_some() && arriving.offer.request.is_none();
        let or_nobody = |text: &Option<String>| text.clone().unwrap_or_else(|| "nobody".to_owned());
        let signed = (installed.entry.signer != entry.signer)
            .then(|| (or_nobody(&installed.entry.signer), or_nobody(&entry.signer)));
        let needs_consent = unbound
            || signed.is_some()
            || !more.is_empty()
            || definitions.iter().any(|one| one.is_new_to_a_model());
        Ok(Self {
            facts,
            more,
            less,
            definitions,
            signed,
            needs_consent,
        })
    }

    fn text(&self, colour: bool) -> String {
        let mut text = String::new();
        for (what, was, is) in &self.facts {
            let _ = writeln!(text, "  {what:<10} {} → {}", one_line(was), one_line(is));
        }
        if let Some((was, is)) = &self.signed {
            let line = format!("  signed by  {} → {}", one_line(was), one_line(is));
            let _ = writeln!(text, "{}", output::red(&line, colour));
        }
        for words in &self.more {
            let line = format!("  + asks to {}", one_line(words));
            let _ = writeln!(text, "{}", output::red(&line, colour));
        }
        for words in &self.less {
            let _ = writeln!(text, "  - no longer asks to {}", one_line(words));
        }
        for one in &self.definitions {
            let _ = writeln!(text, "{}", one.text(colour));
        }
        text.trim_end().to_owned()
    }

    fn json(&self, name: &str, digest: &str, updated: bool) -> Value {
        json!({
            "name": name,
            "digest": digest,
            "changed": true,
            "updated": updated,
            "signed_by": self.signed.as_ref().map(|(was, is)| json!({ "was": was, "is": is })),
            "asks_more": self.more,
            "asks_less": self.less,
            "definitions": self.definitions.iter().map(Definitions::json).collect::<Vec<_>>(),
        })
    }
}
