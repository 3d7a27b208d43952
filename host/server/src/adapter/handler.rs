//! The methods a session answers.

#![expect(
    deprecated,
    reason = "2026-07-28 deprecates logging and subscriptions by request; until they are gone they are served"
)]

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use palisade_runtime::contract::{Context, ListKind};
use palisade_runtime::{EventSink, Placement};
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestMethod,
    CompleteRequestParams, CompleteResult, ConstString, GetPromptRequestParams, GetPromptResponse,
    GetTaskParams, GetTaskResult, Implementation, InitializeRequestParams, InitializeResult,
    ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesRequestMethod, ListResourcesResult, ListToolsRequestMethod, ListToolsResult,
    LoggingLevel, MetaObject, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestMethod,
    ReadResourceRequestParams, ReadResourceResponse, ServerConfig, SetLevelRequestMethod,
    SetLevelRequestParams, SubscribeRequestMethod, SubscribeRequestParams, SubscriptionFilter,
    Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::adapter::asking::{self, Binding, Conversed, Echo, Step};
use crate::adapter::client_roots::SessionRoots;
use crate::adapter::open::InFlight;
use crate::adapter::shared::Shared;
use crate::adapter::{context, events, news, refusal, requests, tasks};
use crate::hub::Watch;
use crate::kept::{Kept, Owner};
use crate::service::{Refusal, Reply, Run, Service, View};

/// Key of `_meta` under which a stateless result says who made it.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// One session of one client, or one stateless request.
pub(super) struct Handler {
    shared: Shared,
    pub(super) in_flight: InFlight,
    /// Who is served: what a client keeps for us is of no use to another.
    principal: Arc<str>,
    /// Who this session is to what is kept for it.
    session: Owner,
    /// The client's roots; a stateless request brings its own.
    roots: Option<Arc<SessionRoots>>,
    /// What `logging/setLevel` asked for, as a position in [`events::LEVELS`].
    level: AtomicU8,
    /// What the session wants to know; made when it first can want anything.
    watch: OnceLock<Arc<Watch>>,
    told: AtomicBool,
    end: CancellationToken,
    _end: DropGuard,
}

impl Handler {
    /// `roots` is none for one stateless request.
    pub(super) fn new(
        shared: Shared,
        in_flight: InFlight,
        principal: Arc<str>,
        roots: Option<Arc<SessionRoots>>,
    ) -> Self {
        let end = CancellationToken::new();
        Self {
            session: shared.kept().session(),
            shared,
            in_flight,
            principal,
            roots,
            level: AtomicU8::new(events::position(LoggingLevel::Info)),
            watch: OnceLock::new(),
            told: AtomicBool::new(false),
            _end: end.clone().drop_guard(),
            end,
        }
    }

    pub(super) fn service(&self) -> &Service {
        self.shared.service()
    }

    pub(super) fn kept(&self) -> &Kept {
        self.shared.kept()
    }

    /// Whose a result is that is kept for a request.
    pub(super) fn owner(&self, context: &RequestContext<RoleServer>) -> Owner {
        if context::is_stateless(context) {
            Owner::Caller(Arc::clone(&self.principal))
        } else {
            self.session.clone()
        }
    }

    /// Whether there are resources: also those of a plugin without any are,
    /// which are results that were too large.
    fn has_resources(&self) -> bool {
        self.shared.capabilities().resources.is_some()
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }

    pub(super) fn roots(&self) -> Option<&Arc<SessionRoots>> {
        self.roots.as_ref()
    }

    pub(super) fn principal(&self) -> &Arc<str> {
        &self.principal
    }

    fn watch(&self) -> &Arc<Watch> {
        self.watch.get_or_init(|| self.service().hub().watch())
    }

    fn identity(&self) -> Implementation {
        let identity = self.service().identity();
        Implementation::new(&identity.name, &identity.version)
    }

    /// The `_meta` every result of the stateless revisions should carry.
    fn result_meta(&self, context: &RequestContext<RoleServer>) -> Option<MetaObject> {
        context::is_stateless(context).then(|| {
            let identity = self.service().identity();
            let info = serde_json::json!({ "name": identity.name, "version": identity.version });
            MetaObject(std::iter::once((SERVER_INFO.to_owned(), info)).collect())
        })
    }

    /// Adds to `meta` what every result should carry.
    fn sign(&self, meta: &mut Option<MetaObject>, context: &RequestContext<RoleServer>) {
        if let Some(own) = self.result_meta(context) {
            meta.get_or_insert_default().extend(own);
        }
    }

    /// Refuses a method whose capability is not advertised.
    fn offers<M: ConstString>(&self, offered: bool) -> Result<(), ErrorData> {
        if offered {
            return Ok(());
        }
        Err(ErrorData::method_not_found::<M>())
    }

    /// Alone, a call is quickest on the thread that read it.
    fn placement(&self) -> Placement {
        if self.in_flight.total() > 1 {
            Placement::Shared
        } else {
            Placement::Here
        }
    }

    /// Carries a request to a plugin out, with what the plugin says meanwhile.
    pub(super) async fn run<T, F>(
        &self,
        context: &RequestContext<RoleServer>,
        view: View,
        request: impl FnOnce(Context, Run) -> F,
    ) -> T
    where
        F: Future<Output = T>,
    {
        let (sink, mut outlet) = events::channel(context, self.level.load(Ordering::Relaxed));
        let run = Run {
            sink: Arc::new(sink),
            cancel: context.ct.clone(),
            placement: self.placement(),
            view,
        };
        let request = Box::pin(request(context::of(context), run));
        outlet.forward_while(request).await
    }

    fn ask_for_roots(&self, context: &NotificationContext<RoleServer>) {
        if let Some(roots) = &self.roots {
            roots.ask_soon(&context.peer);
        }
    }

    /// What the answers to a call's questions are bound to.
    pub(super) fn binding(&self, call: &serde_json::Value) -> Binding {
        Binding::new(&(&*self.principal, call))
    }

    /// The same for one that may have questions to the client, with the
    /// answers to them. `call` says which it is, `refused` how a refusal is
    /// told.
    pub(super) async fn converse<T, F>(
        &self,
        context: &RequestContext<RoleServer>,
        view: View,
        call: impl FnOnce() -> serde_json::Value,
        echo: Echo,
        refused: fn(Refusal) -> ErrorData,
        mut request: impl FnMut(Context, Run) -> F,
    ) -> Result<Conversed<T>, ErrorData>
    where
        F: Future<Output = Reply<T>>,
    {
        let (sink, mut outlet) = events::channel(context, self.level.load(Ordering::Relaxed));
        let sink: Arc<dyn EventSink> = Arc::new(sink);
        let placement = self.placement();
        let binding = || self.binding(&call());
        // Boxed, as above: rmcp's loop makes room for the largest future in
        // every request, also in one that only lists.
        let conversation = Box::pin(asking::converse(
            self.shared.asking(&self.in_flight),
            context,
            binding,
            echo,
            |given: Context| {
                let run = Run {
                    sink: Arc::clone(&sink),
                    cancel: context.ct.clone(),
                    placement,
                    view: view.clone(),
                };
                let reply = request(given, run);
                async move {
                    match reply.await {
                        Reply::Done(done) => Ok(Step::Done(done)),
                        Reply::Ask(questions) => Ok(Step::Ask(questions)),
                        Reply::Refused(refusal) => Err(refused(refusal)),
                    }
                }
            },
        ));
        outlet.forward_while(conversation).await
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        if let Some(roots) = &self.roots {
            roots.end();
        }
        self.kept().forget(&self.session);
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let config =
            ServerConfig::new(self.shared.capabilities().clone()).with_server_info(self.identity());
        match &self.service().identity().instructions {
            Some(instructions) => config.with_instructions(instructions),
            None => config,
        }
    }

    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.negotiate_initialize(&request)?;
        // The extension is one of the stateless revisions.
        result.capabilities.extensions = None;
        // What was agreed on, not what was asked for, decides from here on.
        request.protocol_version = result.protocol_version.clone();
        if let Some(roots) = &self.roots {
            roots.opened(request.capabilities.roots.is_some());
        }
        context.peer.set_peer_info(request);
        Ok(result)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.ask_for_roots(&context);
        if self.told.swap(true, Ordering::Relaxed) {
            return;
        }
        let offered = self.service().offered();
        let watch = Arc::clone(self.watch());
        watch.lists(offered.tools, offered.prompts, offered.resources);
        tokio::spawn(news::tell(watch, context.peer, self.end.clone()));
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.ask_for_roots(&context);
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.offers::<SetLevelRequestMethod>(!context::is_stateless(&context))?;
        self.level
            .store(events::position(request.level), Ordering::Relaxed);
        Ok(())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.offers::<ListToolsRequestMethod>(self.service().offered().tools)?;
        let lists = requests::lists(self, ListKind::Tools, &context).await?;
        let (page, next) = requests::page(&lists.tools, request, |tool| &tool.name)?;
        let mut result = ListToolsResult::with_all_items(page.to_vec());
        result.next_cursor = next;
        result.meta = self.result_meta(&context);
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let lists = self.shared.lists();
        lists.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut response = requests::call_tool(self, request, &context).await?;
        match &mut response {
            CallToolResponse::Complete(result) => self.sign(&mut result.meta, &context),
            CallToolResponse::InputRequired(result) => self.sign(&mut result.meta, &context),
            CallToolResponse::Task(result) => self.sign(&mut result.meta, &context),
            _ => {}
        }
        Ok(response)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.offers::<ListResourcesRequestMethod>(self.has_resources())?;
        let all = requests::list_resources(self, &context).await?;
        let (page, next) = requests::page(&all, request, |one| &one.uri)?;
        let mut result = ListResourcesResult::with_all_items(page.to_vec());
        result.next_cursor = next;
        result.meta = self.result_meta(&context);
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.offers::<ListResourcesRequestMethod>(self.has_resources())?;
        let lists = requests::lists(self, ListKind::Resources, &context).await?;
        let (page, next) = requests::page(&lists.templates, request, |one| &one.uri_template)?;
        let mut result = ListResourceTemplatesResult::with_all_items(page.to_vec());
        result.next_cursor = next;
        result.meta = self.result_meta(&context);
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.offers::<ReadResourceRequestMethod>(self.has_resources())?;
        let mut response = requests::read_resource(self, request, &context).await?;
        match &mut response {
            ReadResourceResponse::Complete(result) => self.sign(&mut result.meta, &context),
            ReadResourceResponse::InputRequired(result) => self.sign(&mut result.meta, &context),
            _ => {}
        }
        Ok(response)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.offers::<ListPromptsRequestMethod>(self.service().offered().prompts)?;
        let lists = requests::lists(self, ListKind::Prompts, &context).await?;
        let (page, next) = requests::page(&lists.prompts, request, |one| &one.name)?;
        let mut result = ListPromptsResult::with_all_items(page.to_vec());
        result.next_cursor = next;
        result.meta = self.result_meta(&context);
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.offers::<ListPromptsRequestMethod>(self.service().offered().prompts)?;
        let mut response = requests::get_prompt(self, request, &context).await?;
        match &mut response {
            GetPromptResponse::Complete(result) => self.sign(&mut result.meta, &context),
            GetPromptResponse::InputRequired(result) => self.sign(&mut result.meta, &context),
            _ => {}
        }
        Ok(response)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.offers::<CompleteRequestMethod>(self.service().offered().completion)?;
        let mut result = requests::complete(self, request, &context).await?;
        self.sign(&mut result.meta, &context);
        Ok(result)
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let mut result = tasks::get(self, &request.task_id).await?;
        self.sign(&mut result.meta, &context);
        Ok(result)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::update(self, &request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::cancel(self, &request.task_id)
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.offers::<SubscribeRequestMethod>(self.service().offered().resources)?;
        self.service()
            .check_address(&request.uri)
            .map_err(refusal::of_resource)?;
        self.watch()
            .subscribe(request.uri)
            .map_err(|problem| ErrorData::invalid_params(problem.to_string(), None))
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.offers::<SubscribeRequestMethod>(self.service().offered().resources)?;
        self.watch().unsubscribe(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(news::accepted(requested, self.service()))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let _waits = self.in_flight.wait();
        news::listen(self.service().hub(), context, self.shared.news_end()).await;
        Ok(())
    }

    fn supported_protocol_versions(&self) -> std::borrow::Cow<'static, [ProtocolVersion]> {
        ProtocolVersion::KNOWN_VERSIONS.into()
    }
}
