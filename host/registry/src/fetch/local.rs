//! A file on this machine.

use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

use super::error::FetchError;
use super::look::Look;
use super::{Limits, Progress, Told};
use crate::digest::Digest;
use crate::store::Store;
use crate::temp::TempBlob;

/// Bytes that are copied at once.
const PIECE: usize = 1 << 18;

/// Copies a file into the store's own directory.
pub(crate) async fn fetch(
    store: &Store,
    path: &Path,
    limits: &Limits,
    progress: Told<'_>,
) -> Result<(TempBlob, Digest), FetchError> {
    let (store, path, most) = (store.clone(), path.to_owned(), limits.bytes);
    let copying = tokio::task::spawn_blocking(move || copy(&store, &path, most));
    let (blob, digest) = copying.await.map_err(|_| FetchError::Broken)??;
    progress(Progress {
        received: blob.length(),
        total: Some(blob.length()),
    });
    Ok((blob, digest))
}

fn copy(store: &Store, path: &Path, most: u64) -> Result<(TempBlob, Digest), FetchError> {
    let unreadable = |source| FetchError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let (mut file, length) = open(path)?;
    let from = path.display().to_string();
    let too_large = || FetchError::TooLarge {
        from: from.clone(),
        limit: most,
    };
    if length > most {
        return Err(too_large());
    }
    let mut blob = store.temporary()?;
    let mut look = Look::default();
    let mut piece = vec![0; PIECE];
    loop {
        let read = file.read(&mut piece).map_err(unreadable)?;
        if read == 0 {
            break;
        }
        // It may grow while it is read.
        if blob.length() + read as u64 > most {
            return Err(too_large());
        }
        look.at(&from, &piece[..read])?;
        blob.write(&piece[..read])?;
    }
    look.end(&from)?;
    let digest = blob.finish();
    Ok((blob, digest))
}

/// A regular file, which is asked of what is open.
fn open(path: &Path) -> Result<(File, u64), FetchError> {
    // A pipe would wait for somebody to write.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(FetchError::NoFile {
                path: path.to_owned(),
                registry: path.to_str().is_some_and(is_registry_like),
            });
        }
        file => file,
    };
    let unreadable = |source| FetchError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let file = file.map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    let what = match metadata.file_type() {
        kind if kind.is_file() => return Ok((file, metadata.len())),
        kind if kind.is_dir() => "a directory",
        _ => "no regular file",
    };
    Err(FetchError::NotAFile {
        path: path.to_owned(),
        what,
    })
}

/// `ghcr.io/team/notes:1.0` is more likely a registry's than a folder's.
fn is_registry_like(path: &str) -> bool {
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    let host = first.split(':').next().unwrap_or(first);
    !rest.is_empty() && !host.starts_with('.') && (host.contains('.') || host == "localhost")
}
