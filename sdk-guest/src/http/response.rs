//! An answer.

use std::fmt;
use std::io::{self, Read};

use serde::de::DeserializeOwned;
use url::Url;

use super::{Error, ErrorKind, wire};

/// The head of an answer, and its body, which comes as it is read.
#[derive(Debug)]
pub struct Response {
    pub(super) status: u16,
    pub(super) url: Url,
    pub(super) headers: Vec<(String, Vec<u8>)>,
    pub(super) body: Body,
}

/// A body that comes as it is read. Its errors hold an [`Error`].
pub struct Body(pub(super) wire::Body);

impl Response {
    /// Its status, such as 200.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Whether its status is one of 200 to 299.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whom it is from: the last address, where redirects were followed.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The first header of a name, if it is visible ASCII.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let (_, value) = (self.headers.iter()).find(|(own, _)| own.eq_ignore_ascii_case(name))?;
        let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t');
        let text = str::from_utf8(value).ok()?;
        value.iter().all(plain).then_some(text.trim())
    }

    /// All headers, as they came.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        (self.headers.iter()).map(|(name, value)| (&name[..], &value[..]))
    }

    /// The body, to be read as it comes.
    #[must_use]
    pub fn into_body(self) -> Body {
        self.body
    }

    /// All of its body.
    ///
    /// # Errors
    /// If there are more than `most` bytes, or the connection breaks.
    pub fn bytes(mut self, most: usize) -> Result<Vec<u8>, Error> {
        let mut all = Vec::new();
        loop {
            let piece = self.body.0.next(64 << 10)?;
            if piece.is_empty() {
                return Ok(all);
            }
            if piece.len() > most - all.len() {
                return Err(Error::new(
                    ErrorKind::TooLarge,
                    format!(
                        "the answer from {} is larger than {most} bytes",
                        self.from()
                    ),
                ));
            }
            all.extend_from_slice(&piece);
        }
    }

    /// All of its body, as text in UTF-8.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes), and if it is not text.
    pub fn text(self, most: usize) -> Result<String, Error> {
        let from = self.from();
        String::from_utf8(self.bytes(most)?).map_err(|_| {
            Error::new(
                ErrorKind::Content,
                format!("the answer from {from} is not text in UTF-8"),
            )
        })
    }

    /// All of its body, as JSON.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes), and if it is not the JSON that is wanted.
    pub fn json<T: DeserializeOwned>(self, most: usize) -> Result<T, Error> {
        let from = self.from();
        serde_json::from_slice(&self.bytes(most)?).map_err(|error| {
            Error::new(
                ErrorKind::Content,
                format!("the answer from {from} is not what it should be: {error}"),
            )
        })
    }

    fn from(&self) -> String {
        self.url.host_str().unwrap_or_default().to_owned()
    }
}

impl Read for Body {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let piece = self.0.next(buffer.len()).map_err(io::Error::other)?;
        buffer[..piece.len()].copy_from_slice(&piece);
        Ok(piece.len())
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Body")
    }
}
