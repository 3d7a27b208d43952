//! Rules that need nothing but the headers.

use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, HeaderValue, ORIGIN, VARY,
};
use hyper::{HeaderMap, StatusCode};

use crate::adapter::http::VERSION;
use crate::http::answer::{self, Answer, METHODS, Refusal};
use crate::http::headers::{Single, single};
use crate::http::names::Stranger;

/// The first revision without sessions.
const STATELESS: &str = "2026-07-28";

/// The revisions with sessions.
const WITH_SESSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// Whether the header says that a request is of a revision without sessions.
pub(super) fn says_stateless(headers: &HeaderMap) -> bool {
    matches!(single(headers, VERSION), Single::Given(version) if version >= STATELESS)
}

/// Refuses a version that is none of those with sessions.
pub(super) fn check_version(headers: &HeaderMap) -> Result<(), Refusal> {
    match single(headers, VERSION) {
        Single::Absent => Ok(()),
        Single::Given(version) if WITH_SESSIONS.contains(&version) => Ok(()),
        Single::Given(_) | Single::Unreadable => {
            let supported = WITH_SESSIONS.join(", ");
            let why = format!("the MCP-Protocol-Version is none of {supported}, {STATELESS}");
            Err(Refusal::bad_request(&why))
        }
    }
}

pub(super) fn strange(stranger: Stranger) -> Refusal {
    let why = match stranger {
        Stranger::Host => {
            "this server is not called by this name; \
             if it should be, start it with --allow-host NAME"
        }
        Stranger::Origin => {
            "pages of this origin may not call this server; \
             if they should, start it with --allow-origin ORIGIN"
        }
    };
    Refusal::new(StatusCode::FORBIDDEN, why)
}

/// What a browser asks before it lets an allowed page send something.
pub(super) fn preflight() -> Answer {
    let mut answer = answer::empty(StatusCode::NO_CONTENT);
    let headers = answer.headers_mut();
    headers.insert(
        ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static(METHODS),
    );
    headers.insert(
        ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static(
            "authorization, content-type, last-event-id, mcp-method, mcp-name, \
             mcp-protocol-version, mcp-session-id",
        ),
    );
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    answer
}

/// Lets the page that sent a request read the answer.
pub(super) fn let_read(answer: &mut Answer, page: &str) {
    let Ok(page) = HeaderValue::from_str(page) else {
        return;
    };
    let headers = answer.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, page);
    headers.insert(
        ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static("mcp-session-id, www-authenticate"),
    );
    headers.insert(VARY, HeaderValue::from_name(ORIGIN));
}
