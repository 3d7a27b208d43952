//! What a session serves, in the house's own types.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use arc_swap::ArcSwap;
use palisade_policy::{ClientRoots, ToolRules};
use palisade_runtime::contract::{
    CompletionArgument, CompletionReference, CompletionValues, Context, ErrorKind, InputRequired,
    ListKind, ResourceContents, TaskSupport, Tool,
};
use palisade_runtime::{EventSink, Placement, Plugin, Pool, Sandbox};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::hub::Hub;
use crate::names::Naming;
use crate::outcome::{Checked, CheckedPrompt};

mod answers;
mod consent;
mod definitions;
mod listing;
mod lists;
mod live;
mod member;
mod refresh;
mod view;

pub use definitions::{Agreement, DefinitionKind, Withheld, prompt_json, template_json};
pub use lists::Lists;
use lists::Route;
use member::Member;
pub(crate) use refresh::Changes;
pub(crate) use view::Narrowing;
pub use view::View;

/// MCP `Tool` as JSON, as a client gets it.
///
/// # Errors
///
/// If it can't be written as JSON, which no checked tool is.
pub fn tool_json(tool: &Tool) -> serde_json::Result<Value> {
    crate::adapter::tool_json(tool)
}

/// Who the server says it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// MCP `serverInfo.name`.
    pub name: String,
    /// MCP `serverInfo.version`.
    pub version: String,
    /// MCP `instructions`.
    pub instructions: Option<String>,
}

/// One plugin of those that are served.
pub struct PluginSetup {
    /// Its name in what clients see of it; unique among those served.
    pub name: String,
    /// The plugin.
    pub plugin: Plugin,
    /// What it may use.
    pub sandbox: Sandbox,
    /// Which of its tools may be called.
    pub rules: ToolRules,
    /// What a person has agreed to of what it says it has. Without, all of it is
    /// served.
    pub agreement: Option<Arc<dyn Agreement>>,
}

/// Plugins with what they may use. Cheap to clone; shared by all sessions.
#[derive(Clone)]
pub struct Service(Arc<Inner>, ClientRoots);

struct Inner {
    identity: Identity,
    naming: Naming,
    members: Box<[Member]>,
    offered: Offered,
    /// Under the names clients know.
    lists: ArcSwap<Lists>,
    /// Held while they are made anew.
    relisting: Mutex<()>,
    hub: Arc<Hub>,
    /// The member that was called last: most likely the next one as well.
    last: AtomicUsize,
    lookups: Arc<Semaphore>,
}

/// A call as it came from a client.
#[derive(Debug, Clone)]
pub struct CallRequest {
    /// The tool's name.
    pub name: String,
    /// Its arguments, a JSON object that is not yet checked. Shared, since the
    /// same call may have to be made again with answers.
    pub arguments: Arc<Value>,
    /// Everything else about the call.
    pub context: Context,
}

/// How a request to a plugin is carried out.
pub struct Run {
    /// Takes what the guest says meanwhile.
    pub sink: Arc<dyn EventSink>,
    /// Stops the guest.
    pub cancel: CancellationToken,
    /// Where it runs.
    pub placement: Placement,
    /// What it may use.
    pub view: View,
}

/// How a request to a plugin ends.
#[derive(Debug)]
pub enum Reply<T> {
    /// With a result; that of a tool may say that it did not work.
    Done(T),
    /// With questions to the client: it is to be sent again with the answers.
    Ask(InputRequired),
    /// With a JSON-RPC error.
    Refused(Refusal),
}

/// A JSON-RPC error in the house's own terms.
#[derive(Debug)]
pub struct Refusal {
    /// What kind of error.
    pub kind: ErrorKind,
    /// One sentence.
    pub message: String,
    /// More, if there is more.
    pub data: Option<Value>,
}

impl Refusal {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            data: None,
        }
    }
}

/// What of MCP a service offers: what its plugins export, taken together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each stands for a capability of MCP"
)]
pub(crate) struct Offered {
    pub(crate) tools: bool,
    pub(crate) resources: bool,
    pub(crate) prompts: bool,
    pub(crate) completion: bool,
    /// Whether a tool that may be called can run as a task.
    pub(crate) tasks: bool,
}

impl Offered {
    fn add(&mut self, one: Self) {
        self.tools |= one.tools;
        self.resources |= one.resources;
        self.prompts |= one.prompts;
        self.completion |= one.completion;
        self.tasks |= one.tasks;
    }
}

impl Service {
    /// Serves one plugin under its own names, without the tools that are denied.
    ///
    /// # Errors
    ///
    /// If a recorded schema is no JSON, which a loaded plugin's never is.
    pub fn new(identity: Identity, only: PluginSetup) -> serde_json::Result<Self> {
        Self::of(identity, Naming::Alone, vec![only])
    }

    /// Serves several plugins as one server. What each offers carries its name:
    /// tools and prompts are called `NAME__…`, addresses of resources begin
    /// with `palisade://NAME/`. Names of plugins are as in a manifest, and no
    /// two are alike.
    ///
    /// # Errors
    ///
    /// As [`Self::new`].
    pub fn several(identity: Identity, plugins: Vec<PluginSetup>) -> serde_json::Result<Self> {
        Self::of(identity, Naming::Prefixed, plugins)
    }

    fn of(
        identity: Identity,
        naming: Naming,
        plugins: Vec<PluginSetup>,
    ) -> serde_json::Result<Self> {
        let pool = Arc::new(Pool::new());
        let members = plugins
            .into_iter()
            .enumerate()
            .map(|(place, setup)| Member::new(place, setup, Arc::clone(&pool)))
            .collect::<serde_json::Result<Box<[_]>>>()?;
        let mut inner = Inner {
            identity,
            naming,
            members: Box::default(),
            offered: Offered::default(),
            lists: ArcSwap::default(),
            relisting: Mutex::default(),
            hub: Hub::new(),
            last: AtomicUsize::new(0),
            lookups: view::bounds(),
        };
        for member in &members {
            inner.offered.add(member.offered());
        }
        let lists = Lists::of(naming, &members);
        for note in &lists.notes {
            tracing::warn!("{note}");
            let instructions = inner.identity.instructions.get_or_insert_default();
            if !instructions.is_empty() {
                instructions.push('\n');
            }
            instructions.push_str(note);
        }
        inner.lists.store(Arc::new(lists));
        inner.members = members;
        Ok(Self(Arc::new(inner), ClientRoots::default()))
    }

    /// Who this is.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.0.identity
    }

    /// What is served now.
    #[must_use]
    pub fn lists(&self) -> Arc<Lists> {
        self.0.lists.load_full()
    }

    pub(crate) fn offered(&self) -> Offered {
        self.0.offered
    }

    pub(crate) fn hub(&self) -> &Arc<Hub> {
        &self.0.hub
    }

    /// What an answer to a question is bound to besides the call itself: the
    /// plugin that asked.
    pub(crate) fn tool_digest(&self, name: &str) -> Option<String> {
        let lists = self.0.lists.load();
        Some(self.0.members[lists.tool(name)?.member].digest())
    }

    /// Whether calls of a tool may, or must, run as tasks.
    pub(crate) fn task_support(&self, name: &str) -> TaskSupport {
        let lists = self.0.lists.load();
        let route = lists.tool(name);
        route.map_or(TaskSupport::Forbidden, |route| route.task_support)
    }

    pub(crate) fn prompt_digest(&self, name: &str) -> Option<String> {
        let lists = self.0.lists.load();
        Some(self.0.members[lists.prompt(name)?.member].digest())
    }

    pub(crate) fn resource_digest(&self, uri: &str) -> Option<String> {
        let (member, _) = self.0.resource(uri)?;
        Some(member.digest())
    }

    /// Gets ready for the next call, for a moment in which nothing else is to
    /// be done and the next call is likely to have this view.
    pub async fn prepare(&self, view: &View) {
        // Which of several is called next can't be known, only guessed.
        if let Some(last) = self.0.members.get(self.0.last.load(Ordering::Relaxed)) {
            last.prepare(view).await;
        }
    }

    /// Runs a tool: gate, guest, checks of the outcome.
    pub async fn call(&self, request: CallRequest, run: Run) -> Reply<Checked> {
        let route = self.tool(&request.name, &run.view).await;
        let route = match route {
            Ok(route) => route,
            Err(Some(absent)) => return Reply::Done(Checked::failure(absent)),
            Err(None) => {
                let message = format!("there is no tool called {:?}", request.name);
                return Reply::Refused(Refusal::new(ErrorKind::InvalidParams, message));
            }
        };
        let member = self.0.called(&route);
        let run = self.0.heard(run, member);
        let reply = member
            .call(&route.name, &request.arguments, request.context, run)
            .await;
        self.0.addressed(member, reply, answers::address_result)
    }

    /// Reads a resource.
    pub async fn read(
        &self,
        uri: &str,
        context: Context,
        run: Run,
    ) -> Reply<Vec<ResourceContents>> {
        let Some((member, own)) = self.0.resource(uri) else {
            return Reply::Refused(unknown_resource(uri));
        };
        let run = self.0.heard(run, member);
        let mut reply = member.read(own, context, run).await;
        if let Reply::Refused(refusal) = &mut reply
            && refusal.kind == ErrorKind::NotFound
        {
            // In the client's words, whatever the plugin calls it.
            refusal.data = unknown_resource(uri).data;
        }
        self.0.addressed(member, reply, answers::address_contents)
    }

    /// Whether an address can be one of those that are served.
    ///
    /// # Errors
    ///
    /// What a client is told of one that can't.
    pub(crate) fn check_address(&self, uri: &str) -> Result<(), Refusal> {
        // Only a plugin knows its own.
        if self.0.naming == Naming::Alone || self.0.resource(uri).is_some() {
            return Ok(());
        }
        Err(unknown_resource(uri))
    }

    /// Fills in a prompt. Required arguments are checked, and arguments the
    /// prompt does not have refused.
    pub async fn prompt(
        &self,
        name: &str,
        arguments: Vec<(String, String)>,
        context: Context,
        run: Run,
    ) -> Reply<CheckedPrompt> {
        let route = match self.prompt_route(name, &run.view).await {
            Ok(route) => route,
            Err(Some(absent)) => return Reply::Refused(Refusal::new(ErrorKind::Denied, absent)),
            Err(None) => return Reply::Refused(no_prompt(name)),
        };
        let member = self.0.called(&route);
        let run = self.0.heard(run, member);
        let reply = member.prompt(&route.name, arguments, context, run).await;
        self.0.addressed(member, reply, answers::address_prompt)
    }

    /// Proposes values for an argument of a prompt or a template.
    ///
    /// # Errors
    ///
    /// [`Refusal`].
    pub async fn complete(
        &self,
        reference: CompletionReference,
        argument: CompletionArgument,
        context: Context,
        run: Run,
    ) -> Result<CompletionValues, Refusal> {
        let (member, reference) = match reference {
            CompletionReference::Prompt(name) => {
                let route = self.0.lists.load().prompt(&name).cloned();
                let Some(route) = route else {
                    return Err(no_prompt(&name));
                };
                let member = &self.0.members[route.member];
                (member, CompletionReference::Prompt(route.name.clone()))
            }
            CompletionReference::Template(uri) => {
                let Some((member, own)) = self.0.resource(&uri) else {
                    return Err(unknown_resource(&uri));
                };
                (member, CompletionReference::Template(own.to_owned()))
            }
        };
        let run = self.0.heard(run, member);
        member.complete(reference, argument, context, run).await
    }

    /// Where a tool is, as its plugin has it now; or why it is not served, if there
    /// is one.
    async fn tool(&self, name: &str, view: &View) -> Result<Arc<Route>, Option<String>> {
        let find = || self.0.lists.load().tool(name).cloned();
        let mut found = find();
        // One that is not there now stays so: which directories this view has was
        // decided for what is there.
        if let Some(route) = &found {
            let member = &self.0.members[route.member];
            if self.refresh_member(member, ListKind::Tools, view).await {
                found = find();
            }
        }
        found.ok_or_else(|| self.0.lists.load().absent_tool(name))
    }

    /// The same of a prompt.
    async fn prompt_route(&self, name: &str, view: &View) -> Result<Arc<Route>, Option<String>> {
        let find = || self.0.lists.load().prompt(name).cloned();
        let mut found = find();
        if let Some(route) = &found {
            let member = &self.0.members[route.member];
            if self.refresh_member(member, ListKind::Prompts, view).await {
                found = find();
            }
        }
        found.ok_or_else(|| self.0.lists.load().absent_prompt(name))
    }
}

fn no_prompt(name: &str) -> Refusal {
    let message = format!("there is no prompt called {name:?}");
    Refusal::new(ErrorKind::InvalidParams, message)
}

impl Inner {
    /// The plugin of a route that is taken now.
    fn called(&self, route: &Route) -> &Member {
        self.last.store(route.member, Ordering::Relaxed);
        &self.members[route.member]
    }

    /// The plugin a resource belongs to, and what it is called there.
    fn resource<'a>(&self, uri: &'a str) -> Option<(&Member, &'a str)> {
        let (plugin, own) = self.naming.resolve(uri)?;
        let member = self.members.iter().find(|member| {
            member.offered().resources && plugin.is_none_or(|name| name == &**member.name())
        })?;
        Some((member, own))
    }

    /// The same run, of which the hub hears what is for everybody.
    fn heard(&self, run: Run, member: &Member) -> Run {
        Run {
            sink: self.hub.heard(
                run.sink,
                self.naming,
                Arc::clone(member.name()),
                Arc::clone(member.changes()),
            ),
            ..run
        }
    }

    /// A reply in which addresses are those that clients know.
    fn addressed<T>(
        &self,
        member: &Member,
        mut reply: Reply<T>,
        rename: impl FnOnce(&mut T, &dyn Fn(&mut String)),
    ) -> Reply<T> {
        if self.naming == Naming::Prefixed
            && let Reply::Done(done) = &mut reply
        {
            rename(done, &|uri| *uri = self.naming.uri(member.name(), uri));
        }
        reply
    }
}

/// MCP: an unknown resource is named in the error's data.
fn unknown_resource(uri: &str) -> Refusal {
    Refusal {
        data: Some(serde_json::json!({ "uri": uri })),
        ..Refusal::new(ErrorKind::NotFound, format!("there is no resource {uri:?}"))
    }
}
