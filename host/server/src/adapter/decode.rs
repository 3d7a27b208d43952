//! One line of input: a message, an error to answer with, or nothing.

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, ErrorData,
    JsonObject, RequestId, RequestMetaObject,
};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

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
    if is_bomb(&line) {
        let why = format!("the message holds more than {MAX_VALUES} values");
        return Decoded::Refused(ErrorData::invalid_request(why, None), None);
    }
    if let Some(call) = plain_call(&line) {
        return Decoded::Message(Box::new(call));
    }
    match serde_json::from_slice(&line) {
        Ok(message) => match unreadable_cursor(&message, &line) {
            Some(id) => {
                let why = "the cursor must be a string";
                Decoded::Refused(ErrorData::invalid_params(why, None), Some(id))
            }
            None => Decoded::Message(Box::new(message)),
        },
        Err(error) => refuse(&line, &error),
    }
}

/// The id of a request for a list whose cursor rmcp can't read: it takes that
/// for no cursor, and would begin the list anew.
fn unreadable_cursor(message: &ClientJsonRpcMessage, line: &[u8]) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct Listing {
        params: Option<Params>,
    }

    #[derive(Deserialize)]
    struct Params {
        cursor: Option<IgnoredAny>,
    }

    let ClientJsonRpcMessage::Request(request) = message else {
        return None;
    };
    let params = match &request.request {
        ClientRequest::ListToolsRequest(list) => &list.params,
        ClientRequest::ListPromptsRequest(list) => &list.params,
        ClientRequest::ListResourcesRequest(list) => &list.params,
        ClientRequest::ListResourceTemplatesRequest(list) => &list.params,
        _ => return None,
    };
    if params.is_some() {
        return None;
    }
    let listing: Listing = serde_json::from_slice(line).ok()?;
    listing.params?.cursor.map(|_| request.id.clone())
}

/// The message that most sessions consist of, read in one pass.
///
/// rmcp finds out what a message is by trying one kind after another on a
/// buffered copy, which takes longer than all the rest of reading it. Whatever
/// is not exactly this goes that way.
pub(super) fn plain_call(line: &[u8]) -> Option<ClientJsonRpcMessage> {
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

/// What to answer to a line that rmcp can't read.
fn refuse(line: &[u8], typed: &serde_json::Error) -> Decoded {
    // Valid JSON at all? (This also finds nesting too deep to be parsed.)
    let value = match serde_json::from_slice::<Value>(line) {
        Ok(value) => value,
        Err(error) => {
            let message = format!("the message is not valid JSON: {error}");
            return Decoded::Refused(ErrorData::parse_error(message, None), None);
        }
    };
    let invalid = |why: &str| ErrorData::invalid_request(why.to_owned(), None);
    let Value::Object(message) = value else {
        return Decoded::Refused(invalid("the message is not a single JSON-RPC object"), None);
    };
    let method = message.get("method");
    if method.is_none() && (message.contains_key("result") || message.contains_key("error")) {
        return Decoded::Ignored("a response that can't be read");
    }
    let Some(id) = message.get("id") else {
        return match method {
            Some(_) => Decoded::Ignored("a notification that can't be read"),
            None => Decoded::Refused(invalid("the message has no method"), None),
        };
    };
    let Ok(id) = RequestId::deserialize(id) else {
        let why = "the id must be a string or an integer";
        return Decoded::Refused(invalid(why), None);
    };
    tracing::debug!("a request that can't be read: {typed}");
    let error = match (message.get("jsonrpc").and_then(Value::as_str), method) {
        (Some("2.0"), Some(Value::String(method))) => {
            ErrorData::invalid_params(format!("the parameters of {method} can't be read"), None)
        }
        (Some("2.0"), _) => invalid("the message has no method"),
        _ => invalid("\"jsonrpc\" must be \"2.0\""),
    };
    Decoded::Refused(error, Some(id))
}

/// JSON values one message may hold. Each costs many times its length once it
/// is parsed.
const MAX_VALUES: usize = 250_000;

/// Lines too short to hold more than that are not counted.
const SHORT: usize = 64 * 1024;

/// Whether a line would take far more memory than its length, without parsing
/// it: counts what separates values, outside of strings.
pub(super) fn is_bomb(line: &[u8]) -> bool {
    if line.len() <= SHORT {
        return false;
    }
    let (mut values, mut in_string, mut escaped) = (0, false, false);
    for byte in line {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b',' | b'[' | b'{' if !in_string => values += 1,
            _ => {}
        }
    }
    values > MAX_VALUES
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
    fn only_what_stands_outside_of_strings_counts() {
        let text = format!(r#"{{"x":"{}"}}"#, r#",[{\","#.repeat(MAX_VALUES));
        assert!(!is_bomb(text.as_bytes()));
        let list = format!("[{}0]", "0,".repeat(MAX_VALUES));
        assert!(is_bomb(list.as_bytes()));
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
