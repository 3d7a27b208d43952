//! What GitHub refuses, in a sentence.

use std::time::{SystemTime, UNIX_EPOCH};

use palisade_sdk::http::Response;
use palisade_sdk::prelude::*;
use serde::Deserialize;
use serde_json::Value;

/// What GitHub says of a failure.
#[derive(Debug, Default, Deserialize)]
struct Said {
    #[serde(default)]
    message: String,
    #[serde(default)]
    errors: Vec<Value>,
}

/// What is known of a refusal.
#[derive(Debug, Default)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) message: String,
    /// Until when nothing more may be asked, in seconds from now.
    pub(crate) wait: Option<u64>,
}

/// An answer that is a failure.
pub(crate) fn of(response: Response, what: &str) -> Error {
    let number = |name: &str| {
        response
            .header(name)
            .and_then(|text| text.parse::<u64>().ok())
    };
    let used_up = number("x-ratelimit-remaining") == Some(0);
    let reset = number("x-ratelimit-reset").map(|at| at.saturating_sub(now()));
    let refusal = Refusal {
        status: response.status(),
        wait: number("retry-after").or(reset.filter(|_| used_up)),
        message: message(&response.bytes(64 << 10).unwrap_or_default()),
    };
    Error::msg(refusal.sentence()).context(what)
}

impl Refusal {
    pub(crate) fn sentence(&self) -> String {
        let Self {
            status, message, ..
        } = self;
        let said = match &message[..] {
            "" => String::new(),
            text => format!(" ({text})"),
        };
        match (status, self.wait) {
            (403 | 429, Some(wait)) => format!(
                "GitHub's limit of requests is used up; there are more in {}",
                minutes(wait)
            ),
            (429, None) => format!("GitHub was asked too often; try again later{said}"),
            (401, _) => format!(
                "GitHub takes no request without a token that is good{said}: \
                 set one with `palisade secret set GITHUB_TOKEN`"
            ),
            (403, _) => format!("GitHub does not permit it to this token{said}"),
            (404, _) => "there is no such thing on GitHub, or this token may not see it".to_owned(),
            (410, _) => format!("it is gone, or switched off{said}"),
            (409 | 422, _) => format!("GitHub can't do that{said}"),
            (500.., _) => format!("GitHub fails at the moment (status {status}); try again later"),
            _ => format!("GitHub answers with status {status}{said}"),
        }
    }
}

/// What GitHub says, in one line.
pub(crate) fn message(body: &[u8]) -> String {
    let said: Said = serde_json::from_slice(body).unwrap_or_default();
    let mut parts = vec![said.message];
    for error in said.errors.iter().take(5) {
        let text = |key: &str| error[key].as_str();
        parts.push(match (error.as_str(), text("message")) {
            (Some(text), _) | (None, Some(text)) => text.to_owned(),
            (None, None) => [text("field"), text("code")]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" "),
        });
    }
    parts.retain(|part| !part.is_empty());
    let line = parts.join("; ").replace(['\n', '\r'], " ");
    line.chars().take(500).collect()
}

fn minutes(seconds: u64) -> String {
    match seconds {
        0..=1 => "a second".to_owned(),
        2..=90 => format!("{seconds} seconds"),
        _ => format!("{} minutes", seconds.div_ceil(60)),
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_secs()
}
