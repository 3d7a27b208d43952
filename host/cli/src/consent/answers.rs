//! A person's answer to each thing a plugin asks for.

use std::path::{Path, PathBuf};

use palisade_policy::{
    Ask, EnvFlag, GrantText, Manifest, RootFlag, RootKind, RootRequest, SecretUse, Wants, asks,
};
use palisade_secrets::SecretValue;

use crate::args::GrantFlags;
use crate::commands::secret;
use crate::failure::Failure;
use crate::grants::{env_value, named_roots};
use crate::output::{error_line, has_colour, one_line, red};
use crate::secrets::named;
use crate::terminal;

/// Adds what flags grant. Paths become absolute, links in them followed.
pub(crate) fn add_flags(
    text: &mut GrantText,
    flags: &GrantFlags,
    manifest: Option<&Manifest>,
) -> Result<(), Failure> {
    let roots: Vec<_> = (flags.roots.iter().cloned())
        .chain(flags.single.iter().map(|file| file.0.clone()))
        .collect();
    for root in named_roots(&roots, manifest)? {
        text.set_root(&root.name, root.kind, path_text(&root.path)?, root.access);
    }
    for rule in &flags.allow {
        text.add_network(&rule.0);
    }
    for env in &flags.env {
        text.set_env(&env.name, &env_value(env)?);
    }
    for secret in &flags.secrets {
        text.add_secret(&named(&secret.0)?.0, false);
    }
    Ok(())
}

/// A grant file is text, and so are the paths in it.
fn path_text(path: &Path) -> Result<&str, Failure> {
    path.to_str().ok_or_else(|| {
        Failure::new(format!(
            "{} can't be granted: it is no UTF-8 text",
            path.display()
        ))
        .remedy("give it, or what it lies in, another name")
    })
}

/// Asks for everything that is not granted yet. Returns values of secrets, which
/// are to be kept if it all comes about.
pub(crate) fn ask(
    text: &mut GrantText,
    manifest: &Manifest,
    is_set: impl Fn(&str) -> bool,
) -> Result<Vec<(String, SecretValue)>, Failure> {
    let granted = text
        .grant()
        .map_err(|error| Failure::new(format!("the grant, {error}")))?;
    let mut values: Vec<(String, SecretValue)> = Vec::new();
    for one in asks(manifest) {
        match &one.wants {
            Wants::Root(root) if granted.roots.iter().all(|known| known.name != root.name) => {
                folders(text, &one, root)?;
            }
            Wants::Network(rule) if !granted.network.contains(rule) && yes(&one)? => {
                text.add_network(rule);
            }
            Wants::Env(name) if !granted.env.contains_key(name) => {
                let flag = EnvFlag {
                    name: name.clone(),
                    value: None,
                };
                if let Ok(value) = env_value(&flag)
                    && yes(&one)?
                {
                    text.set_env(name, &value);
                }
            }
            Wants::Secret(secret) if granted.secrets.iter().all(|g| g.name != secret.name) => {
                let name = &secret.name;
                if !yes(&one)? {
                    continue;
                }
                let known = is_set(name) || values.iter().any(|(known, _)| known == name);
                if !known {
                    values.push((name.clone(), secret::read(name)?));
                }
                text.add_secret(name, secret.use_as == SecretUse::Expose);
            }
            _ => {}
        }
    }
    Ok(values)
}

fn yes(ask: &Ask) -> Result<bool, Failure> {
    let words = one_line(&ask.words());
    if let Some(warning) = ask.warning() {
        error_line(&red(
            &format!("  ⚠ {warning}"),
            has_colour(&std::io::stderr()),
        ));
    }
    Ok(terminal::yes(&format!("  {words}?"))?.unwrap_or(false))
}

/// Asks which folders; for a plugin that takes any, until none is named.
fn folders(text: &mut GrantText, ask: &Ask, root: &RootRequest) -> Result<(), Failure> {
    loop {
        let words = one_line(&ask.words());
        error_line(&format!("  {words}: which?"));
        let typed = terminal::path("  folder (empty for none): ")?;
        let typed = typed.as_deref().map(str::trim).unwrap_or_default();
        if typed.is_empty() {
            return Ok(());
        }
        let flag = RootFlag {
            name: (!root.is_any()).then(|| root.name.clone()),
            kind: RootKind::Directory,
            path: at_home(typed),
            access: root.access,
        };
        match named_roots(&[flag], None) {
            Ok(found) => {
                for one in found {
                    text.set_root(&one.name, one.kind, path_text(&one.path)?, one.access);
                }
                if !root.is_any() {
                    return Ok(());
                }
            }
            // Said, and asked again: it is a person who types.
            Err(failure) => error_line(&format!("  {}", failure.sentence())),
        }
    }
}

/// `~/notes` as the shell would read it.
fn at_home(typed: &str) -> PathBuf {
    match (typed.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => typed.into(),
    }
}

/// The flags that would grant what is not granted, a line each.
pub(crate) fn proposed(manifest: &Manifest, text: &GrantText) -> Vec<String> {
    let Ok(granted) = text.grant() else {
        return Vec::new();
    };
    let mut flags = Vec::new();
    for ask in asks(manifest) {
        match &ask.wants {
            Wants::Root(root) if granted.roots.iter().all(|known| known.name != root.name) => {
                let name = match root.is_any() {
                    true => String::new(),
                    false => format!("{}=", root.name),
                };
                flags.push(format!("--root {name}PATH:{}", root.access.short()));
            }
            Wants::Network(rule) if !granted.network.contains(rule) => {
                let flag = palisade_policy::AllowFlag(rule.clone());
                flags.push(format!("--allow '{flag}'"));
            }
            Wants::Env(name) if !granted.env.contains_key(name) => {
                flags.push(format!("--env {name}"));
            }
            Wants::Secret(secret) if granted.secrets.iter().all(|g| g.name != secret.name) => {
                flags.push(match secret.use_as {
                    SecretUse::Inject(_) => format!("--secret {}", secret.name),
                    SecretUse::Expose => format!("--expose-secret {}", secret.name),
                });
            }
            _ => {}
        }
    }
    flags
}
