//! What was agreed to of what an installed plugin says it has, while it is served.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use palisade_audit::{Event, Log, Record};
use palisade_registry::{Digest, Entry, OfferDigests, Stamp, Store, definition_digest};
use palisade_server::{Agreement, DefinitionKind, Service, Withheld};
use serde_json::Value;

use super::Installed;
use super::withheld::{self, Kept};
use crate::audit;
use crate::output::one_line;
use crate::places::Places;

/// Definitions of which a person is told while a plugin is served. Who is told this
/// often knows.
const TOLD: usize = 100;

/// What `palisade.lock` says was agreed to, and what is withheld by it.
pub(crate) struct Agreed {
    name: String,
    plugin: Digest,
    store: Store,
    file: withheld::File,
    log: Log,
    digests: ArcSwap<OfferDigests>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What was seen of the lock.
    seen: Option<Stamp>,
    kept: Kept,
    /// Whether that is to be written.
    changed: bool,
    told: HashSet<Digest>,
    recorded: HashSet<String>,
}

impl Agreed {
    /// What was, of a plugin that is installed.
    pub(crate) fn of(installed: &Installed, store: &Store, places: &Places) -> Arc<Self> {
        Arc::new(Self {
            name: installed.name.clone(),
            plugin: installed.entry.digest,
            store: store.clone(),
            file: withheld::File::of(places, &installed.name),
            log: Log::of(places.audit()),
            digests: ArcSwap::from_pointee(installed.entry.agreed.clone()),
            state: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Notes, each of which is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where it is kept what is withheld.
    pub(crate) fn file(&self) -> &withheld::File {
        &self.file
    }

    /// Where it is recorded that something is.
    pub(crate) fn log(&self) -> &Log {
        &self.log
    }

    /// The store that says what was agreed to.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// The names of its tools that were agreed to.
    pub(crate) fn tools(&self) -> Vec<String> {
        self.digests.load().tools.keys().cloned().collect()
    }

    /// Looks whether something else has been agreed to, and writes down what is
    /// withheld. Blocks.
    pub(crate) fn look(&self, service: &Service) {
        let stamp = self.store.stamp();
        if self.state().seen.replace(stamp) != Some(stamp)
            && let Some(now) = self.entry()
            && now.digest == self.plugin
            && now.agreed != **self.digests.load()
        {
            self.digests.store(Arc::new(now.agreed));
            tracing::warn!(
                "what was agreed to of {} has changed, and holds now",
                self.name
            );
            service.reconsider();
        }
        self.keep();
    }

    fn entry(&self) -> Option<Entry> {
        match self.store.read() {
            // Another version, or none at all: what runs is what was agreed to then.
            Ok(snapshot) => snapshot.get(&self.name).cloned(),
            Err(error) => {
                tracing::warn!(
                    "what was agreed to of {} stays as it was: {error}",
                    self.name
                );
                None
            }
        }
    }

    /// Writes down what is withheld, so that a person can look at it. Blocks.
    pub(crate) fn keep(&self) {
        let kept = {
            let mut state = self.state();
            if !std::mem::take(&mut state.changed) {
                return;
            }
            state.kept.clone()
        };
        self.record(&kept);
        if let Err(error) = self.file.write(&kept) {
            tracing::warn!(
                "what is withheld of {} can't be written down, so nobody can agree to it: {error}",
                self.name
            );
        }
    }
}

impl Agreed {
    /// Records what is withheld and was not before.
    fn record(&self, kept: &Kept) {
        let mut state = self.state();
        let words = kept.words().into_iter();
        let mut new: Vec<_> = words.filter(|one| !state.recorded.contains(one)).collect();
        // A plugin that turns and turns is known to by then.
        new.truncate(TOLD.saturating_sub(state.recorded.len()));
        state.recorded.extend(new.iter().cloned());
        drop(state);
        if new.is_empty() {
            return;
        }
        let event = Event::Withheld { what: new };
        let record = Record::now(&self.name, Some(self.plugin.to_string()), event);
        if let Err(error) = self.log.add(&record) {
            tracing::warn!("{}", audit::unrecorded(&self.name, &error));
        }
    }
}

impl Agreement for Agreed {
    fn holds(&self, kind: DefinitionKind, name: &str, definition: &Value) -> bool {
        let digests = self.digests.load();
        of_kind(&digests, kind).get(name) == Some(&definition_digest(definition))
    }

    fn count(&self, kind: DefinitionKind) -> usize {
        of_kind(&self.digests.load(), kind).len()
    }

    fn withhold(&self, withheld: &[Withheld]) {
        let mut state = self.state();
        let known = Arc::clone(&self.digests.load());
        for one in withheld {
            let new =
                state.told.len() < TOLD && (state.told).insert(definition_digest(&one.definition));
            if new {
                let is = match of_kind(&known, one.kind).contains_key(&one.name) {
                    true => "is not what you agreed to any more",
                    false => "is new since you agreed to what it has",
                };
                tracing::warn!(
                    "{}: the {} {} {is}, and is withheld; to see and serve it: palisade approve {0}",
                    self.name,
                    withheld::words(one.kind),
                    one_line(&one.name)
                );
            }
        }
        let kept = Kept::of(self.plugin, withheld);
        if kept != state.kept {
            state.kept = kept;
            state.changed = true;
        }
    }
}

fn of_kind(digests: &OfferDigests, kind: DefinitionKind) -> &BTreeMap<String, Digest> {
    match kind {
        DefinitionKind::Tool => &digests.tools,
        DefinitionKind::Prompt => &digests.prompts,
        DefinitionKind::ResourceTemplate => &digests.templates,
    }
}
