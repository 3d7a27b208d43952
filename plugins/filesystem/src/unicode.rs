//! File names that look the same but are written differently: "é" is one code
//! point in most texts and two in names made on macOS. A path that does not
//! exist as written is looked up by its composed form (Unicode NFC).

use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::disk;
use crate::error::Failure;
use crate::roots::{Place, Roots};

/// Resolves a path argument, then follows names that exist in an equivalent
/// form only. Names in ASCII cost nothing.
pub(crate) fn find<'r>(roots: &'r Roots, path: &str) -> Result<Place<'r>, Failure> {
    let place = roots.resolve(path)?;
    if place.names().iter().all(|name| name.is_ascii()) {
        return Ok(place);
    }
    match disk::metadata_of_link(&place.real()) {
        Err(disk::Error::NO_ENTRY) => equivalent(&place),
        _ => Ok(place),
    }
}

/// From the granted directory down, takes each name as it is on disk. Below
/// the first name that is there in no form, nothing exists yet.
fn equivalent<'r>(place: &Place<'r>) -> Result<Place<'r>, Failure> {
    let mut found = place.with_names(Vec::new());
    let mut names = place.names().iter();
    while let Some(name) = names.next() {
        match on_disk(&found.real(), name) {
            Ok(Some(actual)) => {
                let mut all = found.names().to_vec();
                all.push(actual);
                found = found.with_names(all);
            }
            Ok(None) => {
                let rest = std::iter::once(name).chain(names).cloned();
                let all = found.names().iter().cloned().chain(rest).collect();
                return Ok(found.with_names(all));
            }
            Err(Ambiguous) => {
                return Err(Failure::Refused(format!(
                    "Ambiguous Unicode path component: {name}"
                )));
            }
        }
    }
    Ok(found)
}

/// Two names on disk are equivalent to the one asked for.
struct Ambiguous;

fn on_disk(directory: &str, name: &str) -> Result<Option<String>, Ambiguous> {
    if name.is_ascii() || disk::metadata_of_link(&format!("{directory}/{name}")).is_ok() {
        return Ok(Some(name.to_owned()));
    }
    let Ok(entries) = disk::read_directory(directory) else {
        return Ok(None);
    };
    let wanted: String = name.nfc().collect();
    let mut equal =
        entries
            .filter_map(|entry| Some(entry.ok()?.name))
            .filter(|entry| match is_nfc(entry) {
                true => *entry == wanted,
                false => entry.nfc().eq(wanted.chars()),
            });
    match (equal.next(), equal.next()) {
        (Some(_), Some(_)) => Err(Ambiguous),
        (found, _) => Ok(found),
    }
}
