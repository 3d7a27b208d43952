//! The body of a POST: a message, or many.

use hyper::StatusCode;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, GetMeta as _, JsonRpcMessage,
    JsonRpcRequest, ProtocolVersion, RequestId, RequestMetaObject, ServerJsonRpcMessage,
};
use serde_json::value::RawValue;

use crate::adapter::decode::{Decoded, decode, is_bomb};
use crate::adapter::front::PROTOCOL_VERSION;
use crate::http::Refusal;
use crate::wire::Line;

/// Messages one array may hold.
const MAX_BATCH: usize = 256;

/// What a body holds.
pub(crate) enum Body {
    /// One message.
    One(Message),
    /// An array, as revision 2025-03-26 has it.
    Many(Vec<Result<Message, Wrong>>),
}

/// A message from a client.
pub(crate) struct Message(pub(super) Box<ClientJsonRpcMessage>);

/// What cannot be served, and what to say about it.
pub(crate) struct Wrong {
    pub(super) error: ErrorData,
    pub(super) id: Option<RequestId>,
}

/// What kind of message one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Request,
    Notification,
    /// To a request of ours.
    Answer,
}

/// Reads a body.
pub(crate) fn read(body: Vec<u8>) -> Result<Body, Wrong> {
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
    if first != Some(&b'[') {
        return one(body).map(Body::One);
    }
    if is_bomb(&body) {
        // Says so.
        return one(body).map(Body::One);
    }
    let raw: Vec<&RawValue> = serde_json::from_slice(&body).map_err(|error| {
        let why = format!("the message is not valid JSON: {error}");
        Wrong::new(ErrorData::parse_error(why, None))
    })?;
    if raw.is_empty() || raw.len() > MAX_BATCH {
        let why = format!("an array holds 1 to {MAX_BATCH} messages");
        return Err(Wrong::new(ErrorData::invalid_request(why, None)));
    }
    let messages = raw.iter().map(|raw| {
        let message = one(raw.get().as_bytes().to_vec())?;
        match message.request() {
            Some(request) if message.is_initialize() => Err(Wrong {
                error: ErrorData::invalid_request("initialize comes alone", None),
                id: Some(request.id.clone()),
            }),
            _ => Ok(message),
        }
    });
    Ok(Body::Many(messages.collect()))
}

fn one(bytes: Vec<u8>) -> Result<Message, Wrong> {
    match decode(Line::Whole(bytes)) {
        Decoded::Message(message) => Ok(Message(message)),
        Decoded::Refused(error, id) => Err(Wrong { error, id }),
        Decoded::Ignored(what) => Err(Wrong::new(ErrorData::invalid_request(what, None))),
    }
}

impl Wrong {
    fn new(error: ErrorData) -> Self {
        Self { error, id: None }
    }

    /// As a response of its own. A request that is sound but for its
    /// parameters is answered like any other, unless `strict`.
    pub(crate) fn refusal(self, strict: bool) -> Refusal {
        let answered = self.error.code == ErrorCode::INVALID_PARAMS && !strict;
        let status = if answered {
            StatusCode::OK
        } else {
            StatusCode::BAD_REQUEST
        };
        Refusal::with_body(
            status,
            json(&ServerJsonRpcMessage::error(self.error, self.id)),
        )
    }
}

/// A message as it is sent.
pub(super) fn json(message: &ServerJsonRpcMessage) -> Vec<u8> {
    serde_json::to_vec(message).unwrap_or_else(|error| {
        tracing::warn!("a message can't be written as JSON: {error}");
        INTERNAL.to_vec()
    })
}

/// What stands for a message that can't be written, which none is.
const INTERNAL: &[u8] = br#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"internal error"}}"#;

impl Message {
    pub(crate) fn kind(&self) -> Kind {
        match &*self.0 {
            JsonRpcMessage::Request(_) => Kind::Request,
            JsonRpcMessage::Notification(_) => Kind::Notification,
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => Kind::Answer,
        }
    }

    fn request(&self) -> Option<&JsonRpcRequest<ClientRequest>> {
        match &*self.0 {
            JsonRpcMessage::Request(request) => Some(request),
            _ => None,
        }
    }

    pub(crate) fn is_initialize(&self) -> bool {
        self.request()
            .is_some_and(|request| request.request.method() == "initialize")
    }

    /// Whether it says itself of which revision it is, and needs no session.
    pub(crate) fn is_stateless(&self) -> bool {
        self.request()
            .is_some_and(|request| request.request.get_meta().contains_key(PROTOCOL_VERSION))
    }

    /// Whether it is a method that only the stateless revisions have.
    pub(crate) fn should_be_stateless(&self) -> bool {
        self.request().is_some_and(|request| {
            matches!(
                request.request.method(),
                "server/discover" | "subscriptions/listen"
            )
        })
    }

    /// Whether it waits for what happens later, and not for something to be
    /// done.
    pub(crate) fn listens(&self) -> bool {
        self.request()
            .is_some_and(|request| request.request.method() == "subscriptions/listen")
    }

    /// The id of a request, as JSON.
    pub(crate) fn id(&self) -> serde_json::Value {
        let id = self.request().map(|request| &request.id);
        serde_json::to_value(id).unwrap_or_default()
    }

    /// Why a request that should say of which revision it is is refused.
    pub(crate) fn lacks_metadata(&self) -> Refusal {
        let (id, missing) = match self.request() {
            Some(request) => (
                Some(request.id.clone()),
                missing(request.request.get_meta()),
            ),
            None => (None, Vec::new()),
        };
        let why = format!(
            "_meta lacks what this revision requires: {}",
            missing.join(", ")
        );
        Wrong {
            error: ErrorData::invalid_params(why, None),
            id,
        }
        .refusal(true)
    }
}

/// The keys that a request of the stateless revisions must have and does not.
pub(super) fn missing(meta: &RequestMetaObject) -> Vec<&'static str> {
    meta.missing_required_keys(&ProtocolVersion::V_2026_07_28)
}
