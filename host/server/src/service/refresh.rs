//! Lists that a plugin says have changed: asked for again, when somebody next wants
//! to know.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use palisade_runtime::contract::{ClientCapabilities, Context, ListKind};
use palisade_runtime::{
    Asked, CallError, ListPrompts, ListTemplates, ListTools, Operation, Placement, aside,
};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::definitions::Said;
use super::{Inner, Member, Service, View};
use crate::gate;

/// How long a plugin may take to say what it has: whoever wants to know, or to call
/// a tool, waits for it.
const PATIENCE: Duration = Duration::from_secs(10);

const KINDS: [ListKind; 3] = [ListKind::Tools, ListKind::Prompts, ListKind::Resources];

/// What a plugin has said has changed, and how much of that has been looked at.
#[derive(Default)]
pub(crate) struct Changes {
    kinds: [Counts; 3],
    /// One looks at a time; the others wait for what it finds.
    looking: Mutex<()>,
}

#[derive(Default)]
struct Counts {
    said: AtomicU64,
    seen: AtomicU64,
    /// Whether a person has been told that it can't be looked at.
    told: AtomicBool,
}

impl Changes {
    fn counts(&self, kind: ListKind) -> &Counts {
        let [tools, prompts, resources] = &self.kinds;
        match kind {
            ListKind::Tools => tools,
            ListKind::Prompts => prompts,
            ListKind::Resources => resources,
        }
    }

    /// The plugin says that one of its lists has changed.
    pub(crate) fn note(&self, kind: ListKind) {
        self.counts(kind).said.fetch_add(1, Ordering::Release);
    }

    /// What was recorded of it may not be what it has.
    pub(super) fn note_all(&self) {
        for kind in KINDS {
            self.note(kind);
        }
    }

    fn is_stale(&self, kind: ListKind) -> bool {
        let counts = self.counts(kind);
        counts.said.load(Ordering::Acquire) != counts.seen.load(Ordering::Acquire)
    }
}

impl Service {
    /// Whether a plugin has said that it has another list now.
    pub(crate) fn is_stale(&self, kind: ListKind) -> bool {
        let mut members = self.0.members.iter();
        members.any(|member| member.changes().is_stale(kind))
    }

    /// Has the plugins that said so say again what they have.
    pub(crate) async fn refresh(&self, kind: ListKind, view: &View) {
        let stale: Vec<_> = (self.0.members.iter())
            .filter(|member| member.changes().is_stale(kind))
            .collect();
        if stale.is_empty() {
            return;
        }
        let looks = stale.into_iter().map(|member| look(member, view));
        let looked = futures_util::future::join_all(looks).await;
        self.relist(looked.into_iter().any(|found| found)).await;
    }

    /// The same for one of them. Whether it has something else now.
    pub(super) async fn refresh_member(
        &self,
        member: &Member,
        kind: ListKind,
        view: &View,
    ) -> bool {
        if !member.changes().is_stale(kind) {
            return false;
        }
        // Rare, and no burden for calls that do not need it.
        Box::pin(async {
            let found = look(member, view).await;
            self.relist(found).await
        })
        .await
    }

    async fn relist(&self, found: bool) -> bool {
        if found {
            let inner = Arc::clone(&self.0);
            // Clients were told when the plugin said so.
            aside(move || inner.relist(false)).await;
        }
        found
    }

    /// Makes the lists anew of what plugins have said, where what was granted or
    /// agreed to is something else; clients are told. Blocks for as long as it takes
    /// to compare them.
    pub fn reconsider(&self) {
        self.0.relist(true);
    }
}

impl Inner {
    pub(super) fn relist(&self, tell: bool) {
        let _one = self
            .relisting
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for member in &self.members {
            member.define();
        }
        let now = super::Lists::of(self.naming, &self.members);
        let before = self.lists.load_full();
        for note in now.notes.iter().filter(|note| !before.notes.contains(note)) {
            tracing::warn!("{note}");
        }
        let differing: Vec<_> = now.differing(&before).collect();
        self.lists.store(Arc::new(now));
        if tell {
            for kind in differing {
                self.hub.tell_changed(kind);
            }
        }
    }
}

/// Asks a plugin for all that it said has changed: what is withheld of it is known
/// once nothing is left to ask. Whether there is something else now.
async fn look(member: &Member, view: &View) -> bool {
    let _looking = member.changes().looking.lock().await;
    let mut found = false;
    for kind in KINDS {
        found |= look_at(member, kind, view).await;
    }
    found || member.is_not_all()
}

async fn look_at(member: &Member, kind: ListKind, view: &View) -> bool {
    let counts = member.changes().counts(kind);
    let said = counts.said.load(Ordering::Acquire);
    if counts.seen.load(Ordering::Acquire) == said {
        // Nothing is said to have changed, or somebody else has just looked.
        return false;
    }
    let offered = member.offered();
    let has_it = match kind {
        ListKind::Tools => offered.tools,
        ListKind::Prompts => offered.prompts,
        ListKind::Resources => offered.resources,
    };
    if !has_it {
        counts.seen.store(said, Ordering::Release);
        return false;
    }
    let listed = tokio::time::timeout(PATIENCE, list(member, kind, view));
    let why = match listed.await {
        Ok(Ok(list)) => {
            counts.seen.store(said, Ordering::Release);
            counts.told.store(false, Ordering::Relaxed);
            return member.says(list);
        }
        // Something else is granted now: whoever comes next asks under that.
        Ok(Err(CallError::Revoked)) => return false,
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("it did not give it within {} s", PATIENCE.as_secs()),
    };
    counts.seen.store(said, Ordering::Release);
    if !counts.told.swap(true, Ordering::Relaxed) {
        let what = match kind {
            ListKind::Tools => "tools",
            ListKind::Prompts => "prompts",
            ListKind::Resources => "resource templates",
        };
        tracing::warn!(
            "{} said that its list of {what} has changed, and it is served as it was: {why}",
            member.name()
        );
    }
    false
}

/// A list that a plugin gave.
pub(super) enum Listed {
    Tools(Vec<palisade_runtime::contract::Tool>),
    Prompts(Vec<palisade_runtime::contract::Prompt>),
    Templates(Vec<palisade_runtime::contract::ResourceTemplate>),
}

impl Listed {
    /// Puts it in the place of the one there was. Whether it is another one.
    pub(super) fn put(self, said: &mut Said) -> bool {
        fn put<T: PartialEq>(place: &mut Arc<[T]>, list: Vec<T>) -> bool {
            let differs = **place != *list;
            if differs {
                *place = list.into();
            }
            differs
        }
        match self {
            Self::Tools(tools) => put(&mut said.tools, tools),
            Self::Prompts(prompts) => put(&mut said.prompts, prompts),
            Self::Templates(templates) => put(&mut said.templates, templates),
        }
    }
}

async fn list(member: &Member, kind: ListKind, view: &View) -> Result<Listed, CallError> {
    let context = nobody();
    match kind {
        ListKind::Tools => {
            let tools = ask(member, ListTools { context }, view, |tools| {
                gate::check_tool_schemas(&tools)?;
                Ok(Listed::Tools(tools))
            });
            tools.await
        }
        ListKind::Prompts => {
            let list = |prompts| Ok(Listed::Prompts(prompts));
            ask(member, ListPrompts { context }, view, list).await
        }
        ListKind::Resources => {
            let list = |templates| Ok(Listed::Templates(templates));
            ask(member, ListTemplates { context }, view, list).await
        }
    }
}

async fn ask<O: Operation>(
    member: &Member,
    operation: O,
    view: &View,
    finish: impl FnOnce(O::Outcome) -> Result<Listed, String> + Send + 'static,
) -> Result<Listed, CallError> {
    let asked = Asked {
        operation,
        // What it says meanwhile is for nobody.
        sink: Arc::new(()),
        cancel: CancellationToken::new(),
        finish,
    };
    let listed = member.ask(asked, Placement::Shared, view).await?;
    listed.map_err(CallError::BadAnswer)
}

/// A list is for all clients alike.
fn nobody() -> Context {
    Context {
        meta: None,
        trace: None,
        client: None,
        capabilities: ClientCapabilities::empty(),
        wants_progress: false,
        answers: Vec::new(),
        state: None,
    }
}
