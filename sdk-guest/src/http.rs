//! Requests to places that a person granted, over `wasi:http` (feature `http`).
//!
//! ```no_run
//! use std::time::Duration;
//! use palisade_sdk::http::Request;
//!
//! # fn weather() -> Result<String, palisade_sdk::http::Error> {
//! let response = Request::get("https://api.example.com/v1/weather?city=Ghent")
//!     .header("accept", "application/json")
//!     .timeout(Duration::from_secs(10))
//!     .send()?;
//! // At most a mebibyte of it.
//! response.text(1 << 20)
//! # }
//! ```
//!
//! What is not granted is an [`Error`] in plain words, made to be shown: "not
//! permitted: https://api.other.example is not in this plugin's grant". A
//! redirect is an answer like any other, since where it leads may not be granted;
//! [`Request::follow`] makes a request of its own of each.
//!
//! Outside of WebAssembly, in `cargo test`, there is no network: every request
//! is an error that says so.

mod error;
mod redirect;
mod response;

#[cfg(target_os = "wasi")]
#[path = "http/wasi.rs"]
mod wire;

#[cfg(not(target_os = "wasi"))]
#[path = "http/outside.rs"]
mod wire;

use std::time::{Duration, Instant};

pub use error::{Error, ErrorKind};
pub use response::{Body, Response};
pub use url::Url;

/// A request, made of an address and what is set afterwards.
#[derive(Debug, Clone)]
#[must_use = "nothing is sent without `send`"]
pub struct Request {
    method: String,
    url: String,
    headers: Vec<(String, Vec<u8>)>,
    body: Option<Vec<u8>>,
    timeout: Option<Duration>,
    follow: u32,
}

impl Request {
    /// A request of any method, as it is written.
    pub fn new(method: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            method: method.into(),
            url: url.into(),
            headers: Vec::new(),
            body: None,
            timeout: None,
            follow: 0,
        }
    }

    /// `GET`.
    pub fn get(url: impl Into<String>) -> Self {
        Self::new("GET", url)
    }

    /// `HEAD`.
    pub fn head(url: impl Into<String>) -> Self {
        Self::new("HEAD", url)
    }

    /// `POST`.
    pub fn post(url: impl Into<String>) -> Self {
        Self::new("POST", url)
    }

    /// `PUT`.
    pub fn put(url: impl Into<String>) -> Self {
        Self::new("PUT", url)
    }

    /// `PATCH`.
    pub fn patch(url: impl Into<String>) -> Self {
        Self::new("PATCH", url)
    }

    /// `DELETE`.
    pub fn delete(url: impl Into<String>) -> Self {
        Self::new("DELETE", url)
    }

    /// Sets a header, in the place of one of that name. `Host` and what belongs
    /// to the connection is the host's own and makes the request an error.
    pub fn header(mut self, name: &str, value: impl Into<Vec<u8>>) -> Self {
        let name = name.to_ascii_lowercase();
        self.headers.retain(|(other, _)| *other != name);
        self.headers.push((name, value.into()));
        self
    }

    /// What is sent with it.
    pub fn body(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.body = Some(bytes.into());
        self
    }

    /// Sends JSON with it, and says so.
    pub fn json(self, value: &serde_json::Value) -> Self {
        self.header("content-type", "application/json")
            .body(value.to_string())
    }

    /// How long all of it may take, redirects and the answer's last byte
    /// included. Without it the host's own limits hold, which also hold beside it.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Follows at most so many redirects, each by a request that has to be
    /// granted as the first one was. What an answer with 301, 302 or 303 asks
    /// for is asked for by GET, and other servers get no `Authorization` and no
    /// `Cookie`.
    pub fn follow(mut self, most: u32) -> Self {
        self.follow = most;
        self
    }

    /// Sends it and waits for the head of the answer, whatever its status is.
    ///
    /// # Errors
    /// [`Error`], when there is no answer, or one redirect more than may be
    /// followed.
    pub fn send(mut self) -> Result<Response, Error> {
        let mut url = parsed(&self.url)?;
        let deadline = Deadline::after(self.timeout);
        let mut left = self.follow;
        loop {
            let response = wire::send(&self, &url, deadline)?;
            let next = match response.redirect() {
                Some(next) if self.follow > 0 => next?,
                _ => return Ok(response),
            };
            if left == 0 {
                return Err(Error::new(
                    ErrorKind::Redirects,
                    format!(
                        "{} redirects more than {} times",
                        parsed(&self.url)?.host_str().unwrap_or_default(),
                        self.follow
                    ),
                ));
            }
            left -= 1;
            redirect::change(&mut self, response.status(), &url, &next);
            url = next;
        }
    }
}

/// An address that a request can go to.
pub(crate) fn parsed(text: &str) -> Result<Url, Error> {
    let wrong = |why: &str| Error::new(ErrorKind::Url, format!("{text:?} {why}"));
    let url = Url::parse(text).map_err(|error| wrong(&format!("is no address: {error}")))?;
    checked(url).map_err(wrong)
}

/// What else an address has to be.
pub(crate) fn checked(url: Url) -> Result<Url, &'static str> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err("is not an address of http or https");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("has a user in it, which is not sent");
    }
    Ok(url)
}

/// Until when something may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    until: Option<Instant>,
    limit: Duration,
}

#[cfg_attr(
    not(target_os = "wasi"),
    allow(dead_code, reason = "there is nothing to wait for")
)]
impl Deadline {
    fn after(limit: Option<Duration>) -> Self {
        Self {
            // One that is too far away is none.
            until: limit.and_then(|limit| Instant::now().checked_add(limit)),
            limit: limit.unwrap_or_default(),
        }
    }

    /// What is left of it; none where there is no limit.
    fn left(&self) -> Result<Option<Duration>, Error> {
        let Some(until) = self.until else {
            return Ok(None);
        };
        match until.checked_duration_since(Instant::now()) {
            Some(left) if !left.is_zero() => Ok(Some(left)),
            _ => Err(self.passed()),
        }
    }

    /// That it is over.
    fn passed(&self) -> Error {
        Error::new(
            ErrorKind::Timeout,
            format!(
                "there was no whole answer within {} s",
                self.limit.as_secs_f64()
            ),
        )
    }
}

#[cfg(test)]
mod tests;
