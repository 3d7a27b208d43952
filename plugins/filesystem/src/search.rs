//! Finding files and directories by their names.

use std::vec;

use crate::answer;
use crate::disk::{self, Entry, Kind};
use crate::error::Failure;
use crate::glob::Glob;
use crate::roots::Roots;
use crate::unicode;
use crate::walk::Walk;

/// The tool `search_files`: one path a line.
pub(crate) fn files(
    roots: &Roots,
    path: &str,
    pattern: &str,
    exclude: &[String],
    walk: &mut Walk<'_>,
) -> Result<String, Failure> {
    let place = unicode::find(roots, path)?;
    let pattern = Glob::new(pattern)?;
    let exclude = exclude
        .iter()
        .map(|glob| Glob::new(glob))
        .collect::<Result<Vec<_>, _>>()?;
    let deepest = pattern.deepest().unwrap_or(usize::MAX);

    let base = place.real();
    let entries = walk
        .read(&base)?
        .map_err(|error| Failure::disk(error, "scandir", &place))?;
    let mut found = Found::default();
    // The path of the entry at hand, from where the search starts.
    let mut relative = String::new();
    // The entries still to look at, of every directory on the way down, and
    // how long the path was before it.
    let mut open: Vec<(vec::IntoIter<Entry>, usize)> = vec![(entries.into_iter(), 0)];
    'directories: while let Some((entries, above)) = open.last_mut() {
        let above = *above;
        for entry in entries {
            let start = relative.len();
            relative.push_str(&entry.name);
            let real = || format!("{base}/{relative}");
            let excluded = exclude.iter().any(|glob| glob.matches(&relative));
            let matched = !excluded && pattern.matches(&relative);
            // A link that leads out or nowhere is not there.
            let hidden = matched && entry.kind == Kind::Link && disk::metadata(&real()).is_err();
            if matched && !hidden && !found.push(&place.shown_below(&relative)) {
                break 'directories;
            }
            let deeper = relative.split('/').count() < deepest;
            if entry.kind == Kind::Directory && !excluded && deeper {
                // What cannot be read holds nothing that could be found.
                if let Ok(entries) = walk.read(&real())? {
                    relative.push('/');
                    open.push((entries.into_iter(), start));
                    continue 'directories;
                }
            }
            relative.truncate(start);
        }
        open.pop();
        relative.truncate(above);
    }
    Ok(found.text(walk))
}

/// Paths, as many as an answer can hold.
#[derive(Default)]
struct Found {
    text: String,
    cost: usize,
    full: bool,
}

impl Found {
    /// False once there is no room.
    fn push(&mut self, path: &str) -> bool {
        self.cost += answer::cost(path) + 3;
        if self.cost > answer::LIMIT - 1024 {
            self.full = true;
            return false;
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(path);
        true
    }

    fn text(self, walk: &Walk<'_>) -> String {
        let mut text = match self.text.is_empty() {
            true => "No matches found".to_owned(),
            false => self.text,
        };
        if self.full || walk.is_full() {
            text.push_str(&format!(
                "\n\n[Stopped after {} entries: there may be more. Search in a directory further down, or exclude some]",
                walk.seen()
            ));
        }
        text
    }
}
