//! Responses.

use hyper::body::Bytes;
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};
use hyper::{Response, StatusCode};

use crate::http::access::Unknown;
use crate::http::payload::{Events, Payload};

/// What is sent back.
pub(super) type Answer = Response<Payload>;

/// The methods of the endpoint.
pub(super) const METHODS: &str = "POST, GET, DELETE";

/// JSON-RPC's code for a request that is no good.
const INVALID_REQUEST: i32 = -32600;

/// A request that is refused, and why.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    body: Bytes,
    header: Option<(HeaderName, HeaderValue)>,
}

impl Refusal {
    /// A refusal in one sentence. Its body is a JSON-RPC error without an id.
    pub(crate) fn new(status: StatusCode, why: &str) -> Self {
        let error = serde_json::json!({
            "jsonrpc": "2.0",
            "error": { "code": INVALID_REQUEST, "message": why },
        });
        Self::with_body(status, error.to_string())
    }

    /// A refusal whose JSON is given.
    pub(crate) fn with_body(status: StatusCode, body: impl Into<Bytes>) -> Self {
        Self {
            status,
            body: body.into(),
            header: None,
        }
    }

    pub(crate) fn bad_request(why: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, why)
    }

    /// For now, there is more to do than can be done.
    pub(crate) fn busy(why: &str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, why)
            .header(RETRY_AFTER, HeaderValue::from_static("1"))
    }

    /// A method that the endpoint does not have.
    pub(super) fn method() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "the endpoint takes POST, and GET and DELETE within a session",
        )
        .header(ALLOW, HeaderValue::from_static(METHODS))
    }

    /// A caller without a token that is known.
    pub(super) fn unknown(who: Unknown) -> Self {
        let (why, challenge) = match who {
            Unknown::NoToken => (
                "send a token: Authorization: Bearer TOKEN",
                "Bearer realm=\"palisade\"",
            ),
            Unknown::WrongToken => (
                "this token is not known here",
                "Bearer realm=\"palisade\", error=\"invalid_token\"",
            ),
        };
        Self::new(StatusCode::UNAUTHORIZED, why)
            .header(WWW_AUTHENTICATE, HeaderValue::from_static(challenge))
    }

    fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.header = Some((name, value));
        self
    }

    pub(super) fn into_answer(self) -> Answer {
        let mut answer = json(self.status, self.body);
        if let Some((name, value)) = self.header {
            answer.headers_mut().insert(name, value);
        }
        answer
    }
}

/// One JSON value.
pub(super) fn json(status: StatusCode, body: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Payload::whole(body));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// No body.
pub(super) fn empty(status: StatusCode) -> Answer {
    let mut answer = Response::new(Payload::Whole(None));
    *answer.status_mut() = status;
    answer
}

/// A stream of events.
pub(super) fn events(events: Events) -> Answer {
    let mut answer = Response::new(Payload::Events(Box::new(events)));
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(
        CACHE_CONTROL,
        HeaderValue::from_static("no-store, no-transform"),
    );
    // Proxies of one family hold events back without this.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    answer
}
