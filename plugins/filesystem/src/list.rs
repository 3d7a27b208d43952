//! Listing one directory.

use std::cmp::Reverse;
use std::fmt::Write as _;

use crate::answer::{self, format_size};
use crate::collate;
use crate::disk::{self, Entry, Kind};
use crate::error::Failure;
use crate::roots::{Place, Roots};
use crate::unicode;
use crate::walk::Walk;

/// The order of a listing with sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// As people order names.
    Name,
    /// Largest first.
    Size,
}

/// The tool `list_directory`.
pub(crate) fn names(roots: &Roots, path: &str, walk: &mut Walk<'_>) -> Result<String, Failure> {
    let place = unicode::find(roots, path)?;
    let entries = entries(&place, walk)?;
    let lines = entries
        .iter()
        .map(|entry| format!("{} {}", mark(entry.kind), entry.name));
    Ok(joined(lines, answer::LIMIT) + &missing(walk))
}

/// The tool `list_directory_with_sizes`.
pub(crate) fn sizes(
    roots: &Roots,
    path: &str,
    order: Order,
    walk: &mut Walk<'_>,
) -> Result<String, Failure> {
    let place = unicode::find(roots, path)?;
    let directory = place.real();
    let mut rows: Vec<Row> = entries(&place, walk)?
        .into_iter()
        .map(|entry| Row {
            // What cannot be looked at has no size: a link that leads out.
            size: disk::metadata(&format!("{directory}/{}", entry.name))
                .map_or(0, |metadata| metadata.size),
            name: entry.name,
            kind: entry.kind,
        })
        .collect();
    match order {
        Order::Name => rows.sort_by_cached_key(|row| collate::key(&row.name)),
        Order::Size => rows.sort_by_key(|row| Reverse(row.size)),
    }
    let files = rows.iter().filter(|row| row.kind != Kind::Directory);
    let (count, total) = files.fold((0, 0), |(count, total), row| (count + 1, total + row.size));
    let mut text = joined(rows.iter().map(Row::line), answer::LIMIT - 1024);
    if !text.is_empty() {
        text.push('\n');
    }
    Ok(format!(
        "{text}\nTotal: {count} files, {} directories\nCombined size: {}{}",
        rows.len() - count,
        format_size(total),
        missing(walk),
    ))
}

/// Says what a listing does not show.
fn missing(walk: &Walk<'_>) -> String {
    let mut note = String::new();
    if walk.is_full() {
        // Cannot fail: it writes to a string.
        let _ = write!(
            note,
            "\n[The directory holds more than these {} entries]",
            walk.seen()
        );
    }
    if walk.nameless() > 0 {
        let _ = write!(
            note,
            "\n[{} more have names that are not Unicode]",
            walk.nameless()
        );
    }
    note
}

fn mark(kind: Kind) -> &'static str {
    match kind {
        Kind::Directory => "[DIR]",
        Kind::File | Kind::Link | Kind::Other => "[FILE]",
    }
}

/// A line of a listing with sizes.
struct Row {
    name: String,
    kind: Kind,
    size: u64,
}

impl Row {
    /// Two columns, like those of the reference server, which counts UTF-16
    /// code units.
    fn line(&self) -> String {
        let padding = 30_usize.saturating_sub(self.name.encode_utf16().count());
        let size = match self.kind {
            Kind::Directory => String::new(),
            _ => format!("{:>10}", format_size(self.size)),
        };
        format!("{} {}{:padding$} {size}", mark(self.kind), self.name, "")
    }
}

fn entries(place: &Place<'_>, walk: &mut Walk<'_>) -> Result<Vec<Entry>, Failure> {
    walk.read(&place.real())?
        .map_err(|error| Failure::disk(error, "scandir", place))
}

/// As many lines as fit, and how many do not.
fn joined(lines: impl Iterator<Item = String>, limit: usize) -> String {
    let (mut text, mut room, mut left) = (String::new(), limit - 128, 0);
    for line in lines {
        match room.checked_sub(answer::cost(&line) + 3) {
            Some(rest) if left == 0 => {
                room = rest;
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(&line);
            }
            _ => left += 1,
        }
    }
    if left > 0 {
        text.push_str(&format!(
            "\n[{left} more entries not shown: too many for one answer]"
        ));
    }
    text
}
