//! Reading text files, whole or by lines.

use crate::answer;
use crate::disk::{self, File, Kind, Reason};
use crate::error::Failure;
use crate::lines;
use crate::roots::{Place, Roots};
use crate::unicode;

/// The tools `read_text_file` and `read_file`.
pub(crate) fn text_file(
    roots: &Roots,
    path: &str,
    head: Option<f64>,
    tail: Option<f64>,
) -> Result<String, Failure> {
    let place = unicode::find(roots, path)?;
    let text = match (lines::count("head", head)?, lines::count("tail", tail)?) {
        (Some(_), Some(_)) => {
            return Err(Failure::Refused(
                "Cannot specify both head and tail parameters simultaneously".to_owned(),
            ));
        }
        (Some(lines), None) => lines::first(&place, lines)?,
        (None, Some(lines)) => lines::last(&place, lines)?,
        (None, None) => whole(&place, answer::LARGEST_TEXT)?,
    };
    match answer::fits(&text) {
        true => Ok(text),
        false => Err(too_large(&place, text.len() as u64, answer::LARGEST_TEXT)),
    }
}

/// The tool `read_multiple_files`: one after the other, each on its own terms.
pub(crate) fn multiple_files(roots: &Roots, paths: &[String]) -> String {
    let mut answer = String::new();
    let mut left = answer::LIMIT;
    for path in paths {
        let part = match one_of_many(roots, path, left) {
            Ok(text) => format!("{path}:\n{text}\n"),
            Err(failure) => format!("{path}: Error - {failure}"),
        };
        if !answer.is_empty() {
            answer.push_str("\n---\n");
        }
        left = left.saturating_sub(answer::cost(&part) + 16);
        answer.push_str(&part);
    }
    answer
}

/// A file that has to fit into what other files left of the answer.
fn one_of_many(roots: &Roots, path: &str, left: usize) -> Result<String, Failure> {
    let place = unicode::find(roots, path)?;
    let text = whole(&place, left / 2)?;
    match answer::cost(&text) <= left {
        true => Ok(text),
        false => Err(too_large(&place, text.len() as u64, left / 2)),
    }
}

/// A file's content as text; what is not UTF-8 in it shows as U+FFFD.
fn whole(place: &Place<'_>, limit: usize) -> Result<String, Failure> {
    Ok(into_text(bytes(place, limit)?))
}

/// A file's content, read only if it is at most `limit` bytes.
pub(crate) fn bytes(place: &Place<'_>, limit: usize) -> Result<Vec<u8>, Failure> {
    let (file, length) = open(place)?;
    let length = match usize::try_from(length) {
        Ok(length) if length <= limit => length,
        _ => return Err(too_large(place, length, limit)),
    };
    // Some files have no length before they are read. Of all others there is
    // no need to ask whether more follows.
    let wanted = if length == 0 { limit + 1 } else { length };
    let bytes = range(place, &file, 0, wanted)?;
    if bytes.len() > limit {
        return Err(too_large(place, bytes.len() as u64, limit));
    }
    Ok(bytes)
}

/// The bytes of a part of a file, fewer if it ends before.
pub(crate) fn range(
    place: &Place<'_>,
    file: &File,
    offset: u64,
    length: usize,
) -> Result<Vec<u8>, Failure> {
    let read = |offset, length| {
        file.read(length, offset)
            .map_err(|error| Failure::disk(error, "read", place))
    };
    // Mostly all of it.
    let mut bytes = read(offset, length)?;
    if bytes.is_empty() || bytes.len() >= length {
        return Ok(bytes);
    }
    loop {
        let part = read(offset + bytes.len() as u64, length - bytes.len())?;
        if part.is_empty() {
            return Ok(bytes);
        }
        bytes.reserve_exact(length - bytes.len());
        bytes.extend(part);
        if bytes.len() >= length {
            return Ok(bytes);
        }
    }
}

/// Opens a regular file for reading and tells its length.
pub(crate) fn open(place: &Place<'_>) -> Result<(File, u64), Failure> {
    let failed = |call| move |error| Failure::disk(error, call, place);
    let file = disk::open(&place.real()).map_err(failed("open"))?;
    let metadata = file.metadata().map_err(failed("stat"))?;
    match metadata.kind {
        Kind::File => Ok((file, metadata.size)),
        Kind::Directory => Err(Failure::nameless(Reason::IsDirectory, "read")),
        _ => Err(not_a_file(place)),
    }
}

/// A device or the like, which is neither read nor replaced.
pub(crate) fn not_a_file(place: &Place<'_>) -> Failure {
    Failure::Refused(format!("Not a regular file: {}", place.shown()))
}

/// What is not UTF-8 becomes U+FFFD.
pub(crate) fn into_text(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}

/// Refuses a file, with advice.
pub(crate) fn too_large(place: &Place<'_>, length: u64, limit: usize) -> Failure {
    Failure::TooLarge {
        path: place.shown(),
        size: answer::format_size(length),
        room: answer::format_size(limit as u64),
    }
}
