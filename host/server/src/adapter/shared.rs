//! What all sessions of a service share, converted once.

use std::sync::Arc;

use arc_swap::ArcSwap;
use rmcp::model::{
    PromptsCapability, ResourcesCapability, ServerCapabilities, TASKS_EXTENSION_ID, Tool,
    ToolsCapability,
};
use tokio_util::sync::CancellationToken;

use crate::adapter::asking::{Asking, Seal};
use crate::adapter::client_roots::Said;
use crate::adapter::convert;
use crate::adapter::open::InFlight;
use crate::adapter::tasks::Tasks;
use crate::kept::Kept;
use crate::service::Service;

/// Cheap to clone.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Inner>);

struct Inner {
    service: Service,
    lists: ArcSwap<Lists>,
    capabilities: ServerCapabilities,
    seal: Seal,
    kept: Kept,
    tasks: Arc<Tasks>,
    said: Said,
    news_end: CancellationToken,
    input_end: CancellationToken,
}

/// The lists as clients get them.
pub(super) struct Lists {
    /// What they are of.
    of: Arc<crate::service::Lists>,
    pub(super) tools: Vec<Tool>,
    pub(super) prompts: Vec<rmcp::model::Prompt>,
    pub(super) templates: Vec<rmcp::model::ResourceTemplate>,
}

impl Lists {
    fn of(of: Arc<crate::service::Lists>) -> Self {
        Self {
            tools: of.tools().iter().map(convert::tool).collect(),
            prompts: of.prompts().iter().map(convert::prompt).collect(),
            templates: of.templates().iter().map(convert::template).collect(),
            of,
        }
    }
}

impl Shared {
    /// `closing` is cancelled when no more is to be served.
    ///
    /// # Errors
    ///
    /// If the system has no random numbers.
    pub(crate) fn new(
        service: Service,
        closing: CancellationToken,
    ) -> Result<Self, getrandom::Error> {
        let lists = ArcSwap::from_pointee(Lists::of(service.lists()));
        Ok(Self(Arc::new(Inner {
            capabilities: capabilities(&service),
            service,
            lists,
            seal: Seal::new()?,
            kept: Kept::default(),
            tasks: Tasks::new(&closing),
            said: Said::default(),
            news_end: closing.child_token(),
            input_end: CancellationToken::new(),
        })))
    }

    pub(super) fn service(&self) -> &Service {
        &self.0.service
    }

    /// What is served now, converted once for all.
    pub(super) fn lists(&self) -> Arc<Lists> {
        let served = self.0.service.lists();
        let converted = self.0.lists.load_full();
        if Arc::ptr_eq(&converted.of, &served) {
            return converted;
        }
        let converted = Arc::new(Lists::of(served));
        self.0.lists.store(Arc::clone(&converted));
        converted
    }

    pub(super) fn capabilities(&self) -> &ServerCapabilities {
        &self.0.capabilities
    }

    pub(super) fn seal(&self) -> &Seal {
        &self.0.seal
    }

    /// What asking a client takes, for one of these requests.
    pub(super) fn asking<'a>(&'a self, in_flight: &'a InFlight) -> Asking<'a> {
        Asking {
            seal: self.seal(),
            in_flight,
            input_end: &self.0.input_end,
        }
    }

    /// Cancelled when the only client there is has said all that it will.
    pub(super) fn input_end(&self) -> &CancellationToken {
        &self.0.input_end
    }

    pub(super) fn kept(&self) -> &Kept {
        &self.0.kept
    }

    pub(super) fn tasks(&self) -> &Arc<Tasks> {
        &self.0.tasks
    }

    /// What has been said about the roots of clients without a session.
    pub(super) fn said(&self) -> &Said {
        &self.0.said
    }

    /// Cancelled when nobody is to hear any more news: subscriptions end then.
    pub(super) fn news_end(&self) -> &CancellationToken {
        &self.0.news_end
    }
}

/// What the plugins offer, and what the host adds to it.
fn capabilities(service: &Service) -> ServerCapabilities {
    let offered = service.offered();
    let mut capabilities = ServerCapabilities::default();
    capabilities.logging = Some(serde_json::Map::new());
    if offered.completion {
        capabilities.completions = Some(serde_json::Map::new());
    }
    if offered.tools {
        let mut tools = ToolsCapability::default();
        tools.list_changed = Some(true);
        capabilities.tools = Some(tools);
    }
    if offered.prompts {
        let mut prompts = PromptsCapability::default();
        prompts.list_changed = Some(true);
        capabilities.prompts = Some(prompts);
    }
    // What is too large of a tool's result is read as a resource.
    if offered.resources || offered.tools {
        let mut resources = ResourcesCapability::default();
        if offered.resources {
            resources.subscribe = Some(true);
            resources.list_changed = Some(true);
        }
        capabilities.resources = Some(resources);
    }
    if offered.tasks {
        let extensions = capabilities.extensions.get_or_insert_default();
        extensions.insert(TASKS_EXTENSION_ID.to_owned(), serde_json::Map::new());
    }
    capabilities
}
