//! What comes back, without the secrets that went out.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use aho_corasick::BuildError;
use http_body::Body;
use hyper::StatusCode;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::http::response;
use palisade_secrets::SecretValue;

use super::body::Masked;
use super::forms::Forms;
use super::scan::Scan;
use crate::error::NetError;

/// How the type of an answer begins that is several parts of one.
const PARTS: &[u8] = b"multipart/byteranges";

/// Puts `*` in the place of secrets. Cheap to clone.
#[derive(Clone)]
pub struct Mask(pub(super) Arc<Forms>);

impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mask(hidden)")
    }
}

impl Mask {
    /// Masks an answer's head, as it came from `name`.
    ///
    /// # Errors
    /// [`NetError::Secret`] for an answer in which a secret could not be found: a
    /// compressed one, or part of one.
    pub fn head(&self, name: &str, head: &mut response::Parts) -> Result<(), NetError> {
        let refused = |why| {
            Err(NetError::Secret {
                name: name.to_owned(),
                why,
            })
        };
        let only = |header: HeaderName, plain: &str| {
            (head.headers.get_all(header).iter()).all(|value| {
                let mut codings = value.as_bytes().split(|byte| *byte == b',');
                codings.all(|coding| {
                    let coding = coding.trim_ascii();
                    coding.is_empty() || coding.eq_ignore_ascii_case(plain.as_bytes())
                })
            })
        };
        if !only(header::CONTENT_ENCODING, "identity")
            || !only(header::TRANSFER_ENCODING, "chunked")
        {
            return refused("it is compressed, though that was not asked for");
        }
        let kind = head.headers.get(header::CONTENT_TYPE);
        let in_parts = kind.is_some_and(|kind| {
            let kind = kind.as_bytes().trim_ascii_start();
            (kind.get(..PARTS.len())).is_some_and(|kind| kind.eq_ignore_ascii_case(PARTS))
        });
        if head.status == StatusCode::PARTIAL_CONTENT
            || head.headers.contains_key(header::CONTENT_RANGE)
            || in_parts
        {
            return refused("it is part of an answer, though all of it was asked for");
        }
        self.headers(&mut head.headers);
        Ok(())
    }

    /// Masks headers or trailers.
    pub fn headers(&self, headers: &mut HeaderMap) {
        for value in headers.values_mut() {
            let bytes = self.bytes(value.as_bytes());
            if bytes != value.as_bytes() {
                // As many bytes, and none that a value can't have.
                *value = HeaderValue::from_bytes(&bytes)
                    .unwrap_or_else(|_| HeaderValue::from_static("*"));
            }
        }
        let named: Vec<HeaderName> = (headers.keys())
            .filter(|name| self.0.is_in_name(name.as_str()))
            .cloned()
            .collect();
        for name in named {
            headers.remove(name);
        }
    }

    /// One that masks these.
    pub(crate) fn of<'s>(
        secrets: impl IntoIterator<Item = &'s SecretValue>,
    ) -> Result<Self, BuildError> {
        Forms::new(secrets).map(Self)
    }

    /// Masks a whole text.
    #[must_use]
    pub fn bytes(&self, text: &[u8]) -> Vec<u8> {
        self.pieces(&[text])
    }

    /// Masks a text that comes in pieces.
    pub(crate) fn pieces(&self, pieces: &[&[u8]]) -> Vec<u8> {
        let mut scan = Scan::new(Arc::clone(&self.0));
        let mut out = Vec::new();
        for piece in pieces {
            out.extend_from_slice(&scan.feed(piece));
        }
        out.extend_from_slice(&scan.finish());
        out
    }

    /// A body that is masked as it comes.
    pub fn body<B: Body>(&self, body: B) -> Masked<B> {
        Masked::new(body, Some(self))
    }

    /// Masks what an error tells of what the other end said.
    pub(crate) fn error(&self, error: NetError) -> NetError {
        match error {
            NetError::Http { name, source } => NetError::Http {
                name,
                source: Box::new(self.told(&*source)),
            },
            error => error,
        }
    }

    /// An error and its causes in words.
    fn told(&self, error: &(dyn Error + 'static)) -> Told {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            text.push_str(": ");
            text.push_str(&error.to_string());
            cause = error.source();
        }
        let masked = self.bytes(text.as_bytes());
        Told(String::from_utf8_lossy(&masked).into_owned())
    }
}

/// What is left of an error.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Told(String);
