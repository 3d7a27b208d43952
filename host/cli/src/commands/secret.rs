//! `palisade secret`: values that plugins have the use of and never see.

use std::io::{IsTerminal as _, Read as _};
use std::process::ExitCode;

use palisade_secrets::{BadValue, KeyringError, MAX_BYTES, Place, SecretValue, Store, StoreError};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use serde_json::json;

use crate::args::SecretCommand;
use crate::failure::Failure;
use crate::keyring::ATTENDED;
use crate::output;
use crate::places::Places;
use crate::secrets::{named, store_failure};

/// Keeps, names or forgets values; none is ever printed.
pub(crate) fn run(command: &SecretCommand) -> Result<ExitCode, Failure> {
    let store = store()?;
    match command {
        SecretCommand::Set {
            name,
            store: place,
            values,
        } if values.is_empty() => set(&store, &named(&name.0)?.0, place.map(Into::into)),
        SecretCommand::Set { .. } => Err(Failure::usage(
            "a value on the command line can be seen by everybody on this machine",
        )
        .remedy("give the name alone: the value is asked for, or read from standard input")),
        SecretCommand::List { json } => list(&store, *json),
        SecretCommand::Remove { name } => remove(&store, &named(&name.0)?.0),
    }?;
    Ok(ExitCode::SUCCESS)
}

fn store() -> Result<Store, Failure> {
    Places::find()
        .map(|places| places.secrets(ATTENDED))
        .ok_or_else(|| {
            Failure::new("there is no home directory in which secrets could be kept")
                .remedy("set HOME, or XDG_DATA_HOME, to a directory of your own")
        })
}

fn set(store: &Store, name: &str, place: Option<Place>) -> Result<(), Failure> {
    let value = read(name)?;
    let kept = store.set(name, &value, place).map_err(|error| {
        let failure = store_failure(name, &format!("{name} can't be kept"), &error);
        match error {
            StoreError::Keyring(_) => failure.remedy(format!(
                "unlock the keyring, or keep it in a file that only you can read: palisade \
                 secret set --store file {name}"
            )),
            _ => failure,
        }
    })?;
    output::line(match kept.place {
        Place::Keyring => format!("{name} is set, in the keyring"),
        Place::File => {
            let file = store.path().join(name);
            output::printable(&format!("{name} is set, in the file {}", file.display()))
        }
    })?;
    tell_left(name, kept.left.as_ref());
    Ok(())
}

/// Says on standard error that the keyring may still have an older value.
fn tell_left(name: &str, left: Option<&KeyringError>) {
    if let Some(error) = left {
        output::error_line(&output::printable(&format!(
            "palisade: an older value of {name} may still be in the keyring: {error}"
        )));
    }
}

/// From whoever types it, who does not see it, or from a pipe.
fn read(name: &str) -> Result<SecretValue, Failure> {
    let unread = |error: std::io::Error| {
        Failure::because(format!("the value of {name} can't be read"), &error)
            .remedy("type it at a terminal, or send it to standard input")
    };
    let value = if std::io::stdin().is_terminal() {
        // Also what is typed ahead, before the question is there.
        let _hushed = Hushed::terminal().map_err(unread)?;
        let prompt = format!("value of {name} (it is not shown): ");
        let typed = rpassword::prompt_password(prompt).map_err(unread)?;
        SecretValue::from_bytes(typed.into_bytes())
    } else {
        // The longest, with the end of its line and a byte order mark; and one
        // more, which is too much.
        let most = MAX_BYTES as u64 + 6;
        let mut bytes = Vec::new();
        let read = std::io::stdin().take(most).read_to_end(&mut bytes);
        read.map_err(unread)?;
        SecretValue::from_bytes(bytes)
    };
    value.map_err(|bad| {
        let remedy = match bad {
            BadValue::Empty => "type it at a terminal, or send it to standard input",
            BadValue::Control => {
                "a secret is one line; of a key with several, give the file itself"
            }
            _ => "give the secret alone, as its issuer shows it",
        };
        Failure::new(format!("{name} is not set: the value {bad}")).remedy(remedy)
    })
}

/// While it lives, the terminal does not show what is typed.
struct Hushed(Termios);

impl Hushed {
    fn terminal() -> std::io::Result<Self> {
        let before = tcgetattr(std::io::stdin())?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        tcsetattr(std::io::stdin(), OptionalActions::Now, &silent)?;
        Ok(Self(before))
    }
}

impl Drop for Hushed {
    fn drop(&mut self) {
        // There is nothing else to be done about a terminal that is gone.
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &self.0);
    }
}

fn list(store: &Store, as_json: bool) -> Result<(), Failure> {
    let names = store
        .names()
        .map_err(|error| store_failure("NAME", "secrets can't be listed", &error))?;
    let kept = names.iter().map(|name| {
        let place = match store.place(name) {
            Ok(Some(Place::Keyring)) => "keyring",
            // Also one that can't be used, which is said where it is to be.
            _ => "file",
        };
        (name, place)
    });
    if as_json {
        let kept = kept.map(|(name, place)| json!({ "name": name, "place": place }));
        let json = json!({ "store": store.path(), "secrets": kept.collect::<Vec<_>>() });
        let json = serde_json::to_string_pretty(&json)
            .map_err(|error| Failure::because("the result can't be written as JSON", &error))?;
        return output::line(json);
    }
    let width = names.iter().map(String::len).max().unwrap_or_default();
    let mut kept = kept;
    kept.try_for_each(|(name, place)| output::line(format_args!("{name:width$}  {place}")))
}

fn remove(store: &Store, name: &str) -> Result<(), Failure> {
    let removed = store.remove(name).map_err(|error| {
        let failure = store_failure(name, &format!("{name} can't be removed"), &error);
        match error {
            StoreError::Keyring(_) => failure.remedy("unlock the keyring, which has it"),
            _ => failure,
        }
    })?;
    let Some(kept) = removed else {
        return Err(Failure::new(format!("there is no secret {name}"))
            .remedy("`palisade secret list` names those there are"));
    };
    output::line(match kept.place {
        Place::Keyring => format!("{name} is removed, from the keyring"),
        Place::File => format!("{name} is removed"),
    })?;
    tell_left(name, kept.left.as_ref());
    Ok(())
}
