//! What must hold for whatever a client sends.

use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage};
use serde_json::Value;

use crate::adapter::asking::{Binding, Round, Seal};
use crate::adapter::decode::{Decoded, decode, plain_call};
use crate::adapter::http::{Body, read};
use crate::wire::Line;

/// A line of standard input: it is read as rmcp reads it, and what is refused
/// is answered with an error of JSON-RPC.
pub fn line(bytes: &[u8]) {
    if let Some(short) = plain_call(bytes) {
        let long: Result<ClientJsonRpcMessage, _> = serde_json::from_slice(bytes);
        let written = |message: &ClientJsonRpcMessage| serde_json::to_value(message).ok();
        assert_eq!(
            Some(written(&short)),
            long.ok().as_ref().map(written),
            "the short way reads another message"
        );
    }
    match decode(Line::Whole(bytes.to_vec())) {
        Decoded::Message(message) => {
            let id = match &*message {
                JsonRpcMessage::Request(request) => serde_json::to_value(&request.id).ok(),
                _ => return,
            };
            let sent: Option<Value> = serde_json::from_slice(bytes).ok();
            assert_eq!(id.as_ref(), sent.as_ref().and_then(|sent| sent.get("id")));
        }
        Decoded::Refused(error, _) => {
            assert!((-32800..=-32000).contains(&error.code.0), "{error:?}");
            assert!(!error.message.is_empty());
        }
        Decoded::Ignored(what) => assert!(!what.is_empty()),
    }
}

/// The body of a POST: no more messages than it has room for.
pub fn body(bytes: &[u8]) {
    if let Ok(Body::Many(messages)) = read(bytes.to_vec()) {
        assert!((1..=256).contains(&messages.len()));
    }
}

/// What a client says it was given to keep: nothing is taken that was not
/// sealed here, for this very call.
pub fn state(bytes: &[u8]) {
    let Ok(seal) = Seal::new() else { return };
    let (here, elsewhere) = (Binding::new(&"here"), Binding::new(&"elsewhere"));
    let text = String::from_utf8_lossy(bytes);
    assert!(seal.open(&text, &here).is_err(), "never sealed: {text:?}");

    let Some(sealed) = seal.close(&Round::default(), &here) else {
        return;
    };
    assert!(seal.open(&sealed, &here).is_ok());
    assert!(seal.open(&sealed, &elsewhere).is_err());
    // Some of it replaced by something else.
    let place = bytes.first().map_or(0, |byte| usize::from(*byte)) % sealed.len();
    let mut forged = sealed.clone();
    let end = (place + bytes.len().min(8)).min(sealed.len());
    if sealed.is_char_boundary(place) && sealed.is_char_boundary(end) {
        let lossy = String::from_utf8_lossy(&bytes[..bytes.len().min(8)]);
        forged.replace_range(place..end, &lossy);
        let same = forged == sealed;
        assert_eq!(seal.open(&forged, &here).is_ok(), same, "forged: {forged}");
    }
}
