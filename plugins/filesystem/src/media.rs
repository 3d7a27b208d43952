//! Reading files that are not text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::answer;
use crate::error::Failure;
use crate::read;
use crate::roots::Roots;
use crate::unicode;

/// A file, and what it is by its extension.
pub(crate) struct Media {
    /// The content.
    pub(crate) bytes: Vec<u8>,
    /// `application/octet-stream` where the extension says nothing.
    pub(crate) mime: &'static str,
    /// Its `file:` URI.
    pub(crate) uri: String,
}

/// The tool `read_media_file`.
pub(crate) fn file(roots: &Roots, path: &str) -> Result<Media, Failure> {
    let place = unicode::find(roots, path)?;
    Ok(Media {
        mime: mime(place.names().last().map_or("", String::as_str)),
        bytes: read::bytes(&place, answer::LARGEST_MEDIA)?,
        uri: place.uri(),
    })
}

impl Media {
    /// The content in base64, padded.
    pub(crate) fn base64(&self) -> String {
        STANDARD.encode(&self.bytes)
    }

    /// Whether MCP has a content block for it.
    pub(crate) fn is_image(&self) -> bool {
        self.mime.starts_with("image/")
    }

    /// Whether MCP has a content block for it.
    pub(crate) fn is_audio(&self) -> bool {
        self.mime.starts_with("audio/")
    }
}

/// The types the reference server knows.
fn mime(name: &str) -> &'static str {
    // A name that starts with its only dot has no extension.
    let extension = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
    match extension
        .map_or("", |(_, extension)| extension)
        .to_ascii_lowercase()
        .as_str()
    {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "bmp" => "image/bmp",
        "svg" => "image/svg+xml",
        "mp3" => "audio/mpeg",
        "wav" => "audio/wav",
        "ogg" => "audio/ogg",
        "flac" => "audio/flac",
        _ => "application/octet-stream",
    }
}
