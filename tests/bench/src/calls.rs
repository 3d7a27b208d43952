//! The calls that are made again and again, ready to send, and the check of
//! what comes back.

use std::borrow::Cow;
use std::io::Write as _;

use anyhow::{Context as _, bail};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::session::Era;

/// Calls of `read_text_file`, one a file, taken in turn by request id.
#[derive(Debug)]
pub(crate) struct Calls {
    files: Vec<Request>,
}

#[derive(Debug)]
struct Request {
    /// The request's line after its id.
    rest: Vec<u8>,
    content: String,
}

/// Any message a server may send. Borrows from the line.
#[derive(Deserialize)]
struct Message<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    result: Option<ToolResult<'a>>,
    error: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolResult<'a> {
    #[serde(borrow)]
    content: Vec<Block<'a>>,
    #[serde(borrow)]
    structured_content: Option<Structured<'a>>,
    #[serde(default)]
    is_error: bool,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Structured<'a> {
    #[serde(borrow)]
    content: Cow<'a, str>,
}

impl Calls {
    /// Calls that read each of `files` (path, content) in turn.
    pub(crate) fn new(files: &[(String, String)], era: Era) -> anyhow::Result<Self> {
        if files.is_empty() {
            bail!("there must be a file to read");
        }
        let files = files
            .iter()
            .map(|(path, content)| {
                let mut params = json!({ "name": "read_text_file", "arguments": { "path": path } });
                era.stamp(&mut params);
                let rest = format!(",\"method\":\"tools/call\",\"params\":{params}}}\n");
                Request {
                    rest: rest.into_bytes(),
                    content: content.clone(),
                }
            })
            .collect();
        Ok(Self { files })
    }

    /// Appends the line of the call with this id.
    pub(crate) fn write(&self, id: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
        // Writing to memory does not fail.
        let _ = write!(out, "{id}");
        out.extend_from_slice(&self.request(id).rest);
    }

    /// The id that `line` answers, having checked that it holds that file's
    /// content, as text and structured; `None` for a notification.
    pub(crate) fn check(&self, line: &[u8]) -> anyhow::Result<Option<u64>> {
        let message: Message<'_> = serde_json::from_slice(line)
            .with_context(|| format!("not an answer to a tool call: {}", excerpt(line)))?;
        let (id, result) = match message {
            Message {
                id: None,
                method: Some(_),
                ..
            } => return Ok(None),
            Message {
                id: Some(id),
                method: None,
                result: Some(result),
                error: None,
            } => (id, result),
            _ => bail!("not an answer to a tool call: {}", excerpt(line)),
        };
        let expected = self.request(id).content.as_str();
        let [Block { text }] = result.content.as_slice() else {
            bail!(
                "call {id} was not answered with one content block: {}",
                excerpt(line)
            );
        };
        let structured = result
            .structured_content
            .map(|structured| structured.content);
        if result.is_error || text != expected || structured.as_deref() != Some(expected) {
            bail!("call {id} was answered wrongly: {}", excerpt(line));
        }
        Ok(Some(id))
    }

    fn request(&self, id: u64) -> &Request {
        let count = self.files.len() as u64;
        let index = usize::try_from(id % count).unwrap_or_default();
        &self.files[index]
    }
}

/// The start of a line, for an error message.
pub(crate) fn excerpt(line: &[u8]) -> String {
    const LIMIT: usize = 300;
    let mut text = String::from_utf8_lossy(&line[..line.len().min(LIMIT)]).into_owned();
    if line.len() > LIMIT {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failing test may panic")]

    use super::*;

    fn calls() -> Calls {
        let files = [
            ("/d/even".to_owned(), "even\n".to_owned()),
            ("/d/odd".to_owned(), "odd\n".to_owned()),
        ];
        Calls::new(&files, Era::Handshake).unwrap()
    }

    fn answer(id: u64, text: &str, structured: &str) -> Vec<u8> {
        json!({
            "jsonrpc": "2.0",
            "id": id,
            "result": {
                "content": [{ "type": "text", "text": text }],
                "structuredContent": { "content": structured },
            },
        })
        .to_string()
        .into_bytes()
    }

    #[test]
    fn a_call_is_one_line_of_json_rpc() {
        let mut line = Vec::new();
        calls().write(7, &mut line);
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
        let request: Value = serde_json::from_slice(&line).unwrap();
        assert_eq!(
            request,
            json!({
                "jsonrpc": "2.0",
                "id": 7,
                "method": "tools/call",
                "params": { "name": "read_text_file", "arguments": { "path": "/d/odd" } },
            })
        );
    }

    #[test]
    fn a_right_answer_gives_its_id() {
        assert_eq!(
            calls().check(&answer(4, "even\n", "even\n")).unwrap(),
            Some(4)
        );
        assert_eq!(
            calls().check(&answer(5, "odd\n", "odd\n")).unwrap(),
            Some(5)
        );
        let notification = br#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;
        assert_eq!(calls().check(notification).unwrap(), None);
    }

    #[test]
    fn wrong_answers_are_told() {
        let wrong: [&[u8]; 8] = [
            &answer(4, "odd\n", "odd\n"),
            &answer(4, "even\n", "odd\n"),
            &answer(4, "even", "even"),
            br#"{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"no"}}"#,
            br#"{"jsonrpc":"2.0","id":4,"result":{"content":[],"structuredContent":{"content":"even\n"}}}"#,
            br#"{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"even\n"}]}}"#,
            br#"{"jsonrpc":"2.0","id":4,"method":"roots/list"}"#,
            b"warning: something",
        ];
        for line in wrong {
            assert!(calls().check(line).is_err(), "{}", excerpt(line));
        }
    }
}
