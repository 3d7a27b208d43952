//! One line of input: a message, an error to answer with, or nothing.

use rmcp::model::{ClientJsonRpcMessage, ErrorData, RequestId};
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
    match serde_json::from_slice(&line) {
        Ok(message) => Decoded::Message(Box::new(message)),
        Err(error) => refuse(&line, &error),
    }
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
