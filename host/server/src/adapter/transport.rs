//! rmcp's transport over lines.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorData, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

use crate::adapter::decode::{Decoded, decode};
use crate::service::Service;
use crate::wire::{Input, Lines, Outbox, Output};

/// How many requests have been read and not yet answered.
#[derive(Debug, Clone, Default)]
pub(super) struct InFlight(Arc<AtomicUsize>);

impl InFlight {
    pub(super) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, count: usize) {
        self.0.store(count, Ordering::Relaxed);
    }
}

pub(super) struct LineTransport {
    lines: Lines<Input>,
    outbox: Outbox,
    /// Ids of requests without an answer: one may not be used twice at a time.
    open: HashSet<RequestId>,
    in_flight: InFlight,
    service: Service,
}

impl LineTransport {
    pub(super) fn new(input: Input, output: Output, in_flight: InFlight, service: Service) -> Self {
        Self {
            lines: Lines::new(input),
            outbox: Outbox::new(output),
            open: HashSet::new(),
            in_flight,
            service,
        }
    }

    /// Takes note of a message; gives it back unless it must be refused.
    fn admit(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> Result<ClientJsonRpcMessage, Box<Refusal>> {
        match &message {
            JsonRpcMessage::Request(request) => {
                if !self.open.insert(request.id.clone()) {
                    let why = "a request with this id is still running";
                    return Err(Box::new((
                        ErrorData::invalid_request(why, None),
                        Some(request.id.clone()),
                    )));
                }
            }
            // A cancelled request is never answered.
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.open.remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        self.in_flight.set(self.open.len());
        Ok(message)
    }

    async fn refuse(&mut self, (error, id): Refusal) -> std::io::Result<()> {
        self.outbox.push(&ServerJsonRpcMessage::error(error, id))?;
        self.outbox.flush().await
    }
}

/// Whether a client that gets this is likely to call a tool next.
fn call_may_follow(item: &ServerJsonRpcMessage) -> bool {
    matches!(
        item,
        JsonRpcMessage::Response(response)
            if matches!(
                response.result,
                ServerResult::ListToolsResult(_) | ServerResult::CallToolResult(_)
            )
    )
}

type Refusal = (ErrorData, Option<RequestId>);

impl Transport<RoleServer> for LineTransport {
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        match &item {
            JsonRpcMessage::Response(response) => {
                self.open.remove(&response.id);
            }
            JsonRpcMessage::Error(error) => {
                if let Some(id) = &error.id {
                    self.open.remove(id);
                }
            }
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
        }
        self.in_flight.set(self.open.len());
        let pushed = self.outbox.push(&item);
        let outbox = self.outbox.clone();
        let next = call_may_follow(&item).then(|| (self.service.clone(), self.in_flight.clone()));
        async move {
            pushed?;
            outbox.flush().await?;
            // While the client reads its answer, nobody waits for this.
            if let Some((service, in_flight)) = next
                && in_flight.count() == 0
            {
                service.prepare().await;
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.outbox.room().await;
            let line = match self.lines.next().await {
                Ok(line) => line?,
                Err(error) => {
                    tracing::warn!("standard input can't be read any more: {error}");
                    return None;
                }
            };
            let refusal = match decode(line) {
                Decoded::Message(message) => match self.admit(*message) {
                    Ok(message) => return Some(message),
                    Err(refusal) => *refusal,
                },
                Decoded::Refused(error, id) => (error, id),
                Decoded::Ignored(what) => {
                    tracing::debug!("ignored {what}");
                    continue;
                }
            };
            if let Err(error) = self.refuse(refusal).await {
                tracing::warn!("standard output can't be written any more: {error}");
                return None;
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.outbox.flush().await
    }
}
