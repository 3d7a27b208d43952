//! A handler that panics answers all the same.
//!
//! rmcp runs handlers in tasks of their own and does not look at how they end:
//! whoever waits for the answer would wait for ever, and a session would count
//! as busy until it is deleted.

use std::borrow::Cow;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

use rmcp::ErrorData;
use rmcp::model::{ClientNotification, ClientRequest, ProtocolVersion, ServerConfig, ServerResult};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, Service};

use crate::adapter::front::Front;

/// [`Front`], whose every request is answered.
pub(super) struct Guarded(pub(super) Front);

impl Service<RoleServer> for Guarded {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let mut handled = Box::pin(self.0.handle_request(request, context));
        poll_fn(|cx| {
            // What a panic left half done is dropped with the future.
            match catch_unwind(AssertUnwindSafe(|| handled.as_mut().poll(cx))) {
                Ok(poll) => poll,
                Err(_) => Poll::Ready(Err(ErrorData::internal_error(
                    "this request could not be served; this is a bug in Palisade",
                    None,
                ))),
            }
        })
        .await
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.handle_notification(notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        self.0.get_info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.0.supported_protocol_versions()
    }
}
