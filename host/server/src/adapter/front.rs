//! Which lifecycle a request belongs to, decided request by request.
//!
//! A request whose `_meta` names a protocol version is stateless (2026-07-28);
//! any other belongs to the session that `initialize` opens. Both may be mixed
//! on one stream in any order, and nothing a client sends first ends it.

use std::borrow::Cow;

use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    ClientNotification, ClientRequest, ErrorCode, ProtocolVersion, ServerConfig, ServerResult,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, Service};

use crate::adapter::context;
use crate::adapter::handler::Handler;

/// Checks what rmcp does not, then hands over to rmcp's dispatch.
pub(super) struct Front(pub(super) Handler);

impl Front {
    fn check(
        &self,
        request: &ClientRequest,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let meta = &context.meta;
        let stateless = meta.protocol_version().is_some();
        if !stateless && meta.contains_key(PROTOCOL_VERSION) {
            return Err(unreadable(PROTOCOL_VERSION));
        }
        if let Some(version) = meta.protocol_version()
            && version < ProtocolVersion::V_2026_07_28
            && ProtocolVersion::KNOWN_VERSIONS.contains(&version)
        {
            // It is spoken here, but in sessions.
            return Err(ErrorData::unsupported_protocol_version(
                version,
                &[ProtocolVersion::V_2026_07_28],
            ));
        }
        if meta.log_level().is_none() && meta.contains_key(LOG_LEVEL) {
            return Err(unreadable(LOG_LEVEL));
        }
        match request {
            // rmcp takes a request whose parameters it can't read for one of
            // a method it does not know.
            ClientRequest::CustomRequest(custom)
                if is_served(&custom.method, stateless)
                    && (self.0.service().offered().tasks || !is_of_tasks(&custom.method)) =>
            {
                let why = format!("the parameters of {} can't be read", custom.method);
                Err(ErrorData::invalid_params(why, None))
            }
            ClientRequest::GetTaskRequest(_)
            | ClientRequest::UpdateTaskRequest(_)
            | ClientRequest::CancelTaskRequest(_)
                if !context::is_stateless(context) =>
            {
                Err(not_found(request.method()))
            }
            ClientRequest::InitializeRequest(_) if stateless => Err(not_found("initialize")),
            ClientRequest::InitializeRequest(_) | ClientRequest::DiscoverRequest(_) => Ok(()),
            ClientRequest::PingRequest(_) if !stateless => Ok(()),
            _ if stateless || context.peer.peer_info().is_some() => Ok(()),
            _ => Err(ErrorData::invalid_params(
                "send initialize first, or name the protocol version in _meta \
                 (io.modelcontextprotocol/protocolVersion)",
                None,
            )),
        }
    }
}

/// Keys of `_meta` that must be right if they are there.
pub(super) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// Whether a method exists in this lifecycle.
fn is_served(method: &str, stateless: bool) -> bool {
    match method {
        "tools/list"
        | "tools/call"
        | "resources/list"
        | "resources/templates/list"
        | "resources/read"
        | "prompts/list"
        | "prompts/get"
        | "completion/complete"
        | "server/discover" => true,
        "subscriptions/listen" | "tasks/get" | "tasks/update" | "tasks/cancel" => stateless,
        "initialize"
        | "ping"
        | "logging/setLevel"
        | "resources/subscribe"
        | "resources/unsubscribe" => !stateless,
        _ => false,
    }
}

/// Whether a method is one of the extension that not every service offers.
fn is_of_tasks(method: &str) -> bool {
    method.starts_with("tasks/")
}

fn unreadable(key: &str) -> ErrorData {
    ErrorData::invalid_params(format!("{key} in _meta can't be read"), None)
}

fn not_found(method: &str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None)
}

impl Service<RoleServer> for Front {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        self.check(&request, &context)?;
        self.0.handle_request(request, context).await
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.handle_notification(notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        ServerHandler::get_info(&self.0)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        ServerHandler::supported_protocol_versions(&self.0)
    }
}
