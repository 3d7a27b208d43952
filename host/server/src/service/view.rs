//! Which of the granted directories a request may use: all, or what a client's
//! roots leave of them.

use std::sync::Arc;
use std::time::Duration;

use palisade_policy::{ClientRootList, ClientRoots, ToolRules};
use palisade_runtime::{FoundRoot, Sandbox};
use tokio::sync::Semaphore;

use super::live::Live;
use super::{Inner, Service};

/// Clients whose roots are looked up at once. Each takes a thread, for as long
/// as a file system of the client's choice likes.
const LOOKED_UP: usize = 16;

/// How long looking up a client's roots may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// A view of what is granted. Cheap to clone.
#[derive(Clone, Default)]
pub struct View(Kind);

#[derive(Clone, Default)]
enum Kind {
    /// All of it.
    #[default]
    Granted,
    /// No directory.
    Nothing,
    /// A sandbox for each plugin, and what it was narrowed from.
    Narrowed(Arc<[(u64, Arc<Sandbox>)]>),
}

impl View {
    /// What is granted, without any directory.
    pub(crate) fn nothing() -> Self {
        Self(Kind::Nothing)
    }

    /// What a plugin may use to say what it has: that is one list for all clients,
    /// so none is to learn from it what is outside of its roots.
    pub(super) fn for_lists<'a>(&self, live: &'a Live) -> &'a Arc<Sandbox> {
        match &self.0 {
            Kind::Granted => live.granted(),
            Kind::Nothing | Kind::Narrowed(_) => live.without_directories(),
        }
    }

    /// What the plugin in this place may use in it. What was narrowed from
    /// something that has been replaced since holds no more.
    pub(super) fn sandbox<'a>(&'a self, place: usize, live: &'a Live) -> &'a Arc<Sandbox> {
        match &self.0 {
            Kind::Granted => live.granted(),
            Kind::Nothing => live.without_directories(),
            Kind::Narrowed(all) => match all.get(place) {
                Some((generation, sandbox)) if *generation == live.generation() => sandbox,
                _ => live.without_directories(),
            },
        }
    }
}

/// What a client's roots come to.
pub(crate) struct Narrowing {
    pub(crate) view: View,
    /// Those of its roots that have to do with it.
    pub(crate) used: Vec<String>,
    /// What a person has to know, a sentence each.
    pub(crate) warnings: Vec<String>,
}

impl Narrowing {
    /// No directory, for this reason.
    pub(crate) fn nothing(why: String) -> Self {
        Self {
            view: View::nothing(),
            used: Vec::new(),
            warnings: vec![why],
        }
    }
}

/// Bounds what clients have looked up.
pub(super) fn bounds() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(LOOKED_UP))
}

impl Service {
    /// The same, in which clients' roots mean this.
    #[must_use]
    pub fn with_client_roots(self, mode: ClientRoots) -> Self {
        Self(self.0, mode)
    }

    /// What clients' roots mean.
    pub(crate) fn client_roots(&self) -> ClientRoots {
        self.1
    }

    /// Whether a client's roots make a difference to anything.
    pub(crate) fn has_directories(&self) -> bool {
        let mut members = self.0.members.iter();
        members.any(|member| member.live().granted().has_directories())
    }

    /// A number that is another one after every change of what is granted.
    pub(crate) fn generation(&self) -> u64 {
        let members = self.0.members.iter();
        members.map(|member| member.live().generation()).sum()
    }

    /// Puts something else in the place of what the plugin in this place, in the
    /// order in which they were given, may use; what runs is stopped. Clients are
    /// told where that changes what there is.
    pub fn replace(&self, place: usize, sandbox: Sandbox, rules: ToolRules) {
        if let Some(member) = self.0.members.get(place) {
            member.replace(sandbox, rules);
            self.reconsider();
        }
    }

    /// Whether they make a difference to a tool.
    pub(crate) fn tool_has_directories(&self, name: &str) -> bool {
        let lists = self.0.lists.load();
        let route = lists.tool(name);
        route.is_some_and(|route| {
            self.0.members[route.member]
                .live()
                .granted()
                .has_directories()
        })
    }

    /// Whether they make a difference to a prompt.
    pub(crate) fn prompt_has_directories(&self, name: &str) -> bool {
        let lists = self.0.lists.load();
        let route = lists.prompt(name);
        route.is_some_and(|route| {
            self.0.members[route.member]
                .live()
                .granted()
                .has_directories()
        })
    }

    /// Whether they make a difference to a resource.
    pub(crate) fn resource_has_directories(&self, uri: &str) -> bool {
        let found = self.0.resource(uri);
        found.is_some_and(|(member, _)| member.live().granted().has_directories())
    }

    /// Narrows what is granted to a client's roots. None of it where that takes
    /// too long.
    pub(crate) async fn narrow(&self, uris: Vec<String>) -> Narrowing {
        let inner = Arc::clone(&self.0);
        let narrowed = async move {
            let permit = Arc::clone(&inner.lookups).acquire_owned().await.ok()?;
            let narrowed = tokio::task::spawn_blocking(move || {
                // With the thread, however long it takes.
                let _permit = permit;
                inner.narrow(&uris)
            });
            narrowed.await.ok()
        };
        match tokio::time::timeout(PATIENCE, narrowed).await {
            Ok(Some(narrowing)) => narrowing,
            _ => Narrowing::nothing(format!(
                "no granted directory is available: the client's roots could not be looked up \
                 within {} s",
                PATIENCE.as_secs()
            )),
        }
    }
}

impl Inner {
    fn narrow(&self, uris: &[String]) -> Narrowing {
        let ClientRootList { paths, problems } =
            ClientRootList::read(uris.iter().map(String::as_str));
        let found: Vec<_> = paths
            .iter()
            .filter_map(|(place, path)| FoundRoot::find(*place, path))
            .collect();
        let mut warnings = problems;
        let mut used = Vec::new();
        let mut sandboxes = Vec::with_capacity(self.members.len());
        for member in &self.members {
            let live = member.live();
            let narrowed = live.granted().narrowed(&found);
            used.extend(narrowed.used);
            let of = match self.naming {
                super::Naming::Alone => String::new(),
                super::Naming::Prefixed => format!("{}: ", member.name()),
            };
            warnings.extend(narrowed.lost.into_iter().map(|lost| {
                format!(
                    "{of}{lost}; open it in the client too, or start with --client-roots ignore"
                )
            }));
            let sandbox = match narrowed.sandbox {
                Some(sandbox) => Arc::new(sandbox),
                None => Arc::clone(live.granted()),
            };
            sandboxes.push((live.generation(), sandbox));
        }
        used.sort_unstable();
        used.dedup();
        Narrowing {
            view: View(Kind::Narrowed(sandboxes.into())),
            used: used
                .into_iter()
                .filter_map(|place| uris.get(place).cloned())
                .collect(),
            warnings,
        }
    }
}
