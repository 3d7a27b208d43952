//! Which of several plugins a grant is for.
//!
//! Beside others, every plugin is granted what names it, and nothing else: a
//! flag or file that names none is refused and not guessed at.

use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;

use palisade_policy::{AllowFlag, EnvFlag, FileFlag, FlagError, RootFlag, SecretFlag, is_name};

use crate::args::{RunGrantArgs, SecretArg};
use crate::failure::Failure;
use crate::grants::{GrantFile, Granted};
use crate::secrets::named as named_secret;

/// A flag, and how it was written: whether it says for which plugin it is
/// depends on how many there are.
#[derive(Debug, Clone)]
pub(crate) struct Written<T> {
    text: String,
    flag: T,
}

impl<T: FromStr> FromStr for Written<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        Ok(Self {
            flag: text.parse()?,
            text: text.to_owned(),
        })
    }
}

/// A flag that means nothing with a plugin's name before it if there is one
/// plugin: it is read with and without.
#[derive(Debug, Clone)]
pub(crate) struct Scoped<T> {
    text: String,
    plugin: Option<String>,
    flag: T,
}

impl<T: FromStr> FromStr for Scoped<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        let (plugin, rest) = match scope(text) {
            Some((plugin, rest)) => (Some(plugin.to_owned()), rest),
            None => (None, text),
        };
        Ok(Self {
            flag: rest.parse()?,
            plugin,
            text: text.to_owned(),
        })
    }
}

/// Everything granted to the only plugin there is.
pub(crate) fn for_one(args: &RunGrantArgs) -> Result<Granted, Failure> {
    let file = match args.files.as_slice() {
        [] => None,
        [file] => Some(GrantFile::read(file)?),
        _ => {
            return Err(
                Failure::usage("--grant is given more than once, and there is one plugin")
                    .remedy("give one file that says everything"),
            );
        }
    };
    Ok(Granted {
        roots: (args.roots.iter().map(|root| root.flag.clone()))
            .chain(args.single.iter().map(|file| file.flag.0.clone()))
            .collect(),
        env: args.env.iter().map(|env| env.flag.clone()).collect(),
        allow: (args.allow.iter().map(unscoped_rule)).collect::<Result<_, _>>()?,
        secrets: (args.secrets.iter())
            .map(|arg| Ok(secret(arg, None)?.1))
            .collect::<Result<_, Failure>>()?,
        file,
    })
}

/// Everything granted, by the name of the plugin it is for. `example` is what
/// one of them is called, for messages.
pub(crate) fn for_several(
    args: &RunGrantArgs,
    example: &str,
) -> Result<BTreeMap<String, Granted>, Failure> {
    let mut all: BTreeMap<String, Granted> = BTreeMap::new();
    for written in &args.roots {
        let (plugin, flag) = named(&written.text, "--root", example, str::parse)?;
        all.entry(plugin).or_default().roots.push(flag);
    }
    for written in &args.single {
        let (plugin, flag) = named(&written.text, "--file", example, |text| {
            text.parse().map(|FileFlag(flag)| flag)
        })?;
        all.entry(plugin).or_default().roots.push(flag);
    }
    for written in &args.env {
        let (plugin, flag) = env(&written.text, example)?;
        all.entry(plugin).or_default().env.push(flag);
    }
    for allow in &args.allow {
        let plugin = allow.plugin.clone().ok_or_else(|| {
            unscoped(
                &format!("--allow {}", allow.text),
                &format!("--allow '{example}/{}'", allow.text),
            )
        })?;
        all.entry(plugin)
            .or_default()
            .allow
            .push(allow.flag.clone());
    }
    for arg in &args.secrets {
        let (plugin, flag) = secret(arg, Some(example))?;
        all.entry(plugin).or_default().secrets.push(flag);
    }
    for path in &args.files {
        let file = GrantFile::read(path)?;
        let granted = all.entry(plugin_of(&file, path, example)?).or_default();
        if let Some(other) = granted.file.replace(file) {
            return Err(Failure::usage(format!(
                "the grant files {} and {} are for one plugin",
                other.path.display(),
                path.display()
            ))
            .remedy("write into one file what it is granted"));
        }
    }
    Ok(all)
}

/// `PLUGIN/NAME=PATH[:ro|:rw]`. The name is not left out here: `notes/docs`
/// might be meant as a path.
fn named(
    text: &str,
    flag: &str,
    example: &str,
    parse: impl Fn(&str) -> Result<RootFlag, FlagError>,
) -> Result<(String, RootFlag), Failure> {
    let scoped = scope(text).and_then(|(plugin, rest)| {
        let flag = parse(rest).ok()?;
        flag.name.is_some().then(|| (plugin.to_owned(), flag))
    });
    scoped.ok_or_else(|| {
        unscoped(
            &format!("{flag} {text}"),
            &format!("{flag} {example}/NAME=PATH[:ro|:rw]"),
        )
    })
}

/// `PLUGIN/NAME[=VALUE]`.
fn env(text: &str, example: &str) -> Result<(String, EnvFlag), Failure> {
    let scoped = scope(text).and_then(|(plugin, rest)| {
        let flag = rest.parse::<EnvFlag>().ok()?;
        Some((plugin.to_owned(), flag))
    });
    scoped.ok_or_else(|| {
        unscoped(
            // Its value is nobody's business.
            &format!("--env {}", text.split('=').next().unwrap_or_default()),
            &format!("--env {example}/NAME[=VALUE]"),
        )
    })
}

/// A rule for the only plugin there is, which need not be named.
fn unscoped_rule(allow: &Scoped<AllowFlag>) -> Result<AllowFlag, Failure> {
    match allow.plugin {
        None => Ok(allow.flag.clone()),
        Some(_) => Err(Failure::usage(format!(
            "--allow {}: there is one plugin, which is not named here",
            allow.text
        ))
        .remedy(format!("write --allow '{}'", allow.flag))),
    }
}

/// `PLUGIN/NAME`, or for one plugin `NAME`.
fn secret(arg: &SecretArg, several: Option<&str>) -> Result<(String, SecretFlag), Failure> {
    let (plugin, name) = match scope(&arg.0) {
        Some((plugin, name)) => (Some(plugin), name),
        None => (None, arg.0.as_str()),
    };
    let secret = named_secret(name)?;
    match (plugin, several) {
        (Some(plugin), Some(_)) => Ok((plugin.to_owned(), secret)),
        (None, None) => Ok((String::new(), secret)),
        (None, Some(example)) => Err(unscoped(
            &format!("--secret {secret}"),
            &format!("--secret {example}/{secret}"),
        )),
        (Some(plugin), None) => Err(Failure::usage(format!(
            "--secret {plugin}/{secret}: there is one plugin, which is not named here"
        ))
        .remedy(format!("write --secret {secret}"))),
    }
}

fn scope(text: &str) -> Option<(&str, &str)> {
    text.split_once('/').filter(|(plugin, _)| is_name(plugin))
}

fn unscoped(what: &str, form: &str) -> Failure {
    Failure::usage(format!(
        "{what}: with several plugins, a grant says which one it is for"
    ))
    .remedy(format!("write {form}"))
}

fn plugin_of(file: &GrantFile, path: &Path, example: &str) -> Result<String, Failure> {
    file.grant.plugin.clone().ok_or_else(|| {
        Failure::usage(format!(
            "the grant file {} does not say which of the plugins it is for",
            path.display()
        ))
        .remedy(format!(
            "write into it [plugin] and below that name = \"{example}\""
        ))
    })
}
