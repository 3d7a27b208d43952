//! One line of input: a message, an error to answer with, or nothing.

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, ErrorData,
    JsonObject, RequestId, RequestMetaObject,
};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::wire::Line;

/// What a line turned out to be.
#[derive(Debug)]
pub(super) enum Decoded {
    Message(Box<ClientJsonRpcMessage>),
    /// Not a message; the sender gets this error, with an id where one could
    /// be read.
    Refused(ErrorData, Option<RequestId>),
    /// Not a message, and nobody waits for an answer.
    Ignored(&'static str),
}

pub(super) fn decode(line: Line) -> Decoded {
    let line = match line {
        Line::Whole(line) => line,
        Line::TooLong => {
            return Decoded::Refused(
                ErrorData::invalid_request("the message is longer than 16 MiB", None),
                None,
            );
        }
    };
    if let Some(call) = plain_call(&line) {
        return Decoded::Message(Box::new(call));
    }
    match serde_json::from_slice(&line) {
        Ok(message) => Decoded::Message(Box::new(message)),
        Err(error) => refuse(&line, &error),
    }
}

/// The message that most sessions consist of, read in one pass.
///
/// rmcp finds out what a message is by trying one kind after another on a
/// buffered copy, which takes longer than all the rest of reading it. Whatever
/// is not exactly this goes that way.
fn plain_call(line: &[u8]) -> Option<ClientJsonRpcMessage> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Call<'a> {
        jsonrpc: &'a str,
        id: RequestId,
        method: &'a str,
        params: Params,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Params {
        #[serde(rename = "_meta")]
        meta: Option<JsonObject>,
        name: String,
        arguments: Option<JsonObject>,
    }

    let call: Call<'_> = serde_json::from_slice(line).ok()?;
    if call.jsonrpc != "2.0" || call.method != "tools/call" {
        return None;
    }
    let mut params = CallToolRequestParams::new(call.params.name);
    params.arguments = call.params.arguments;
    let mut request = CallToolRequest::new(params);
    if let Some(meta) = call.params.meta {
        request.extensions.insert(RequestMetaObject::from(meta));
    }
    Some(ClientJsonRpcMessage::request(
        ClientRequest::CallToolRequest(request),
        call.id,
    ))
}

/// The parts that say what to answer. Only looked at when something is wrong.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<Value>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

fn refuse(line: &[u8], typed: &serde_json::Error) -> Decoded {
    // Valid JSON at all? (This also finds nesting too deep to be parsed.)
    if let Err(error) = serde_json::from_slice::<Value>(line) {
        let message = format!("the message is not valid JSON: {error}");
        return Decoded::Refused(ErrorData::parse_error(message, None), None);
    }
    let invalid = |why: String| ErrorData::invalid_request(why, None);
    let Ok(head) = serde_json::from_slice::<Head<'_>>(line) else {
        let why = "the message is not a single JSON-RPC object".to_owned();
        return Decoded::Refused(invalid(why), None);
    };
    if head.method.is_none() && (head.result.is_some() || head.error.is_some()) {
        return Decoded::Ignored("a response that can't be read");
    }
    let id = head
        .id
        .and_then(|id| serde_json::from_str::<RequestId>(id.get()).ok());
    let Some(id) = id else {
        return if head.id.is_some() {
            let why = "the id must be a string or an integer".to_owned();
            Decoded::Refused(invalid(why), None)
        } else if head.method.is_some() {
            Decoded::Ignored("a notification that can't be read")
        } else {
            Decoded::Refused(invalid("the message has no method".into()), None)
        };
    };
    let error = match (head.jsonrpc.map(RawValue::get), head.method) {
        (Some("\"2.0\""), Some(Value::String(method))) => {
            ErrorData::invalid_params(format!("the parameters of {method} can't be read"), None)
        }
        (Some("\"2.0\""), _) => invalid("the message has no method".into()),
        _ => invalid("\"jsonrpc\" must be \"2.0\"".into()),
    };
    tracing::debug!("a request that can't be read: {typed}");
    Decoded::Refused(error, Some(id))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use rmcp::model::GetMeta as _;

    use super::*;

    fn code(line: &str) -> Option<(i32, Option<RequestId>)> {
        match decode(Line::Whole(line.as_bytes().to_vec())) {
            Decoded::Refused(error, id) => Some((error.code.0, id)),
            _ => None,
        }
    }

    #[test]
    fn errors_carry_the_right_code_and_id() {
        let seven = Some(RequestId::Number(7));
        assert_eq!(code("{"), Some((-32700, None)));
        assert_eq!(code(r#"{"a":"\xff"}"#), Some((-32700, None)));
        assert_eq!(code("[]"), Some((-32600, None)));
        assert_eq!(code("3"), Some((-32600, None)));
        assert_eq!(
            code(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#),
            Some((-32600, None))
        );
        assert_eq!(
            code(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#),
            Some((-32600, None))
        );
        assert_eq!(
            code(r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#),
            Some((-32600, seven.clone()))
        );
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":7}"#), Some((-32600, seven)));
    }

    /// The short way and rmcp's read a call alike, and what is odd about a
    /// message is never lost on the short way.
    #[test]
    fn the_short_way_reads_what_the_long_way_reads() {
        let odd = [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{},"task":{}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"},"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"x"}}"#,
            r#"{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"x"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"name":"x"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"x"}}"#,
        ];
        for line in odd {
            assert!(plain_call(line.as_bytes()).is_none(), "{line}");
        }
        let plain = [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}"#,
            r#"{"id":"a","params":{"arguments":{"a":[1,2.5,"\u00e9"],"a":9007199254740993},"name":"\n"},"method":"tools/call","jsonrpc":"2.0"}"#,
            r#"{"jsonrpc":"2.0","id":-7,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":3,"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
        ];
        for line in plain {
            let long: ClientJsonRpcMessage = serde_json::from_str(line).unwrap();
            let short = plain_call(line.as_bytes()).unwrap();
            assert_eq!(
                serde_json::to_value(&short).unwrap(),
                serde_json::to_value(&long).unwrap()
            );
            let token = |message: &ClientJsonRpcMessage| match message {
                ClientJsonRpcMessage::Request(request) => {
                    request.request.get_meta().get_progress_token()
                }
                _ => None,
            };
            assert_eq!(token(&short), token(&long));
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"x","params":{}1{}}}"#,
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        assert_eq!(code(&deep), Some((-32700, None)));
    }

    #[test]
    fn nobody_is_answered_who_does_not_wait() {
        for line in [
            r#"{"jsonrpc":"2.0","result":{}}"#,
            r#"{"jsonrpc":"3","method":"x"}"#,
        ] {
            assert!(
                matches!(
                    decode(Line::Whole(line.as_bytes().to_vec())),
                    Decoded::Ignored(_)
                ),
                "{line}"
            );
        }
    }
}
