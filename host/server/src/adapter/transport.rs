//! rmcp's transport over lines.

use std::time::Duration;

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorData, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

use crate::adapter::decode::{Decoded, decode};
use crate::adapter::open::{InFlight, OpenRequests};
use crate::service::Service;
use crate::wire::{Input, Lines, Outbox, Output};

/// Requests without an answer before no more are read: more than can run and
/// wait by any grant.
const MAX_OPEN: usize = 520;

/// How long the end of a session waits for the client to read what is left.
const LAST_WORDS: Duration = Duration::from_secs(1);

pub(super) struct LineTransport {
    lines: Lines<Input>,
    outbox: Outbox,
    open: OpenRequests<()>,
    in_flight: InFlight,
    service: Service,
}

impl LineTransport {
    pub(super) fn new(input: Input, output: Output, in_flight: InFlight, service: Service) -> Self {
        Self {
            lines: Lines::new(input),
            outbox: Outbox::new(output),
            open: OpenRequests::new(in_flight.clone()),
            in_flight,
            service,
        }
    }

    /// Takes note of a message; gives it back unless it must be refused or is
    /// of no consequence.
    fn admit(
        &mut self,
        mut message: ClientJsonRpcMessage,
    ) -> Result<ClientJsonRpcMessage, Decoded> {
        match &mut message {
            JsonRpcMessage::Request(request) => {
                let Some(number) = self.open.enter(&request.id, ()) else {
                    let why = "a request with this id is still running";
                    return Err(Decoded::Refused(
                        ErrorData::invalid_request(why, None),
                        Some(request.id.clone()),
                    ));
                };
                request.id = number;
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &mut notification.notification
                    && let Some(id) = &mut cancelled.params.request_id
                {
                    let Some((number, ())) = self.open.give_up(id) else {
                        return Err(Decoded::Ignored("a cancellation of nothing"));
                    };
                    *id = number;
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Ok(message)
    }

    /// Puts the sender's id back; false if nobody waits for the message.
    fn address(&mut self, item: &mut ServerJsonRpcMessage) -> bool {
        let id = match item {
            JsonRpcMessage::Response(response) => Some(&mut response.id),
            JsonRpcMessage::Error(error) => error.id.as_mut(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let Some(id) = id else {
            return true;
        };
        let Some((sender, ())) = self.open.answer(id) else {
            return false;
        };
        *id = sender;
        true
    }

    async fn refuse(&mut self, (error, id): Refusal) -> std::io::Result<()> {
        self.outbox.push(&ServerJsonRpcMessage::error(error, id))?;
        self.outbox.flush().await
    }
}

/// Whether a client that gets this is likely to call a tool next.
pub(super) fn call_may_follow(item: &ServerJsonRpcMessage) -> bool {
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
        mut item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let pushed = if self.address(&mut item) {
            self.outbox.push(&item)
        } else {
            Ok(())
        };
        let outbox = self.outbox.clone();
        let next = call_may_follow(&item).then(|| (self.service.clone(), self.in_flight.clone()));
        async move {
            pushed?;
            outbox.flush().await?;
            // While the client reads its answer, nobody waits for this.
            if let Some((service, in_flight)) = next
                && in_flight.count() == 0
            {
                // Boxed: rmcp keeps this future for some time after it has ended.
                Box::pin(service.prepare()).await;
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if self.open.len() >= MAX_OPEN {
                // Asked again after every answer that is sent.
                return std::future::pending().await;
            }
            let line = tokio::select! {
                line = async {
                    self.outbox.room().await;
                    self.lines.next().await
                } => line,
                () = self.outbox.broken() => return None,
            };
            let line = match line {
                Ok(line) => line?,
                Err(error) => {
                    tracing::warn!("standard input can't be read any more: {error}");
                    return None;
                }
            };
            let decoded = match decode(line) {
                Decoded::Message(message) => match self.admit(*message) {
                    Ok(message) => return Some(message),
                    Err(decoded) => decoded,
                },
                decoded => decoded,
            };
            match decoded {
                Decoded::Refused(error, id) => {
                    if let Err(error) = self.refuse((error, id)).await {
                        tracing::debug!("an error could not be sent: {error}");
                    }
                }
                Decoded::Ignored(what) => tracing::debug!("ignored {what}"),
                Decoded::Message(_) => {}
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        // A client that does not read must not keep the process alive.
        match tokio::time::timeout(LAST_WORDS, self.outbox.flush()).await {
            Ok(flushed) => flushed,
            Err(_) => Err(std::io::ErrorKind::TimedOut.into()),
        }
    }
}
