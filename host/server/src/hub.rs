//! News for everybody: what has changed, and who wants to know.
//!
//! News are kept as a set and not as a queue: that something changed is worth
//! telling once, however often it changed before a client had time to listen.
//! So what waits for one client is never more than what it asked for.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use palisade_runtime::contract::ListKind;
use palisade_runtime::{CallEvent, EventSink};
use tokio::sync::Notify;

use crate::names::Naming;
use crate::service::Changes;

/// Addresses one client may watch.
pub(crate) const MAX_WATCHED: usize = 1_000;

/// Longest address that can be watched, in bytes.
const MAX_URI: usize = 8 * 1024;

/// Passes news on to those who asked for them.
#[derive(Default)]
pub(crate) struct Hub(Mutex<Vec<Weak<Watch>>>);

/// What one client, or one of its subscriptions, wants to know.
#[derive(Default)]
pub(crate) struct Watch {
    state: Mutex<State>,
    bell: Notify,
}

#[derive(Default)]
struct State {
    wanted: News,
    pending: News,
}

/// Lists that changed, and resources.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct News {
    pub(crate) tools: bool,
    pub(crate) prompts: bool,
    pub(crate) resources: bool,
    pub(crate) uris: BTreeSet<String>,
}

/// An address that can't be watched, and why.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CantWatch {
    #[error("more than {MAX_WATCHED} resources can't be subscribed to at once")]
    TooMany,
    #[error("the address is longer than {MAX_URI} bytes")]
    TooLong,
}

impl Hub {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    fn watches(&self) -> MutexGuard<'_, Vec<Weak<Watch>>> {
        // A list of pointers is whole whatever happened to its holder.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new watch, heard of until it is dropped.
    pub(crate) fn watch(&self) -> Arc<Watch> {
        let watch = Arc::<Watch>::default();
        let mut watches = self.watches();
        watches.retain(|watch| watch.strong_count() > 0);
        watches.push(Arc::downgrade(&watch));
        watch
    }

    /// A sink that passes on to `inner` what is said to one client, and keeps
    /// what is said to all. Addresses are those of `plugin`; which of its lists
    /// have changed is noted in `changes`.
    pub(crate) fn heard(
        self: &Arc<Self>,
        inner: Arc<dyn EventSink>,
        naming: Naming,
        plugin: Arc<str>,
        changes: Arc<Changes>,
    ) -> Arc<dyn EventSink> {
        Arc::new(Heard {
            hub: Arc::clone(self),
            inner,
            naming,
            plugin,
            changes,
        })
    }

    /// Tells everybody who wants to know that a list has changed.
    pub(crate) fn tell_changed(&self, kind: ListKind) {
        self.tell(|state| {
            let (wanted, pending) = (&state.wanted, &mut state.pending);
            let (wanted, pending) = match kind {
                ListKind::Tools => (wanted.tools, &mut pending.tools),
                ListKind::Prompts => (wanted.prompts, &mut pending.prompts),
                ListKind::Resources => (wanted.resources, &mut pending.resources),
            };
            wanted && !std::mem::replace(pending, true)
        });
    }

    fn tell(&self, note: impl Fn(&mut State) -> bool) {
        for watch in self.watches().iter().filter_map(Weak::upgrade) {
            if note(&mut watch.state()) {
                watch.bell.notify_one();
            }
        }
    }
}

impl Watch {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wants to know of a resource.
    pub(crate) fn subscribe(&self, uri: String) -> Result<(), CantWatch> {
        if uri.len() > MAX_URI {
            return Err(CantWatch::TooLong);
        }
        let wanted = &mut self.state().wanted;
        if wanted.uris.len() >= MAX_WATCHED && !wanted.uris.contains(&uri) {
            return Err(CantWatch::TooMany);
        }
        wanted.uris.insert(uri);
        Ok(())
    }

    /// Does not want to know of it any more.
    pub(crate) fn unsubscribe(&self, uri: &str) {
        let state = &mut *self.state();
        state.wanted.uris.remove(uri);
        state.pending.uris.remove(uri);
    }

    /// Wants to know of changed lists.
    pub(crate) fn lists(&self, tools: bool, prompts: bool, resources: bool) {
        let wanted = &mut self.state().wanted;
        wanted.tools = tools;
        wanted.prompts = prompts;
        wanted.resources = resources;
    }

    /// Returns when there is news, with all of it.
    pub(crate) async fn news(&self) -> News {
        loop {
            let news = std::mem::take(&mut self.state().pending);
            if news != News::default() {
                return news;
            }
            self.bell.notified().await;
        }
    }
}

struct Heard {
    hub: Arc<Hub>,
    inner: Arc<dyn EventSink>,
    naming: Naming,
    plugin: Arc<str>,
    changes: Arc<Changes>,
}

impl EventSink for Heard {
    fn event(&self, event: CallEvent) {
        match event {
            CallEvent::ResourceUpdated(uri) => {
                let uri = self.naming.uri(&self.plugin, &uri);
                self.hub.tell(|state| {
                    state.wanted.uris.contains(&uri) && state.pending.uris.insert(uri.clone())
                });
            }
            CallEvent::Changed(kind) => {
                // First, so that whoever asks when they are told gets the new one.
                self.changes.note(kind);
                self.hub.tell_changed(kind);
            }
            event => self.inner.event(event),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn said(hub: &Arc<Hub>, events: impl IntoIterator<Item = CallEvent>) {
        let sink = hub.heard(Arc::new(()), Naming::Alone, "plugin".into(), Arc::default());
        for event in events {
            sink.event(event);
        }
    }

    #[tokio::test]
    async fn news_reach_those_who_asked_once() {
        let hub = Hub::new();
        let (asked, other) = (hub.watch(), hub.watch());
        asked.subscribe("test://a".into()).unwrap();
        asked.lists(true, false, false);
        other.subscribe("test://b".into()).unwrap();
        said(
            &hub,
            [
                CallEvent::ResourceUpdated("test://a".into()),
                CallEvent::ResourceUpdated("test://a".into()),
                CallEvent::Changed(ListKind::Tools),
                CallEvent::Changed(ListKind::Prompts),
                CallEvent::ResourceUpdated("test://b".into()),
            ],
        );
        let news = asked.news().await;
        assert_eq!(news.uris, BTreeSet::from(["test://a".to_owned()]));
        assert!(news.tools && !news.prompts && !news.resources);
        assert_eq!(
            other.news().await.uris,
            BTreeSet::from(["test://b".to_owned()])
        );
    }

    #[test]
    fn what_is_watched_is_bounded() {
        let hub = Hub::new();
        let watch = hub.watch();
        for number in 0..MAX_WATCHED {
            watch.subscribe(format!("test://{number}")).unwrap();
        }
        assert!(watch.subscribe("test://0".into()).is_ok());
        assert!(watch.subscribe("test://more".into()).is_err());
        assert!(hub.watch().subscribe("x".repeat(MAX_URI + 1)).is_err());
    }

    #[test]
    fn a_dropped_watch_is_forgotten() {
        let hub = Hub::new();
        for _ in 0..100 {
            drop(hub.watch());
        }
        assert_eq!(hub.watches().len(), 1);
    }
}
