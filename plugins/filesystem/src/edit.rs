//! Replacing pieces of a text file.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::answer;
use crate::diff;
use crate::error::Failure;
use crate::read;
use crate::roots::Roots;
use crate::unicode;
use crate::write;

/// The largest file that is edited: it is held several times over.
const LARGEST: usize = 4 * 1024 * 1024;

/// One replacement.
#[derive(Debug, Clone)]
pub(crate) struct Edit {
    /// What to look for: as it is, or line by line without the space around.
    pub(crate) old: String,
    /// What to put there.
    pub(crate) new: String,
}

/// The tool `edit_file`: the difference it makes, in a fence.
pub(crate) fn file(
    roots: &Roots,
    path: &str,
    edits: &[Edit],
    dry_run: bool,
) -> Result<String, Failure> {
    let place = unicode::find(roots, path)?;
    let place = if dry_run { place } else { place.writable()? };
    let bytes = read::bytes(&place, LARGEST)?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Failure::Refused(format!(
            "{} is not UTF-8 text, so it was not changed",
            place.shown()
        ))
    })?;
    let before = normalise_line_ends(&text);
    let mut after = before.clone();
    for edit in edits {
        let old = normalise_line_ends(&edit.old);
        let new = normalise_line_ends(&edit.new);
        match apply(&after, &old, &new) {
            Some(changed) => after = Cow::Owned(changed),
            None => {
                return Err(Failure::Refused(format!(
                    "Could not find exact match for edit:\n{}",
                    edit.old
                )));
            }
        }
    }
    let answer = fenced(&diff::unified(&place.shown(), &before, &after));
    if !dry_run {
        let content = match only_crlf(&text) {
            true => after.replace('\n', "\r\n"),
            false => after.into_owned(),
        };
        write::replace(&place, &content)?;
    }
    Ok(answer)
}

/// Replaces the first occurrence. Where there is none, the first run of lines
/// that differs in the space around its lines only.
fn apply(text: &str, old: &str, new: &str) -> Option<String> {
    if text.contains(old) {
        return Some(text.replacen(old, new, 1));
    }
    let wanted: Vec<&str> = old.split('\n').collect();
    let lines: Vec<&str> = text.split('\n').collect();
    let same = |window: &[&str]| wanted.iter().zip(window).all(|(a, b)| trim(a) == trim(b));
    let at = lines.windows(wanted.len()).position(same)?;
    let replacement = indented(new, &wanted, indent(lines[at]));
    let mut changed: Vec<&str> = lines[..at].to_vec();
    changed.extend(replacement.iter().map(String::as_str));
    changed.extend(&lines[at + wanted.len()..]);
    Some(changed.join("\n"))
}

/// Gives new lines the indentation of the place they go to. A line keeps how
/// much deeper it is than the line it stands for.
fn indented(new: &str, old: &[&str], base: &str) -> Vec<String> {
    let line = |(at, line): (usize, &str)| {
        let bare = line.trim_start_matches(is_space);
        if at == 0 {
            return format!("{base}{bare}");
        }
        let was = indent(old.get(at).unwrap_or(&""));
        let is = indent(line);
        if was.is_empty() || is.is_empty() {
            return line.to_owned();
        }
        let deeper = is.chars().count().saturating_sub(was.chars().count());
        format!("{base}{}{bare}", " ".repeat(deeper))
    };
    new.split('\n').enumerate().map(line).collect()
}

/// A fence with more backticks than the text has in a row.
fn fenced(diff: &str) -> String {
    let mut fence = "```".to_owned();
    while diff.contains(&fence) {
        fence.push('`');
    }
    let mut text = format!("{fence}diff\n{diff}{fence}\n\n");
    if !answer::fits(&text) {
        text = format!("{fence}diff\n{}{fence}\n\n", shortened(diff));
    }
    text
}

/// The beginning of a difference too long to answer with. The change itself
/// is not refused for that.
fn shortened(diff: &str) -> String {
    let (mut kept, mut room, mut left) = (String::new(), answer::LIMIT - 4096, 0);
    for line in diff.split_inclusive('\n') {
        match room.checked_sub(answer::cost(line)) {
            Some(rest) if left == 0 => {
                room = rest;
                kept.push_str(line);
            }
            _ => left += 1,
        }
    }
    // Cannot fail: it writes to a string.
    let _ = writeln!(
        kept,
        "[{left} more lines not shown: too long for one answer]"
    );
    kept
}

fn normalise_line_ends(text: &str) -> Cow<'_, str> {
    match text.contains("\r\n") {
        true => Cow::Owned(text.replace("\r\n", "\n")),
        false => Cow::Borrowed(text),
    }
}

/// Whether every line of a text ends the way Windows ends lines.
fn only_crlf(text: &str) -> bool {
    let ends = text.matches('\n').count();
    ends > 0 && ends == text.matches("\r\n").count()
}

fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches(is_space).len()]
}

fn trim(line: &str) -> &str {
    line.trim_matches(is_space)
}

/// White space as ECMAScript defines it, which is what the reference server
/// trims: not U+0085, but the byte order mark.
fn is_space(c: char) -> bool {
    c == '\u{feff}' || (c != '\u{85}' && c.is_whitespace())
}
