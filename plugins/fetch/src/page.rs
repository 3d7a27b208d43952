//! What came, as text.

use palisade_sdk::http::{Response, Url};
use palisade_sdk::prelude::*;

use crate::{charset, markdown};

/// The largest page that is read, in bytes.
pub(crate) const LARGEST: usize = 5 << 20;

/// A page that is text.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) url: Url,
    pub(crate) content_type: String,
    pub(crate) text: String,
}

/// Reads an answer to its end.
///
/// # Errors
/// If it is no page, too large, or no text.
pub(crate) fn read(response: Response, asked: &Url) -> Result<Page> {
    let status = response.status();
    if status >= 400 {
        bail!("Failed to fetch {asked} - status code {status}");
    }
    if let Some(coding) = response.header("content-encoding")
        && !coding.eq_ignore_ascii_case("identity")
    {
        bail!("Failed to fetch {asked}: it comes compressed ({coding}), which was not asked for");
    }
    let url = response.url().clone();
    let content_type = response
        .header("content-type")
        .unwrap_or_default()
        .to_owned();
    let bytes = response
        .bytes(LARGEST)
        .with_context(|| format!("Failed to fetch {asked}"))?;
    Page::new(url, content_type, &bytes).with_context(|| format!("Failed to fetch {asked}"))
}

impl Page {
    /// Takes bytes for text, if they are.
    pub(crate) fn new(url: Url, content_type: String, bytes: &[u8]) -> Result<Self> {
        let kind = essence(&content_type);
        if let Some(what) = never_text(&kind, bytes) {
            bail!(
                "it is {what} of {} bytes, which can't be shown as text",
                bytes.len()
            );
        }
        Ok(Self {
            text: charset::decode(bytes, &content_type),
            url,
            content_type,
        })
    }

    /// The text to show, and what to say before it.
    ///
    /// # Errors
    /// If it is HTML that is made to be hard to read.
    pub(crate) fn shown(&self, raw: bool) -> Result<(String, String)> {
        if !raw && self.is_html() {
            let text = markdown::from_html(&self.text, &self.url)
                .with_context(|| format!("Failed to simplify {}", self.url))?;
            return Ok((text, String::new()));
        }
        let prefix = format!(
            "Content type {} cannot be simplified to markdown, but here is the raw content:\n",
            self.content_type
        );
        Ok((self.text.clone(), prefix))
    }

    fn is_html(&self) -> bool {
        let begins = self.text.chars().take(100).collect::<String>();
        let kind = essence(&self.content_type);
        kind.is_empty()
            || kind == "text/html"
            || kind == "application/xhtml+xml"
            || begins.contains("<html")
    }
}

/// `text/html` of `Text/HTML; charset=utf-8`.
fn essence(content_type: &str) -> String {
    let kind = content_type.split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

/// What it is, if it is no text whatever its bytes are taken for.
fn never_text(kind: &str, bytes: &[u8]) -> Option<String> {
    let media = ["image/", "audio/", "video/", "font/"];
    let is_media = media.iter().any(|media| kind.starts_with(media)) && !kind.ends_with("+xml");
    let is_file = matches!(
        kind,
        "application/pdf" | "application/zip" | "application/gzip" | "application/wasm"
    );
    if is_media || is_file {
        return Some(kind.to_owned());
    }
    // UTF-16 has zeros, and says what it is.
    let marked = bytes.starts_with(&[0xfe, 0xff]) || bytes.starts_with(&[0xff, 0xfe]);
    let binary = |byte: &u8| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    (!marked && bytes.iter().any(binary)).then(|| match kind {
        "" => "something".to_owned(),
        kind => format!("binary content ({kind})"),
    })
}
