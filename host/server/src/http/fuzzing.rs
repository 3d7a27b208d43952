//! What must hold for whatever headers a client sends.

use hyper::header::{HeaderName, HeaderValue};
use hyper::{HeaderMap, Uri};

use super::headers::{EventId, last_event, sends_json, takes_answers, takes_events};
use super::names::{AllowedHost, AllowedOrigin, Names};

/// Lines of `NAME: VALUE`: they are read without a panic, ids of events only as
/// they are written, and a name that leads elsewhere is never taken for one of
/// this machine.
pub fn headers(bytes: &[u8]) {
    let mut headers = HeaderMap::new();
    for line in bytes.split(|byte| *byte == b'\n').take(16) {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            continue;
        };
        let name = HeaderName::from_bytes(&line[..colon]);
        let value = HeaderValue::from_bytes(line[colon + 1..].trim_ascii());
        if let (Ok(name), Ok(value)) = (name, value) {
            headers.append(name, value);
        }
    }
    let _ = (
        sends_json(&headers),
        takes_answers(&headers),
        takes_events(&headers),
    );
    if let Ok(Some(id)) = last_event(&headers) {
        let sent = headers.get("last-event-id").and_then(|id| id.to_str().ok());
        assert_eq!(sent, Some(&*id.to_string()));
        assert_eq!(EventId::parse(&id.to_string()), Some(id));
    }
    let text = String::from_utf8_lossy(bytes);
    let _ = (text.parse::<AllowedHost>(), text.parse::<AllowedOrigin>());
    own_name(&headers);
}

/// A request that passes calls this machine by one of its own names.
fn own_name(headers: &HeaderMap) {
    let address = ([127, 0, 0, 1], 80).into();
    let names = Names::new(address, false, Vec::new(), Vec::new());
    if names.check(&Uri::from_static("/mcp"), headers).is_err() {
        return;
    }
    let host = headers.get("host").and_then(|host| host.to_str().ok());
    let name = host.unwrap_or_default().to_ascii_lowercase();
    // Whatever the port: nobody else answers at these.
    let name = match name.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => &name,
    };
    assert!(
        ["localhost", "127.0.0.1", "[::1]"].contains(&name),
        "{name:?} passed for one of this machine's names"
    );
}
