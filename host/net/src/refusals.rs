//! What a person is told of what a plugin was refused.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use palisade_policy::{Granting, Host, NetworkRules, Remedy, Scheme, Shown, Special, Target};

/// Refusals of one plugin that a person is told of.
const TOLD: usize = 32;

/// Longest path that is repeated, in bytes.
const PATH: usize = 80;

/// What no flag changes.
const NOT_ASKED: &str = ", which its own manifest does not ask for; no flag allows it";

/// Tells the person, in the log, what a plugin was refused and what would allow
/// it: once for each destination.
pub struct Refusals {
    plugin: String,
    how: Granting,
    told: Mutex<HashSet<String>>,
}

impl Refusals {
    /// Those of a plugin.
    #[must_use]
    pub fn of(plugin: &str, how: Granting) -> Self {
        Self {
            plugin: plugin.to_owned(),
            how,
            told: Mutex::default(),
        }
    }

    /// How a person grants more.
    #[must_use]
    pub fn how(&self) -> &Granting {
        &self.how
    }

    /// Tells that a target was refused, or what it leads to, where that is an
    /// address that its rule does not open.
    pub fn tell(&self, rules: &NetworkRules, target: &Target<'_>, leads_to: Option<Special>) {
        let key = match target.request {
            Some((method, _)) => format!("{method} {target} {leads_to:?}"),
            None => format!("{target} {leads_to:?}"),
        };
        self.say(key, || {
            let what = match target.request {
                Some((method, path)) => {
                    let path = &path[..path.floor_char_boundary(PATH)];
                    format!("{target} ({method} {path})")
                }
                None => target.to_string(),
            };
            let remedy = rules.remedy(target, leads_to);
            match (&remedy, self.how.allow(&remedy)) {
                (_, Some(flag)) => format!("{what}; to allow it: {flag}"),
                (Remedy::Manifest, None) => format!("{what}{NOT_ASKED}"),
                (_, None) => format!("{what}, which no rule can allow"),
            }
        });
    }

    /// Tells that a name was not looked up.
    pub fn tell_name(&self, rules: &NetworkRules, name: &Host) {
        self.say(name.to_string(), || match rules.name_remedy(name) {
            Some((scheme, port)) => {
                let place = self.how.allow_place(scheme, name, port);
                format!("to look up {name}; to allow it: {place}")
            }
            None => format!("to look up {name}{NOT_ASKED}"),
        });
    }

    /// Tells that there was no socket for a way of speaking that nothing is
    /// granted for.
    pub fn tell_socket(&self, rules: &NetworkRules, scheme: Scheme) {
        let what = match scheme {
            Scheme::Udp => "datagrams (UDP)",
            _ => "a connection (TCP)",
        };
        self.say(what.to_owned(), || match rules.could_speak(scheme) {
            true => {
                let place = self.how.allow_place(scheme, &"HOST", None);
                format!("{what}; to allow it: {place}")
            }
            false => format!("{what}{NOT_ASKED}"),
        });
    }

    fn say(&self, key: String, what: impl FnOnce() -> String) {
        if self.how == Granting::Never {
            return;
        }
        let last = {
            // What the lock holds is whole whatever happened to its holder.
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            if told.len() >= TOLD || !told.insert(key) {
                return;
            }
            told.len() == TOLD
        };
        let last = match last {
            true => " (what else it is refused is not told)",
            false => "",
        };
        let line = format!("{} was refused {}{last}", self.plugin, what());
        tracing::warn!(target: "palisade::network", "{}", Shown::OneLine.of(&line));
    }
}
