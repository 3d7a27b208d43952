//! The methods a session answers.

#![expect(
    deprecated,
    reason = "2026-07-28 deprecates logging; until it is gone it is served"
)]

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use palisade_runtime::Placement;
use palisade_runtime::contract::ErrorKind;
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorCode, Implementation, InitializeRequestParams,
    InitializeResult, ListToolsResult, LoggingLevel, MetaObject, PaginatedRequestParams,
    ProtocolVersion, ServerCapabilities, ServerConfig, SetLevelRequestParams, Tool,
};
use rmcp::service::{RequestContext, RoleServer};

use crate::adapter::open::InFlight;
use crate::adapter::{context, convert, downgrade, events};
use crate::service::{CallRequest, Reply, Service};

/// Key of `_meta` under which a stateless result says who made it.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// One session of one client.
pub(super) struct Handler {
    service: Service,
    in_flight: InFlight,
    /// What `logging/setLevel` asked for, as a position in [`events::LEVELS`].
    level: AtomicU8,
    tools: OnceLock<Arc<[Tool]>>,
}

impl Handler {
    pub(super) fn new(service: Service, in_flight: InFlight) -> Self {
        Self {
            service,
            in_flight,
            level: AtomicU8::new(events::position(LoggingLevel::Info)),
            tools: OnceLock::new(),
        }
    }

    fn identity(&self) -> Implementation {
        let identity = self.service.identity();
        Implementation::new(&identity.name, &identity.version)
    }

    fn tools(&self) -> &[Tool] {
        self.tools
            .get_or_init(|| self.service.tools().iter().map(convert::tool).collect())
    }

    /// The `_meta` every result of the stateless revisions should carry.
    fn result_meta(&self, context: &RequestContext<RoleServer>) -> Option<MetaObject> {
        context::is_stateless(context).then(|| {
            let identity = self.service.identity();
            let info = serde_json::json!({ "name": identity.name, "version": identity.version });
            MetaObject(std::iter::once((SERVER_INFO.to_owned(), info)).collect())
        })
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_logging()
            .build();
        let config = ServerConfig::new(capabilities).with_server_info(self.identity());
        match &self.service.identity().instructions {
            Some(instructions) => config.with_instructions(instructions),
            None => config,
        }
    }

    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let result = self.negotiate_initialize(&request)?;
        // What was agreed on, not what was asked for, decides from here on.
        request.protocol_version = result.protocol_version.clone();
        context.peer.set_peer_info(request);
        Ok(result)
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if context::is_stateless(&context) {
            return Err(ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                "logging/setLevel",
                None,
            ));
        }
        self.level
            .store(events::position(request.level), Ordering::Relaxed);
        Ok(())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            return Err(ErrorData::invalid_params(
                "this cursor did not come from this server",
                None,
            ));
        }
        let mut result = ListToolsResult::with_all_items(self.tools().to_vec());
        result.meta = self.result_meta(&context);
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = CallRequest {
            name: request.name.into_owned(),
            arguments: request.arguments.unwrap_or_default(),
            context: context::of(&context),
        };
        // Alone, a call is quickest on the thread that read it.
        let placement = if self.in_flight.count() > 1 {
            Placement::Shared
        } else {
            Placement::Here
        };
        let (sink, mut outlet) = events::channel(&context, self.level.load(Ordering::Relaxed));
        let call = self
            .service
            .call(call, Arc::new(sink), context.ct.clone(), placement);
        match outlet.forward_while(call).await {
            Reply::Result(checked) => {
                let mut result = convert::tool_result(checked);
                downgrade::content(&mut result.content, context.protocol_version().as_ref());
                if let Some(meta) = self.result_meta(&context) {
                    result.meta.get_or_insert_default().extend(meta);
                }
                Ok(result.into())
            }
            Reply::Error {
                kind,
                message,
                data,
            } => Err(ErrorData::new(error_code(kind), message, data)),
        }
    }

    fn supported_protocol_versions(&self) -> std::borrow::Cow<'static, [ProtocolVersion]> {
        ProtocolVersion::KNOWN_VERSIONS.into()
    }
}

fn error_code(kind: ErrorKind) -> ErrorCode {
    match kind {
        ErrorKind::InvalidParams | ErrorKind::NotFound => ErrorCode::INVALID_PARAMS,
        ErrorKind::Unsupported => ErrorCode::METHOD_NOT_FOUND,
        ErrorKind::Denied | ErrorKind::Internal => ErrorCode::INTERNAL_ERROR,
    }
}
