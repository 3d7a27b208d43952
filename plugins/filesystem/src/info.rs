//! What is known about a file without reading it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use humantime::format_rfc3339_millis;

use crate::disk::{self, Kind};
use crate::error::Failure;
use crate::roots::Roots;
use crate::unicode;

/// The first second of the year 10000, which RFC 3339 cannot write.
const TOO_LATE: Duration = Duration::from_secs(253_402_300_800);

/// The tool `get_file_info`: one fact a line.
pub(crate) fn file(roots: &Roots, path: &str) -> Result<String, Failure> {
    let place = unicode::find(roots, path)?;
    let metadata =
        disk::metadata(&place.real()).map_err(|error| Failure::disk(error, "stat", &place))?;
    Ok(format!(
        "size: {}\ncreated: {}\nmodified: {}\naccessed: {}\nisDirectory: {}\nisFile: {}\npermissions: {}",
        metadata.size,
        time(metadata.created),
        time(metadata.modified),
        time(metadata.accessed),
        metadata.kind == Kind::Directory,
        metadata.kind == Kind::File,
        // WASI does not tell modes. What this plugin may do is known.
        if place.is_writable() {
            "read-write"
        } else {
            "read-only"
        },
    ))
}

/// UTC, to the millisecond (RFC 3339).
fn time(time: Option<SystemTime>) -> String {
    match time {
        Some(time) if time >= UNIX_EPOCH && time < UNIX_EPOCH + TOO_LATE => {
            format_rfc3339_millis(time).to_string()
        }
        _ => "not available".to_owned(),
    }
}
