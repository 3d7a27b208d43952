//! Names for directories that were granted without one.

use std::collections::BTreeSet;
use std::path::Path;

use crate::error::GrantError;
use crate::flags::RootFlag;
use crate::manifest::Manifest;
use crate::names::NAME_MAX;
use crate::roots::RootGrant;
use crate::text::visible;

/// What a directory is called whose own name has no usable character.
const FALLBACK: &str = "root";

/// Gives every directory of the command line its name.
///
/// A flag with a name keeps it. One without:
///
/// - fills the plugin's request, when exactly one named request is left and
///   exactly one directory has no name;
/// - otherwise is called after the directory itself (lower case, everything
///   but a-z and 0-9 turned to `-`, `-2`, `-3` … where taken), when the plugin
///   asks for any directories (`*`), for none that is left, or has no manifest.
///   Called like one of its requests, it fills that.
///
/// Paths are taken as written: for `.` to be called after the directory it is,
/// make it absolute first.
///
/// # Errors
/// [`GrantError`] when a name is given twice, and when it is not plain which
/// request a directory without a name is for.
pub fn name_roots(
    flags: Vec<RootFlag>,
    manifest: Option<&Manifest>,
) -> Result<Vec<RootGrant>, GrantError> {
    let mut taken = BTreeSet::new();
    for name in flags.iter().filter_map(|flag| flag.name.as_ref()) {
        if !taken.insert(name.clone()) {
            return Err(GrantError::DuplicateRoot { name: name.clone() });
        }
    }
    let requests = manifest.map_or(&[][..], |manifest| &manifest.roots);
    let mut left: Vec<&str> = (requests.iter())
        .filter(|request| !request.is_any() && !taken.contains(&request.name))
        .map(|request| request.name.as_str())
        .collect();
    let any = requests.iter().any(|request| request.is_any());
    let nameless: Vec<&RootFlag> = flags.iter().filter(|flag| flag.name.is_none()).collect();

    let filled = match (left.as_slice(), nameless.as_slice()) {
        (_, []) | ([], _) => None,
        ([name], [_]) => Some((*name).to_owned()),
        ([choice], many) => {
            return Err(GrantError::TooMany {
                choice: (*choice).to_owned(),
                count: many.len(),
            });
        }
        _ if any => None,
        (_, [flag, ..]) => {
            left.sort_unstable();
            return Err(GrantError::Ambiguous {
                kind: flag.kind,
                path: visible(&flag.path.display().to_string()),
                choices: left.into_iter().map(str::to_owned).collect(),
            });
        }
    };

    Ok((flags.into_iter())
        .map(|flag| {
            let name = (flag.name)
                .or_else(|| filled.clone())
                .unwrap_or_else(|| free(&slug(&flag.path), &taken));
            taken.insert(name.clone());
            RootGrant {
                name,
                kind: flag.kind,
                path: flag.path,
                access: flag.access,
                hide: Vec::new(),
                line: None,
            }
        })
        .collect())
}

/// A directory's own name in the alphabet of names.
fn slug(path: &Path) -> String {
    let own = path.file_name().unwrap_or_default().to_string_lossy();
    name_from(&own).unwrap_or_else(|| FALLBACK.into())
}

/// A text in the alphabet of names (lower case, everything but a-z and 0-9
/// turned to `-`, cut where it is too long), if anything of it is left.
#[must_use]
pub fn name_from(text: &str) -> Option<String> {
    let mut slug = String::new();
    for c in text.chars() {
        match c.to_ascii_lowercase() {
            c @ ('a'..='z' | '0'..='9') => slug.push(c),
            _ if slug.ends_with('-') || slug.is_empty() => {}
            _ => slug.push('-'),
        }
        if slug.len() == NAME_MAX {
            break;
        }
    }
    match slug.trim_end_matches('-') {
        "" => None,
        slug => Some(slug.to_owned()),
    }
}

/// `name`, or with the first number that makes it a name not yet taken.
fn free(name: &str, taken: &BTreeSet<String>) -> String {
    let mut candidate = name.to_owned();
    let mut number = 2_u32;
    while taken.contains(&candidate) {
        let suffix = format!("-{number}");
        let stem = &name[..name.len().min(NAME_MAX - suffix.len())];
        candidate = format!("{stem}{suffix}");
        number += 1;
    }
    candidate
}
