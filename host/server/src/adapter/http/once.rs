//! A request that needs no session (2026-07-28).

use std::sync::Arc;

use hyper::{HeaderMap, StatusCode};
use palisade_runtime::aside;
use rmcp::model::{
    ClientJsonRpcMessage, ErrorCode, ErrorData, GetMeta as _, JsonRpcMessage, ServerJsonRpcMessage,
};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::adapter::front::Front;
use crate::adapter::handler::Handler;
use crate::adapter::http::guard::Guarded;
use crate::adapter::http::headers;
use crate::adapter::http::message::{Message, Wrong, json as bytes, missing};
use crate::adapter::large::is_large;
use crate::adapter::shared::Shared;
use crate::adapter::transport::call_may_follow;
use crate::adapter::{Counting, InFlight};
use crate::http::{Log, Reader, Refusal};
use crate::service::{Service, View};

/// Serves one request until it is answered or `cancel` is cancelled. What it
/// says is read from what is returned.
pub(crate) fn serve_once(
    shared: &Shared,
    in_flight: &InFlight,
    principal: Arc<str>,
    message: Message,
    headers: &HeaderMap,
    log: (Log, u64),
    cancel: &CancellationToken,
) -> Result<Reader, Refusal> {
    let JsonRpcMessage::Request(request) = &*message.0 else {
        return Err(Refusal::bad_request("this is no request"));
    };
    let malformed = !missing(request.request.get_meta()).is_empty();
    if !malformed && let Err(why) = headers::check(headers, &request.request, shared.service()) {
        let error = ErrorData::header_mismatch(why, None);
        let id = Some(request.id.clone());
        return Err(Wrong { error, id }.refusal(true));
    }
    let (log, stream) = log;
    let reader = log
        .read(stream, None)
        .map_err(|_| Refusal::busy("this server is about to end"))?;
    let listens = message.listens();
    let transport = OneRequest {
        message: Some(message.0),
        malformed,
        log,
        stream,
        answered: CancellationToken::new(),
        service: shared.service().clone(),
        in_flight: in_flight.clone(),
        counted: (!listens).then(|| in_flight.guard()),
    };
    let handler = Handler::new(shared.clone(), in_flight.clone(), principal, None);
    let running = rmcp::service::serve_directly_with_ct(
        Guarded(Front(handler)),
        transport,
        None,
        cancel.clone(),
    );
    tokio::spawn(async move {
        if let Err(error) = running.waiting().await {
            tracing::error!("serving a request failed: {error}");
        }
    });
    Ok(reader)
}

/// What a subscription ends with when the server does.
pub(crate) fn last_word(id: &Value) -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": id,
        "result": {
            "resultType": "complete",
            "_meta": { "io.modelcontextprotocol/subscriptionId": id },
        },
    })
}

/// A transport that brings one request, and takes what is said until it is
/// answered.
struct OneRequest {
    message: Option<Box<ClientJsonRpcMessage>>,
    /// Whether its `_meta` lacks what it must have.
    malformed: bool,
    log: Log,
    stream: u64,
    answered: CancellationToken,
    service: Service,
    in_flight: InFlight,
    counted: Option<Counting>,
}

impl OneRequest {
    /// Says what is no answer; returns the status of an answer.
    fn take(&mut self, item: &ServerJsonRpcMessage) -> std::io::Result<Option<StatusCode>> {
        match item {
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {
                self.counted = None;
                Ok(Some(status(item, self.malformed)))
            }
            JsonRpcMessage::Notification(_) => {
                if self.log.say(self.stream, &bytes(item)).is_err() {
                    tracing::debug!("a notification was left out: the client does not read");
                }
                Ok(None)
            }
            JsonRpcMessage::Request(_) => Err(std::io::Error::new(
                std::io::ErrorKind::Unsupported,
                "nobody can be asked where there is no session",
            )),
        }
    }
}

impl Drop for OneRequest {
    fn drop(&mut self) {
        // Whatever became of it, nobody waits for it any longer.
        self.log.give_up(self.stream);
    }
}

/// While the client reads its answer, nobody waits for this.
pub(super) fn prepare_for_next(
    item: &ServerJsonRpcMessage,
    service: &Service,
    in_flight: &InFlight,
    view: impl FnOnce() -> Option<View>,
) {
    if call_may_follow(item)
        && in_flight.total() == 0
        && let Some(view) = view()
    {
        let service = service.clone();
        tokio::spawn(async move { service.prepare(&view).await });
    }
}

/// An answer as JSON.
pub(super) struct Answer {
    pub(super) json: Vec<u8>,
    /// What it becomes if there is no room for it.
    pub(super) instead: Vec<u8>,
}

impl Answer {
    fn of(item: &ServerJsonRpcMessage) -> Self {
        Self {
            json: bytes(item),
            instead: bytes(&no_room(item)),
        }
    }
}

/// Writes an answer, aside if it is large, and gives it to `done` with what
/// goes with it. Nothing is written of what is no answer.
pub(super) fn answered<T: Send + 'static>(
    item: ServerJsonRpcMessage,
    taken: std::io::Result<Option<T>>,
    done: impl FnOnce(Answer, T) + Send + 'static,
) -> impl Future<Output = std::io::Result<()>> + Send + 'static {
    // What is small is there before anything else can be said.
    let (end, aside) = match taken {
        Ok(Some(with)) if is_large(&item) => {
            let write = move || done(Answer::of(&item), with);
            (Ok(()), Some(aside(write)))
        }
        Ok(Some(with)) => {
            done(Answer::of(&item), with);
            (Ok(()), None)
        }
        Ok(None) => (Ok(()), None),
        Err(error) => (Err(error), None),
    };
    async move {
        if let Some(aside) = aside {
            aside.await;
        }
        end
    }
}

/// What an answer becomes that there is no room for.
pub(in crate::adapter) fn no_room(item: &ServerJsonRpcMessage) -> ServerJsonRpcMessage {
    let id = match item {
        JsonRpcMessage::Response(response) => Some(response.id.clone()),
        JsonRpcMessage::Error(error) => error.id.clone(),
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
    };
    let why = "there is no room to keep this answer: too much waits to be read";
    ServerJsonRpcMessage::error(ErrorData::internal_error(why, None), id)
}

/// The status that goes with an answer of the stateless revisions.
fn status(item: &ServerJsonRpcMessage, malformed: bool) -> StatusCode {
    let JsonRpcMessage::Error(error) = item else {
        return StatusCode::OK;
    };
    match error.error.code {
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
        | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY
        | ErrorCode::HEADER_MISMATCH => StatusCode::BAD_REQUEST,
        ErrorCode::INVALID_PARAMS if malformed => StatusCode::BAD_REQUEST,
        ErrorCode::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}

impl Transport<RoleServer> for OneRequest {
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let taken = self.take(&item);
        let granted = || Some(View::default());
        prepare_for_next(&item, &self.service, &self.in_flight, granted);
        let (log, stream, end) = (self.log.clone(), self.stream, self.answered.clone());
        answered(item, taken, move |answer, status| {
            log.answer(stream, status.as_u16(), &answer.json, &answer.instead);
            end.cancel();
        })
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        if let Some(message) = self.message.take() {
            return Some(*message);
        }
        self.answered.cancelled().await;
        None
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}
