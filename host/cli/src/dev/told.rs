//! What an author is told of calls.

use std::time::Instant;

use serde_json::Value;

use super::message::Message;
use crate::output::{error_line, printable};

/// Longest text in arguments that is shown, in characters.
const MOST_TEXT: usize = 60;

/// Longest line of arguments, or of what went wrong, in characters.
const MOST_LINE: usize = 200;

/// What a thing is called that nobody should read over a shoulder.
const HUSHED: [&str; 9] = [
    "token",
    "secret",
    "passw",
    "passphrase",
    "apikey",
    "api_key",
    "api-key",
    "credential",
    "authorization",
];

/// A call that was begun.
pub(super) struct Call {
    tool: String,
    started: Instant,
}

impl Call {
    /// Tells of a call that comes.
    pub(super) fn begin(request: &Message<'_>) -> Self {
        let tool = request.param("name");
        let tool = tool.as_ref().and_then(Value::as_str).unwrap_or("?");
        let mut arguments = request.param("arguments").unwrap_or_default();
        shorten(&mut arguments);
        let arguments = match arguments {
            Value::Null => String::new(),
            some => cut(&some.to_string(), MOST_LINE),
        };
        line(&format!("→ {tool} {arguments}"));
        Self {
            tool: tool.to_owned(),
            started: Instant::now(),
        }
    }

    /// Tells what came of it.
    pub(super) fn end(&self, answer: &Message<'_>) {
        let parsed = |raw: Option<&serde_json::value::RawValue>| {
            raw.and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok())
        };
        let outcome = if let Some(error) = parsed(answer.error) {
            let message = error["message"].as_str().unwrap_or_default();
            format!("refused: {}", cut(message, MOST_LINE))
        } else if let Some(result) = parsed(answer.result) {
            match (result["isError"] == true, result["resultType"].as_str()) {
                (true, _) => {
                    let text = result["content"][0]["text"].as_str();
                    format!("failed: {}", cut(text.unwrap_or_default(), MOST_LINE))
                }
                (_, Some("input_required")) => "it asks something".to_owned(),
                (_, Some("task")) => "it runs on as a task".to_owned(),
                _ => "done".to_owned(),
            }
        } else {
            "no answer".to_owned()
        };
        self.told(&outcome);
    }

    /// Tells that the client wants no answer.
    pub(super) fn cancelled(&self) {
        self.told("cancelled");
    }

    /// Tells that there will be no answer.
    pub(super) fn lost(&self) {
        self.told("lost, the host ended");
    }

    fn told(&self, outcome: &str) {
        let took = self.started.elapsed().as_millis();
        line(&format!("← {} {took} ms, {outcome}", self.tool));
    }
}

/// Tells something, on one line.
pub(super) fn line(text: &str) {
    let text = text.replace(['\n', '\r'], " ");
    error_line(&printable(&format!("palisade: {text}")));
}

/// Masks what has a name that says so, and cuts what is long.
fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => *text = cut(text, MOST_TEXT),
        Value::Array(all) => all.iter_mut().for_each(shorten),
        Value::Object(all) => {
            for (name, value) in all {
                let name = name.to_lowercase();
                match HUSHED.iter().any(|hushed| name.contains(hushed)) {
                    true => *value = Value::from("***"),
                    false => shorten(value),
                }
            }
        }
        _ => {}
    }
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_masked_and_short() {
        let long = "x".repeat(100);
        let mut arguments = json!({
            "name": "Ada",
            "apiToken": "t0k3n",
            "login": {"Password": ["p", "q"], "user": long},
        });
        shorten(&mut arguments);
        let user = format!("{}…", "x".repeat(MOST_TEXT));
        let shown = json!({
            "name": "Ada",
            "apiToken": "***",
            "login": {"Password": "***", "user": user},
        });
        assert_eq!(arguments, shown);
    }
}
