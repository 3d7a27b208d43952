//! `palisade grant`, `revoke` and `permissions`: what an installed plugin may do.

use std::process::ExitCode;

use palisade_policy::{GrantText, compare};
use palisade_registry::{Change, EntryChange};
use serde_json::json;

use crate::args::{GrantCommand, PermissionsArgs, RevokeArgs};
use crate::audit;
use crate::consent::answers;
use crate::failure::Failure;
use crate::grants::check_text;
use crate::installed::{Home, Installed, failure};
use crate::output::{self, has_colour, printable};
use crate::permissions::Permissions;
use crate::places::Places;
use crate::secrets::named;

/// Grants something, beside what is granted already.
pub(crate) fn run(args: &GrantCommand) -> Result<ExitCode, Failure> {
    let home = Home::find()?;
    let installed = home.get(&args.name)?;
    let manifest = installed.manifest()?;
    let mut text = installed.grant_text()?;
    let before = text.to_string();
    answers::add_flags(&mut text, &args.grants, manifest.as_ref())?;
    for tool in &args.tools {
        if !(installed.offer.tools.keys()).any(|name| tool.is_about(name)) {
            let names: Vec<_> = installed.offer.tools.keys().map(String::as_str).collect();
            return Err(Failure::usage(format!(
                "`{}` matches no tool of {}",
                tool.pattern, args.name
            ))
            .remedy(format!("its tools: {}", names.join(", "))));
        }
        text.set_tool(&tool.pattern, tool.decision);
    }
    for secret in &args.exposed {
        text.add_secret(&named(&secret.0)?.0, true);
    }
    if text.to_string() == before && installed.grant.is_some() {
        output::line(format!("{} is granted that already", args.name))?;
        return Ok(ExitCode::SUCCESS);
    }
    check_text(&args.name, &text, Places::find().as_ref())?;
    keep(&home, &installed, &text)?;
    show(&home.get(&args.name)?)?;
    output::line(
        " a server that runs notices within a second; what it had no reach of when it began (a \
         folder, a secret, the\n network) holds from its next start on",
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Takes something back.
pub(crate) fn revoke(args: &RevokeArgs) -> Result<ExitCode, Failure> {
    let home = Home::find()?;
    let installed = home.get(&args.name)?;
    let mut text = match args.all {
        true => GrantText::new(&args.name),
        false => installed.grant_text()?,
    };
    let gone = |done: bool, what: String| match done {
        true => Ok(()),
        false => Err(Failure::new(format!("{} is not granted {what}", args.name))
            .remedy(format!("palisade permissions {} shows what is", args.name))),
    };
    for root in &args.roots {
        gone(text.remove_root(root), format!("a folder or file {root:?}"))?;
    }
    for rule in &args.allow {
        gone(text.remove_network(&rule.0), rule.to_string())?;
    }
    for name in &args.env {
        gone(text.remove_env(name), format!("the variable {name:?}"))?;
    }
    for secret in &args.secrets {
        let name = named(&secret.0)?.0;
        gone(text.remove_secret(&name), format!("the secret {name}"))?;
    }
    for pattern in &args.tools {
        gone(
            text.remove_tool(pattern),
            format!("anything about the tools {pattern:?}"),
        )?;
    }
    let nothing = [&args.roots, &args.env, &args.tools]
        .iter()
        .all(|list| list.is_empty());
    if nothing && args.allow.is_empty() && args.secrets.is_empty() && !args.all {
        return Err(Failure::usage("nothing is said that could be taken back")
            .remedy("name it, for example --root NAME, or take everything back: --all"));
    }
    keep(&home, &installed, &text)?;
    show(&home.get(&args.name)?)
}

/// Shows what a plugin asks for, is granted and gets.
pub(crate) fn permissions(args: &PermissionsArgs) -> Result<ExitCode, Failure> {
    let installed = Home::find()?.get(&args.name)?;
    if args.json {
        return with_permissions(&installed, |shown| {
            output::line(json!({
                "name": installed.name,
                "grant": installed.grant_file.display().to_string(),
                "permissions": shown.json(),
            }))
        });
    }
    show(&installed)
}

fn show(installed: &Installed) -> Result<ExitCode, Failure> {
    with_permissions(installed, |shown| {
        output::line(shown.table(has_colour(&std::io::stdout())))?;
        output::line(printable(&format!(
            "\n the grant is {}, and may be edited",
            installed.grant_file.display()
        )))
    })
}

fn with_permissions(
    installed: &Installed,
    show: impl FnOnce(Permissions<'_>) -> Result<(), Failure>,
) -> Result<ExitCode, Failure> {
    let grant = installed
        .grant_text()?
        .grant()
        .map_err(|error| installed.bad_grant(&error))?;
    let decision = compare(installed.manifest()?.as_ref(), &grant)
        .map_err(|error| Failure::refused(&installed.name, &error))?;
    let store = Places::find().map(|places| places.secrets(crate::keyring::AT_START));
    show(Permissions {
        decision: &decision,
        secrets: &grant.secrets,
        store: store.as_ref(),
    })?;
    Ok(ExitCode::SUCCESS)
}

fn keep(home: &Home, installed: &Installed, text: &GrantText) -> Result<(), Failure> {
    let was = installed.entry.clone();
    let unchanged = EntryChange::replace(was.clone(), was);
    let change = Change {
        entries: [(installed.name.clone(), unchanged)].into(),
        files: vec![installed.grant_change(Some(text.to_string()))],
    };
    let writer = home.store.begin().map_err(|error| failure(&error))?;
    writer.commit(change).map_err(|error| failure(&error))?;
    let digest = format!("sha256:{}", installed.entry.digest.hex());
    let (before, after) = (installed.grant.as_deref(), text.to_string());
    audit::grants(&installed.name, Some(&digest), before, Some(&after));
    Ok(())
}
