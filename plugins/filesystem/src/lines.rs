//! The first and the last lines of a file, without reading the rest.

use crate::answer;
use crate::error::Failure;
use crate::read::{into_text, open, range, too_large};
use crate::roots::Place;

/// Read at a time.
const CHUNK: usize = 64 * 1024;

/// Stops reading at the last line asked for.
pub(crate) fn first(place: &Place<'_>, lines: usize) -> Result<String, Failure> {
    let (file, length) = open(place)?;
    let mut text = Vec::new();
    let (mut offset, mut left) = (0, lines);
    loop {
        // A file without a length is read until it ends.
        let most = if length == 0 {
            u64::MAX
        } else {
            length - offset
        };
        let size = usize::try_from(most).unwrap_or(CHUNK).min(CHUNK);
        let chunk = range(place, &file, offset, size)?;
        let end = nth_line_end(chunk.iter(), &mut left);
        text.extend_from_slice(&chunk[..end.unwrap_or(chunk.len())]);
        if text.len() > answer::LARGEST_TEXT {
            return Err(too_large(place, length, answer::LARGEST_TEXT));
        }
        if end.is_some() {
            return Ok(into_text(text));
        }
        offset += size as u64;
        if chunk.len() < size || offset == length {
            break;
        }
    }
    // The end of the file. A last line end ends a line, it does not begin one.
    if text.last() == Some(&b'\n') {
        text.pop();
    }
    Ok(into_text(text))
}

/// Reads from the end, backwards, until there are enough lines. As in the
/// reference server, what follows the last line end counts as a line, even
/// where it is empty, and CRLF becomes LF.
pub(crate) fn last(place: &Place<'_>, lines: usize) -> Result<String, Failure> {
    let (file, length) = open(place)?;
    // Last part first.
    let mut parts: Vec<Vec<u8>> = Vec::new();
    let (mut position, mut left, mut held) = (length, lines, 0);
    while position > 0 {
        let size = usize::try_from(position).unwrap_or(CHUNK).min(CHUNK);
        position -= size as u64;
        let mut part = range(place, &file, position, size)?;
        if let Some(end) = nth_line_end(part.iter().rev(), &mut left) {
            parts.push(part.split_off(part.len() - end));
            break;
        }
        held += part.len();
        parts.push(part);
        if held > answer::LARGEST_TEXT {
            return Err(too_large(place, length, answer::LARGEST_TEXT));
        }
    }
    parts.reverse();
    Ok(into_text(parts.concat()).replace("\r\n", "\n"))
}

/// Counts `left` down at every line end, and tells where it reaches zero.
fn nth_line_end<'b>(bytes: impl Iterator<Item = &'b u8>, left: &mut usize) -> Option<usize> {
    for (at, _) in bytes.enumerate().filter(|(_, byte)| **byte == b'\n') {
        *left = left.saturating_sub(1);
        if *left == 0 {
            return Some(at);
        }
    }
    None
}

/// A number of lines. JSON Schema's `number` is what the reference server
/// takes, and it treats 0 as not given.
pub(crate) fn count(name: &str, value: Option<f64>) -> Result<Option<usize>, Failure> {
    const MOST: f64 = u32::MAX as f64;
    match value {
        None | Some(0.0) => Ok(None),
        Some(value) if value > 0.0 && value.fract() == 0.0 => {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "whole, positive, and at most u32::MAX"
            )]
            let lines = value.min(MOST) as u32;
            Ok(Some(usize::try_from(lines).unwrap_or(usize::MAX)))
        }
        Some(value) => Err(Failure::Refused(format!(
            "{name} is a number of lines: a whole number above 0, not {value}"
        ))),
    }
}
