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

use crate::adapter::handler::Handler;

/// Checks what rmcp does not, then hands over to rmcp's dispatch.
pub(super) struct Front(pub(super) Handler);

impl Front {
    fn check(
        request: &ClientRequest,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let stateless = context.meta.protocol_version().is_some();
        match request {
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

fn not_found(method: &str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None)
}

impl Service<RoleServer> for Front {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        Self::check(&request, &context)?;
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
