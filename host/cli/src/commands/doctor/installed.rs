//! What is installed, what it is granted, and who starts it: whether all of it is
//! still there, and as it was agreed to.

use std::path::Path;

use palisade_policy::{Grant, RootKind};

use super::Check;
use crate::commands::client::configured;
use crate::grants;
use crate::installed::Home;
use crate::keyring;
use crate::output::one_line;
use crate::places::{Places, State};
use crate::secrets::unset;
use crate::signed::{self, Verdict};

/// Everything there is to say about plugins that are installed.
pub(super) fn checks(places: &Places) -> Vec<Check> {
    let path = places.store();
    let shown = path.display();
    let names = Home::of(places).and_then(|home| Ok((home.names()?, home)));
    let (names, home) = match names {
        Ok(found) => found,
        Err(failure) => {
            let remedy = format!("make {shown} a directory of your own; see `palisade verify`");
            return vec![Check::ill("installed", failure.sentence(), remedy)];
        }
    };
    let mut checks = store(&home, &path, names.len());
    checks.extend(granted(&home, places, &names));
    checks.extend(clients(&names));
    checks
}

/// The components, against the lock.
fn store(home: &Home, path: &Path, plugins: usize) -> Vec<Check> {
    const NAME: &str = "installed";
    let shown = path.display();
    // Opening the store has carried out what could be.
    if path.join("journal").exists() {
        return vec![Check::ill(
            NAME,
            format!("{shown}: a change has not come to its end"),
            "let the command that makes it end; if there is none, look whether the disk is full \
             or can't be written, then run `palisade verify`",
        )];
    }
    let altered = match home.store.verify() {
        Ok(altered) => altered,
        Err(error) => {
            let remedy = format!("make {shown} readable to you, and see `palisade verify`");
            return vec![Check::ill(NAME, error.to_string(), remedy)];
        }
    };
    let untrusted = untrusted(home);
    if altered.is_empty() && untrusted.is_empty() {
        let found = match plugins {
            0 => format!("{shown}, nothing yet"),
            plugins => format!("{shown}, as it was agreed to ({plugins})"),
        };
        return vec![Check::well(NAME, found)];
    }
    let ill = |(name, error): (String, palisade_registry::StoreError)| {
        let remedy = format!("palisade remove {name}, and install it again");
        Check::ill(NAME, format!("{name}: {error}"), remedy)
    };
    altered.into_iter().map(ill).chain(untrusted).collect()
}

/// The plugins that have to be signed by somebody who may, and are not.
fn untrusted(home: &Home) -> Vec<Check> {
    const NAME: &str = "signed";
    let trust = match signed::trust(Places::find().as_ref()) {
        Ok(trust) => trust,
        Err(failure) => {
            let remedy = "nothing is installed or run until it is correct";
            return vec![Check::ill(NAME, failure.sentence(), remedy)];
        }
    };
    let snapshot = home.store.read();
    let entries = snapshot.iter().flat_map(|snapshot| snapshot.entries());
    let wrong = entries.filter_map(|(name, entry)| {
        let failure = Verdict::of_installed(&trust, entry).satisfies(name).err()?;
        Some(Check::ill(
            NAME,
            one_line(&failure.sentence()),
            signed::TRUST,
        ))
    });
    wrong.collect()
}

/// The grants, against what is on this machine.
fn granted(home: &Home, places: &Places, names: &[String]) -> Vec<Check> {
    const NAME: &str = "grants";
    let folder = home.grants_folder();
    let shown = folder.display();
    if let State::Open(why) = State::of(folder) {
        let remedy = format!("make it yours alone: chmod go-w {shown}");
        return vec![Check::ill(NAME, format!("{shown}: {why}"), remedy)];
    }
    let mut checks = Vec::new();
    let mut files = 0;
    for name in names {
        let file = home.grant_file(name);
        let text = match crate::files::read_text(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => {
                let found = format!("{} can't be read: {error}", file.display());
                checks.push(Check::ill(NAME, found, "correct it, or take it away"));
                continue;
            }
        };
        files += 1;
        match Grant::parse(&text) {
            Ok(grant) => checks.extend(missing(name, grants::at(grant, folder), places)),
            Err(error) => checks.push(Check::ill(
                NAME,
                one_line(&format!("{}, {error}", file.display())),
                format!("correct it; until then {name} does not start"),
            )),
        }
    }
    if checks.is_empty() {
        let found = match files {
            0 => format!("{shown}, none yet"),
            files => format!("{shown}, all there ({files})"),
        };
        checks.push(Check::well(NAME, found));
    }
    checks
}

/// What a plugin is granted that is not there.
fn missing(name: &str, grant: Grant, places: &Places) -> Vec<Check> {
    const NAME: &str = "grants";
    let mut checks = Vec::new();
    for root in &grant.roots {
        let path = &root.path;
        let (right, what) = match root.kind {
            RootKind::Directory => (path.is_dir(), "folder"),
            RootKind::File => (path.is_file(), "file"),
        };
        if !right {
            let shown = path.display();
            checks.push(Check::ill(
                NAME,
                format!("{name} is granted {shown}, where there is no {what}"),
                format!(
                    "put it there, or take it back: palisade revoke {name} --root {}",
                    root.name
                ),
            ));
        }
    }
    let store = places.secrets(keyring::AT_START);
    for (found, remedy) in unset(&grant.secrets, &store) {
        let found = format!("{name} is granted {found}");
        checks.push(Check::ill(NAME, found, remedy));
    }
    checks
}

/// The entries in clients' configurations that start one of ours.
fn clients(names: &[String]) -> Vec<Check> {
    const NAME: &str = "clients";
    let found = match configured() {
        Ok(found) => found,
        Err(failure) => {
            return vec![Check::ill(NAME, failure.sentence(), "set HOME")];
        }
    };
    let mut checks = Vec::new();
    let mut started = Vec::new();
    for one in found {
        let shown = one.file.display();
        let entries = match one.entries {
            Ok(entries) => entries,
            Err(failure) => {
                let remedy = format!("correct it; {} may not read it either", one.client.name);
                checks.push(Check::ill(NAME, failure.sentence(), remedy));
                continue;
            }
        };
        for entry in entries {
            let Some(plugin) = entry.plugin else { continue };
            if names.contains(&plugin) || !palisade_policy::is_name(&plugin) {
                started.push(format!("{} starts {plugin}", one.client.name));
                continue;
            }
            let remedy = match entry.name == plugin {
                true => format!("palisade client remove {} {plugin}", one.client.id),
                false => format!("take the entry {:?} out of {shown}", entry.name),
            };
            checks.push(Check::ill(
                NAME,
                format!(
                    "{} starts {plugin}, which is not installed: {shown}",
                    one.client.name
                ),
                format!("{remedy}; or install {plugin}"),
            ));
        }
    }
    if checks.is_empty() {
        let found = match started.is_empty() {
            true => "none starts a plugin of yours yet".to_owned(),
            false => one_line(&started.join(", ")),
        };
        checks.push(Check::well(NAME, found));
    }
    checks
}
