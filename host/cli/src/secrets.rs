//! The values of the secrets a plugin has the use of: read once, before the wall
//! stands, and shown nowhere.

use std::collections::BTreeMap;
use std::path::Path;

use palisade_net::Injector;
use palisade_policy::{
    EffectiveSecret, FlagError, Injection, Row, SecretFlag, SecretGrant, SecretSource, SecretUse,
};
use palisade_secrets::{BadValue, KeyringError, MAX_BYTES, SecretValue, Store, StoreError};

use crate::failure::Failure;
use crate::files::read_file;
use crate::output;

/// Values, and what is done with each.
#[derive(Debug, Clone, Default)]
pub(crate) struct Values {
    /// Those the host adds to requests.
    pub(crate) injected: Vec<(Injection, SecretValue)>,
    /// Those the plugin is shown, by name.
    pub(crate) exposed: BTreeMap<String, SecretValue>,
}

impl Values {
    /// Forgets those that are not among these.
    pub(crate) fn keep(&mut self, granted: &[EffectiveSecret]) {
        let injected = |one: &Injection| {
            let uses = granted.iter().map(|secret| &secret.use_as);
            uses.into_iter()
                .any(|used| matches!(used, SecretUse::Inject(other) if other == one))
        };
        self.injected.retain(|(injection, _)| injected(injection));
        self.exposed.retain(|name, _| {
            let mut exposed = granted
                .iter()
                .filter(|secret| secret.use_as == SecretUse::Expose);
            exposed.any(|secret| secret.name == *name)
        });
    }

    /// What adds them to requests.
    pub(crate) fn injector(self, plugin: &str) -> Result<Injector, Failure> {
        Injector::new(self.injected).map_err(|error| {
            Failure::because(
                format!("{plugin} can't start: a secret can't be used"),
                &error,
            )
            .remedy("give the secret alone, as its issuer shows it")
        })
    }
}

/// A secret's name on the command line.
pub(crate) fn named(text: &str) -> Result<SecretFlag, Failure> {
    text.parse().map_err(|error: FlagError| {
        let failure = Failure::usage(error.message);
        match error.remedy {
            Some(remedy) => failure.remedy(remedy),
            None => failure,
        }
    })
}

/// Why there is no value.
enum Missing {
    /// Nobody has given it one.
    NotSet,
    Store(StoreError),
    File(std::io::Error),
    Bad(BadValue),
}

/// Reads what `plugin` has the use of. One it can do without may be missing.
pub(crate) fn load(
    plugin: &str,
    secrets: &[EffectiveSecret],
    store: Option<&Store>,
) -> Result<Values, Failure> {
    let mut known: BTreeMap<&str, SecretValue> = BTreeMap::new();
    let mut values = Values::default();
    for secret in secrets {
        let name = secret.name.as_str();
        let value = match known.get(name) {
            Some(value) => value.clone(),
            None => match read(name, &secret.source, store) {
                Ok(value) => {
                    known.insert(name, value.clone());
                    value
                }
                Err(Missing::NotSet) if !secret.required => {
                    tracing::warn!("{plugin} starts without {}", not_set(name, &secret.source));
                    continue;
                }
                Err(why) => return Err(failure(plugin, name, &secret.source, &why)),
            },
        };
        match &secret.use_as {
            SecretUse::Inject(injection) => values.injected.push((injection.clone(), value)),
            SecretUse::Expose => {
                values.exposed.insert(secret.name.clone(), value);
            }
        }
    }
    Ok(values)
}

fn read(name: &str, source: &SecretSource, store: Option<&Store>) -> Result<SecretValue, Missing> {
    match source {
        SecretSource::Store => {
            let kept = store.map_or(Ok(None), |store| store.get(name));
            kept.map_err(Missing::Store)?.ok_or(Missing::NotSet)
        }
        SecretSource::File(path) => {
            // The longest, with the end of its line and a byte order mark.
            let bytes = match read_file(path, MAX_BYTES as u64 + 5) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    return Err(Missing::NotSet);
                }
                bytes => bytes.map_err(Missing::File)?,
            };
            SecretValue::from_bytes(bytes).map_err(Missing::Bad)
        }
        SecretSource::Env(variable) => {
            let value = std::env::var_os(variable).ok_or(Missing::NotSet)?;
            let value = value
                .into_string()
                .map_err(|_| Missing::Bad(BadValue::NotText))?;
            SecretValue::new(value).map_err(Missing::Bad)
        }
    }
}

/// "the secret TOKEN, which is not set; …", with what to do.
fn not_set(name: &str, source: &SecretSource) -> String {
    match source {
        SecretSource::Store => {
            format!("the secret {name}, which is not set; `palisade secret set {name}` sets it")
        }
        SecretSource::File(path) => format!(
            "the secret {name}, which is to be in {}; put it there",
            path.display()
        ),
        SecretSource::Env(variable) => format!(
            "the secret {name}, which is to be in the variable {variable}; set that where \
             Palisade is started"
        ),
    }
}

fn failure(plugin: &str, name: &str, source: &SecretSource, why: &Missing) -> Failure {
    let what = format!("{plugin} can't start: the secret {name}");
    match why {
        Missing::NotSet => Failure::new(format!(
            "{plugin} can't start without {}",
            not_set(name, source)
        ))
        .into_refusal(),
        Missing::Store(error) => store_failure(name, &what, error),
        Missing::File(error) => {
            Failure::because(format!("{what} can't be read from {source}"), error)
                .remedy("give the path of a file that holds the secret alone")
        }
        Missing::Bad(bad) => {
            Failure::new(format!("{what} can't be used: its value in {source} {bad}"))
                .remedy("correct it there")
        }
    }
}

/// What is wrong with the store, or with `name` in it.
pub(crate) fn store_failure(name: &str, what: &str, error: &StoreError) -> Failure {
    Failure::because(what, error).remedy(store_remedy(name, error))
}

/// What to do about it.
pub(crate) fn store_remedy(name: &str, error: &StoreError) -> String {
    match error {
        StoreError::NotPrivate { path, .. } => {
            format!("make it yours alone: {}", private(path))
        }
        StoreError::Swappable { path } => {
            format!("make it yours alone: chmod go-w {}", path.display())
        }
        StoreError::NotOurs { path, .. } => format!(
            "look at what {} is, take it away, and set the secret again: palisade secret set {name}",
            path.display()
        ),
        StoreError::Damaged { .. } | StoreError::Lost => {
            format!("set it again: palisade secret set {name}")
        }
        StoreError::Keyring(KeyringError::Absent) => format!(
            "start it where the keyring is (on Linux the variable DBUS_SESSION_BUS_ADDRESS leads \
             there), or set it again in a file: palisade secret set --store file {name}"
        ),
        StoreError::Keyring(_) => format!(
            "unlock the keyring, or set it again in a file: palisade secret set --store file {name}"
        ),
        _ => "`palisade doctor` says where secrets are kept, and if that is well".to_owned(),
    }
}

/// The command that makes something its owner's alone.
pub(crate) fn private(path: &Path) -> String {
    format!("chmod go-rwx {}", path.display())
}

/// A row about a secret, for a person to see.
pub(crate) struct Shown {
    /// Whether it has a value.
    pub(crate) set: bool,
    /// Whether the grant lets the plugin see it.
    pub(crate) exposed: bool,
}

/// What there is to say of a secret that is granted, beside its row.
pub(crate) fn shown(row: &Row, granted: &[SecretGrant], store: Option<&Store>) -> Option<Shown> {
    let name = row.secret.as_deref()?;
    let grant = granted.iter().find(|grant| grant.name == name)?;
    row.granted.as_ref()?;
    let exposed =
        (granted.iter()).any(|grant| grant.name == name && grant.use_as == Some(SecretUse::Expose));
    Some(Shown {
        set: is_set(name, &grant.source, store),
        exposed: exposed && row.granted == Some(SecretUse::Expose.to_string()),
    })
}

/// Whether there is a value. The keyring is not asked for one, and nobody for a
/// password.
fn is_set(name: &str, source: &SecretSource, store: Option<&Store>) -> bool {
    match source {
        SecretSource::Store => {
            let place = store.map(|store| store.place(name));
            matches!(place, Some(Ok(Some(_))))
        }
        _ => read(name, source, store).is_ok(),
    }
}

/// Those that are granted and have no value, each with what to do.
pub(crate) fn unset(granted: &[SecretGrant], store: &Store) -> Vec<(String, String)> {
    let missing = granted
        .iter()
        .filter(|secret| !is_set(&secret.name, &secret.source, Some(store)));
    // A variable is that of whoever starts the plugin.
    let here = missing.filter(|secret| !matches!(secret.source, SecretSource::Env(_)));
    let said = here.map(|secret| {
        let name = &secret.name;
        let remedy = match &secret.source {
            SecretSource::File(path) => format!("put it in {}", path.display()),
            _ => format!("palisade secret set {name}"),
        };
        (format!("the secret {name}, which is not set"), remedy)
    });
    let mut said: Vec<_> = said.collect();
    said.dedup();
    said
}

/// The row's cell of what is granted, which never has the value.
pub(crate) fn granted_cell(row: &Row, shown: &Shown) -> String {
    let state = if shown.set { "set" } else { "not set" };
    let hidden = match (shown.exposed, shown.set) {
        (true, _) => ", the plugin sees it",
        (false, true) => ", hidden",
        (false, false) => "",
    };
    match &row.granted {
        // What holds says the same and need not be said twice.
        Some(granted) if row.granted != row.effective => format!("{granted}, {state}{hidden}"),
        _ => format!("{state}{hidden}"),
    }
}

/// Says on standard error which secrets a plugin is shown.
pub(crate) fn tell_exposed(plugin: &str, values: &Values) {
    for name in values.exposed.keys() {
        output::error_line(&output::red(
            &format!(
                "palisade: {plugin} sees the value of the secret {name}, since its grant says \
                 expose = true"
            ),
            output::has_colour(&std::io::stderr()),
        ));
    }
}
