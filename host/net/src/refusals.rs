//! What a person is told of what a plugin was refused.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use palisade_policy::{Host, NetworkRules, Remedy, Shown, Target};

/// Refusals of one plugin that a person is told of.
const TOLD: usize = 32;

/// Longest path that is repeated, in bytes.
const PATH: usize = 80;

/// Tells the person, in the log, what a plugin was refused and what would allow
/// it: once for each destination.
pub struct Refusals {
    plugin: String,
    /// Whether a grant has to say which plugin it is for.
    scoped: bool,
    told: Mutex<HashSet<String>>,
}

impl Refusals {
    /// Those of a plugin; `scoped` where it is served beside others.
    #[must_use]
    pub fn of(plugin: &str, scoped: bool) -> Self {
        Self {
            plugin: plugin.to_owned(),
            scoped,
            told: Mutex::default(),
        }
    }

    /// Tells that a target was refused; `private` if it is where it leads to.
    pub fn tell(&self, rules: &NetworkRules, target: &Target<'_>, private: bool) {
        let remedy = rules.remedy(target, private);
        let what = match target.request {
            Some((method, path)) => {
                let path = &path[..path.floor_char_boundary(PATH)];
                format!("{target} ({method} {path})")
            }
            None => target.to_string(),
        };
        let remedy = match (&remedy, remedy.flag(self.scope())) {
            (_, Some(flag)) => format!("; to allow it: {flag}"),
            (Remedy::Manifest, None) => {
                ", which its own manifest does not ask for; no flag allows it".to_owned()
            }
            (_, None) => ", which no rule can allow".to_owned(),
        };
        let key = match target.request {
            Some((method, _)) => format!("{method} {target} {private}"),
            None => format!("{target} {private}"),
        };
        self.say(key, &format!("{what}{remedy}"));
    }

    /// Tells that a name was not looked up.
    pub fn tell_name(&self, name: &Host) {
        let scope = self
            .scope()
            .map_or_else(String::new, |name| format!("{name}/"));
        let said = format!("to look up {name}; to allow it: --allow {scope}tcp://{name}:PORT");
        self.say(name.to_string(), &said);
    }

    fn scope(&self) -> Option<&str> {
        self.scoped.then_some(self.plugin.as_str())
    }

    fn say(&self, key: String, what: &str) {
        // What the lock holds is whole whatever happened to its holder.
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() >= TOLD || !told.insert(key) {
            return;
        }
        let last = match told.len() == TOLD {
            true => " (what else it is refused is not told)",
            false => "",
        };
        let line = format!("{} was refused {what}{last}", self.plugin);
        tracing::warn!(target: "palisade::network", "{}", Shown::OneLine.of(&line));
    }
}
