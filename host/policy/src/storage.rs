//! Storage kept between calls.

use std::fmt;
use std::ops::RangeInclusive;

use crate::error::ParseError;
use crate::keys;
use crate::parse::Table;
use crate::units::{format_size, parse_size};

const QUOTA: RangeInclusive<u64> = 1 << 10..=1 << 30;

/// The `[storage]` of a manifest or a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StorageRequest {
    /// How much may be kept, in bytes; 1 KiB to 1 GiB.
    pub quota: u64,
}

pub(crate) fn bounds() -> String {
    crate::limits::range(&QUOTA, format_size)
}

impl StorageRequest {
    pub(crate) fn parse(table: &Table<'_>) -> Result<Self, ParseError> {
        table.only(&keys::STORAGE.names(), &[])?;
        let example = "quota = \"8 MiB\"";
        let item = table.require("quota", example)?;
        let size = parse_size(item.string(example)?);
        let quota = crate::limits::bounded(&item, size, QUOTA, format_size)?;
        Ok(Self { quota })
    }
}

impl fmt::Display for StorageRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_size(self.quota))
    }
}
