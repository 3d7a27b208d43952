//! A component cut into its outermost sections.

use std::ops::Range;

use wasmparser::{Encoding, Parser, Payload};

use crate::error::PackageError;

/// What every component begins with, in bytes.
pub(crate) const HEADER: usize = 8;

/// One of a component's own sections.
pub(crate) struct Section<'a> {
    /// All of it, as it is in the file.
    pub(crate) whole: &'a [u8],
    /// Name and contents, if it is a custom section.
    pub(crate) custom: Option<(&'a str, &'a [u8])>,
}

/// The component's own sections in their order, not those of what it is made of.
pub(crate) fn sections(bytes: &[u8]) -> Result<Vec<Section<'_>>, PackageError> {
    let damaged = |why: &str| PackageError::Damaged(why.to_owned());
    let mut found = Vec::new();
    let mut depth = 0_u32;
    let mut end = HEADER;
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload.map_err(|error| damaged(error.message()))?;
        let of_its_own = depth == 0;
        match payload {
            Payload::Version {
                encoding: Encoding::Module,
                ..
            } if of_its_own => return Err(PackageError::Module),
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if !of_its_own {
            continue;
        }
        let Some((_, range)) = payload.as_section() else {
            continue;
        };
        let whole = whole(bytes, &mut end, &range).ok_or_else(|| damaged("it breaks off"))?;
        let custom = match &payload {
            Payload::CustomSection(section) => Some((section.name(), section.data())),
            _ => None,
        };
        found.push(Section { whole, custom });
    }
    Ok(found)
}

/// From the end of the section before to the end of this one.
fn whole<'a>(bytes: &'a [u8], end: &mut usize, range: &Range<usize>) -> Option<&'a [u8]> {
    let whole = bytes.get(*end..range.end)?;
    *end = range.end;
    Some(whole)
}
