//! Unified differences, laid out like those of the reference server: an
//! `Index:` line, four lines of context, both counts always written out.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::{ChangeTag, DiffOp, group_diff_ops};

/// Lines shown around a change.
const CONTEXT: usize = 4;

/// After this long a coarser difference will do.
const PATIENCE: Duration = Duration::from_secs(1);

/// The difference between two versions of the file at `path`.
pub(crate) fn unified(path: &str, before: &str, after: &str) -> String {
    let mut text = format!(
        "Index: {path}\n{:=<67}\n--- {path}\toriginal\n+++ {path}\tmodified\n",
        ""
    );
    let (before, after) = (lines(before), lines(after));
    for hunk in group_diff_ops(operations(&before, &after), CONTEXT) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else {
            continue;
        };
        let old = first.old_range().start..last.old_range().end;
        let new = first.new_range().start..last.new_range().end;
        // Lines count from one; an empty range names the line before it.
        let start = |range: &Range<usize>| range.start + usize::from(!range.is_empty());
        // Cannot fail: it writes to a string.
        let _ = writeln!(
            text,
            "@@ -{},{} +{},{} @@",
            start(&old),
            old.len(),
            start(&new),
            new.len()
        );
        for change in hunk
            .iter()
            .flat_map(|op| op.iter_changes(&before[..], &after[..]))
        {
            text.push(match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            });
            let line = change.value();
            text.push_str(line);
            if !line.ends_with('\n') {
                text.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    text
}

/// What turns one list of lines into the other. One algorithm is named here:
/// the library's own choice among all of them would make up a quarter of this
/// plugin.
fn operations(before: &[&str], after: &[&str]) -> Vec<DiffOp> {
    let mut hook = Compact::new(Replace::new(Capture::new()), before, after);
    let deadline = Instant::now().checked_add(PATIENCE);
    let done: Result<(), Infallible> = myers::diff_deadline(
        &mut hook,
        before,
        0..before.len(),
        after,
        0..after.len(),
        deadline,
    );
    match done {
        Ok(()) => hook.into_inner().into_inner().into_ops(),
    }
}

/// Each with its end. Only a line feed ends a line: a lone carriage return
/// does not.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}
