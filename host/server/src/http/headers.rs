//! What the headers of a request say.

use hyper::HeaderMap;
use hyper::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue};

/// MCP's session header.
pub(super) const SESSION_ID: &str = "mcp-session-id";

/// Where a client left off, of the specification of server-sent events.
const LAST_EVENT_ID: &str = "last-event-id";

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// Whether the body is said to be JSON.
pub(super) fn sends_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let kind = values.next().and_then(|value| value.to_str().ok());
    let is_json = kind.is_some_and(|kind| {
        let kind = kind.split(';').next().unwrap_or_default();
        kind.trim().eq_ignore_ascii_case(JSON)
    });
    is_json && values.next().is_none()
}

/// Whether the body is sent as it is, in UTF-8.
pub(super) fn is_plain(headers: &HeaderMap) -> bool {
    let lower = |value: &HeaderValue| value.to_str().ok().map(str::to_ascii_lowercase);
    let encoded = headers
        .get_all(CONTENT_ENCODING)
        .iter()
        .any(|value| lower(value).is_none_or(|value| value.trim() != "identity"));
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(lower)
        .unwrap_or_default();
    let other = kind.split(';').skip(1).any(|parameter| {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        name.trim() == "charset" && value.trim().trim_matches('"') != "utf-8"
    });
    !encoded && !other
}

/// Whether a client takes both forms an answer may have.
pub(super) fn takes_answers(headers: &HeaderMap) -> bool {
    takes(headers, JSON) && takes(headers, EVENTS)
}

/// Whether a client takes a stream of events.
pub(super) fn takes_events(headers: &HeaderMap) -> bool {
    takes(headers, EVENTS)
}

/// Whether a media type is listed, by name as MCP wants it, and not with a
/// weight of zero.
fn takes(headers: &HeaderMap, wanted: &str) -> bool {
    headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|entry| {
            let mut parts = entry.split(';').map(str::trim);
            let named = parts
                .next()
                .is_some_and(|kind| kind.eq_ignore_ascii_case(wanted));
            named && !parts.any(is_zero_weight)
        })
}

fn is_zero_weight(parameter: &str) -> bool {
    let Some((name, value)) = parameter.split_once('=') else {
        return false;
    };
    name.trim().eq_ignore_ascii_case("q") && value.trim().parse::<f32>().is_ok_and(|q| q == 0.0)
}

/// A header that may be there once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Single<'a> {
    /// It is not.
    Absent,
    /// It is, in visible characters of ASCII.
    Given(&'a str),
    /// Twice, or in other characters.
    Unreadable,
}

/// Reads a header that may be there once.
pub(crate) fn single<'a>(headers: &'a HeaderMap, name: &str) -> Single<'a> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else {
        return Single::Absent;
    };
    match value.to_str() {
        Ok(value) if values.next().is_none() => Single::Given(value),
        _ => Single::Unreadable,
    }
}

/// The place in a session's streams at which a client left off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventId {
    /// Which stream.
    pub(crate) stream: u64,
    /// Which event of it, counted from 1.
    pub(crate) event: u64,
}

impl EventId {
    /// Reads exactly what [`std::fmt::Display`] writes.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (stream, event) = text.split_once('-')?;
        Some(Self {
            stream: number(stream)?,
            event: number(event)?,
        })
    }
}

impl std::fmt::Display for EventId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.stream, self.event)
    }
}

/// A number as it is written, without sign or leading zeros.
fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let canonical = digits && (text == "0" || !text.starts_with('0'));
    canonical.then(|| text.parse().ok())?
}

/// The last event that a client has heard; the error is one that was never
/// given out.
pub(super) fn last_event(headers: &HeaderMap) -> Result<Option<EventId>, ()> {
    match single(headers, LAST_EVENT_ID) {
        // What a client sends that has heard nothing yet.
        Single::Absent | Single::Given("") => Ok(None),
        Single::Given(id) => EventId::parse(id).map(Some).ok_or(()),
        Single::Unreadable => Err(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use hyper::header::{HeaderName, HeaderValue};
    use proptest::prelude::*;

    use super::*;

    fn headers(name: &str, values: &[&[u8]]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(
                HeaderName::from_bytes(name.as_bytes()).unwrap(),
                HeaderValue::from_bytes(value).unwrap(),
            );
        }
        headers
    }

    #[test]
    fn both_kinds_of_answers_must_be_named() {
        let takes = |values: &[&[u8]]| takes_answers(&headers("accept", values));
        assert!(takes(&[b"application/json, text/event-stream"]));
        assert!(takes(&[
            b"Text/Event-Stream;q=0.5",
            b"x/y,application/json"
        ]));
        assert!(!takes(&[b"application/json"]));
        assert!(!takes(&[b"*/*"]));
        assert!(!takes(&[b"application/json, text/event-stream;q=0"]));
        assert!(!takes(&[]));
    }

    #[test]
    fn json_may_have_parameters() {
        let sends = |values: &[&[u8]]| sends_json(&headers("content-type", values));
        assert!(sends(&[b"application/json"]));
        assert!(sends(&[b"Application/JSON; charset=utf-8"]));
        assert!(!sends(&[b"application/json-rpc"]));
        assert!(!sends(&[b"text/plain"]));
        assert!(!sends(&[b"application/json", b"application/json"]));
        assert!(!sends(&[]));
    }

    proptest! {
        /// Every id that is given out is read back, and nothing else is.
        #[test]
        fn event_ids_come_back(stream: u64, event: u64) {
            let id = EventId { stream, event };
            let read = last_event(&headers("last-event-id", &[id.to_string().as_bytes()]));
            prop_assert_eq!(read, Ok(Some(id)));
        }

        #[test]
        fn what_is_read_is_what_was_written(text in "[-0-9a +]{0,24}") {
            if let Some(id) = EventId::parse(&text) {
                prop_assert_eq!(id.to_string(), text);
            }
        }

        /// Whatever is sent, nothing here panics.
        #[test]
        fn any_header_is_read(
            name in prop::sample::select(vec!["accept", "content-type", "last-event-id"]),
            values in prop::collection::vec(prop::collection::vec(0x20u8..=0x7e, 0..60), 0..3),
        ) {
            let values: Vec<_> = values.iter().map(Vec::as_slice).collect();
            let headers = headers(name, &values);
            let _ = (sends_json(&headers), takes_answers(&headers), last_event(&headers));
        }
    }
}
