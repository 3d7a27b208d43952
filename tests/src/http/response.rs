//! A response, read as far as a test waits for it.

use std::time::{Duration, Instant};

use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::PATIENCE;

/// An event of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// Its id.
    pub id: Option<String>,
    /// Its data; that of an event that only has an id is empty.
    pub data: String,
    /// When to come back, in milliseconds.
    pub retry: Option<u64>,
}

impl Event {
    /// The message it carries.
    ///
    /// # Panics
    ///
    /// If that is no JSON.
    #[must_use]
    #[track_caller]
    pub fn message(&self) -> Value {
        serde_json::from_str(&self.data).expect("an event carries JSON")
    }
}

/// A response, whose connection is closed when it is dropped.
pub struct Response {
    /// Its status.
    pub status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) buffer: Vec<u8>,
    /// How much of the buffer holds no end of an event.
    pub(super) searched: usize,
    pub(super) body: Option<Incoming>,
    /// Whether the body has ended because the connection broke.
    pub broke: bool,
    pub(super) runtime: Runtime,
}

impl Response {
    /// A header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<String> {
        let found = self.headers.iter().find(|(it, _)| it == name);
        found.map(|(_, value)| value.clone())
    }

    /// The whole body.
    ///
    /// # Panics
    ///
    /// If it does not end in time, or is no text.
    #[track_caller]
    pub fn text(&mut self) -> String {
        self.until_end();
        self.searched = 0;
        String::from_utf8(std::mem::take(&mut self.buffer)).expect("the body is text")
    }

    /// The whole body as JSON.
    ///
    /// # Panics
    ///
    /// If it is none.
    #[track_caller]
    pub fn json(&mut self) -> Value {
        let text = self.text();
        match serde_json::from_str(&text) {
            Ok(value) => value,
            Err(error) => panic!("status {}, not JSON ({error}): {text}", self.status),
        }
    }

    /// The one answer in it, whichever form it has.
    ///
    /// # Panics
    ///
    /// If there is none.
    #[track_caller]
    pub fn answer(&mut self) -> Value {
        let kind = self.header("content-type").unwrap_or_default();
        if kind == "application/json" {
            return self.json();
        }
        self.messages()
            .pop()
            .expect("the stream ends with an answer")
    }

    /// Every message of a stream, up to its end.
    ///
    /// # Panics
    ///
    /// If it does not end in time.
    #[track_caller]
    pub fn messages(&mut self) -> Vec<Value> {
        let mut messages = Vec::new();
        while let Some(event) = self.event() {
            if !event.data.is_empty() {
                messages.push(event.message());
            }
        }
        messages
    }

    /// The next event; none at the end of the stream.
    ///
    /// # Panics
    ///
    /// If nothing comes in time.
    #[track_caller]
    pub fn event(&mut self) -> Option<Event> {
        let status = self.status;
        assert_eq!(status, 200, "{}", self.text());
        // Not started anew by comments.
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(event) = self.buffered() {
                return Some(event);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if !self.more(left).expect("an event comes in time") {
                return None;
            }
        }
    }

    /// Waits until the other end has closed the connection or ended the body.
    ///
    /// # Panics
    ///
    /// If it does not in time.
    #[track_caller]
    pub fn until_end(&mut self) {
        let deadline = Instant::now() + PATIENCE;
        let left = || deadline.saturating_duration_since(Instant::now());
        while self.more(left()).expect("the body ends in time") {}
    }

    /// Whether nothing comes for this long.
    pub fn is_quiet(&mut self, during: Duration) -> bool {
        self.more(during).is_none() && self.buffered().is_none()
    }

    /// Reads more of the body: true if there was more, false at its end, none
    /// if nothing came.
    fn more(&mut self, patience: Duration) -> Option<bool> {
        let Some(body) = &mut self.body else {
            return Some(false);
        };
        let frame = self
            .runtime
            .block_on(async { tokio::time::timeout(patience, body.frame()).await });
        match frame {
            Err(_) => None,
            Ok(Some(Ok(frame))) => {
                if let Ok(data) = frame.into_data() {
                    self.buffer.extend_from_slice(&data);
                }
                Some(true)
            }
            Ok(end) => {
                self.broke = end.is_some();
                self.body = None;
                Some(false)
            }
        }
    }

    /// An event that has been read. Comments are none.
    fn buffered(&mut self) -> Option<Event> {
        loop {
            let new = &self.buffer[self.searched..];
            let Some(end) = new.windows(2).position(|two| two == b"\n\n") else {
                self.searched = self.buffer.len().saturating_sub(1);
                return None;
            };
            let block: Vec<u8> = self.buffer.drain(..self.searched + end + 2).collect();
            self.searched = 0;
            let block = String::from_utf8(block).expect("events are text");
            let mut event = Event::default();
            let mut is_event = false;
            for line in block.lines() {
                let (field, value) = line.split_once(':').unwrap_or((line, ""));
                let value = value.strip_prefix(' ').unwrap_or(value);
                match field {
                    "id" => event.id = Some(value.to_owned()),
                    "retry" => event.retry = value.parse().ok(),
                    "data" => {
                        is_event = true;
                        event.data.push_str(value);
                    }
                    _ => {}
                }
            }
            if is_event {
                return Some(event);
            }
        }
    }
}
