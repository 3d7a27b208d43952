//! What lies beside a plugin and may say who made it: a bundle of Sigstore. It is
//! fetched like the plugin itself, and looked into by somebody else.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

use super::error::FetchError;
use super::web::{Ask, Web, good};
use crate::source::WebAddress;

/// What a bundle is called: like its plugin, with this after it.
const ENDING: &str = ".sigstore.json";

/// Largest bundle, in bytes.
pub(crate) const LARGEST: u64 = 1 << 20;

/// A bundle that lies beside something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beside {
    /// Where it came from.
    pub from: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// The one beside a file, if there is one.
///
/// # Errors
/// [`FetchError`] if there is something that can't be read.
pub fn of_file(path: &Path) -> Result<Option<Beside>, FetchError> {
    let mut path = path.as_os_str().to_owned();
    path.push(ENDING);
    let path = Path::new(&path);
    let unreadable = |source| FetchError::Unreadable {
        path: path.to_owned(),
        source,
    };
    // A pipe would wait for somebody to write.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file.map_err(unreadable)?,
    };
    if !file.metadata().map_err(unreadable)?.is_file() {
        return Err(FetchError::NotAFile {
            path: path.to_owned(),
            what: "no regular file",
        });
    }
    let mut bytes = Vec::new();
    (file.take(LARGEST + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    let from = path.display().to_string();
    match bytes.len() as u64 > LARGEST {
        true => Err(FetchError::TooLarge {
            from,
            limit: LARGEST,
        }),
        false => Ok(Some(Beside { from, bytes })),
    }
}

/// The one beside an address, if there is one. Whoever has the plugin there could
/// keep it back as well as say that there is none, so every way to say that is
/// taken for it.
pub(super) async fn of_address(
    web: &Web<'_>,
    address: &WebAddress,
) -> Result<Option<Beside>, FetchError> {
    let Some(beside) = address.with_ending(ENDING) else {
        return Ok(None);
    };
    let from = beside.to_string();
    let answer = web.follow(Ask::get(beside)).await?;
    if matches!(answer.status().as_u16(), 401 | 403 | 404 | 410) {
        return Ok(None);
    }
    let answer = good(&from, answer)?;
    let bytes = web.short(&from, answer, LARGEST).await?;
    // Some have a page for everything that they do not have.
    let is_json = bytes.trim_ascii_start().starts_with(b"{");
    Ok(is_json.then_some(Beside { from, bytes }))
}
