//! Glob patterns with the meaning they have in the reference server, which is
//! minimatch's with `dot` on: `**` spans directories, `*` also matches names
//! with a leading dot, a pattern without `/` matches at the top only.
//!
//! Written here because no crate has that meaning: those for globs have no
//! `!(…)`, or match bytes where a person counts characters.

use crate::braces;
use crate::error::Failure;
use crate::glob_name::Name;

/// The longest pattern, in bytes.
const LONGEST: usize = 4096;

/// A pattern, ready to be matched many times.
#[derive(Debug)]
pub(crate) struct Glob {
    negated: bool,
    /// One for each way its braces can be read. A path matches one of them.
    paths: Vec<Vec<Part>>,
}

/// What stands between two slashes.
#[derive(Debug)]
enum Part {
    /// `**`
    AnyDepth,
    Name(Name),
}

impl Glob {
    /// Reads a pattern. There are no wrong ones, only excessive ones.
    pub(crate) fn new(pattern: &str) -> Result<Self, Failure> {
        if pattern.len() > LONGEST {
            return Err(Failure::Refused(format!(
                "A pattern may have at most {LONGEST} bytes, this one has {}",
                pattern.len()
            )));
        }
        // A comment.
        if pattern.starts_with('#') {
            return Ok(Self {
                negated: false,
                paths: Vec::new(),
            });
        }
        let (mut rest, mut negated) = (pattern, false);
        while let Some(after) = rest.strip_prefix('!') {
            rest = after;
            negated = !negated;
        }
        let expanded = braces::expand(rest).map_err(|braces::TooMany| {
            Failure::Refused(format!(
                "The braces of {pattern} stand for too many patterns"
            ))
        })?;
        Ok(Self {
            negated,
            paths: expanded.iter().map(|path| parts(path)).collect(),
        })
    }

    /// Whether a path matches: relative, `/` between its names.
    pub(crate) fn matches(&self, path: &str) -> bool {
        let names: Vec<Vec<char>> = path.split('/').map(|name| name.chars().collect()).collect();
        self.paths.iter().any(|parts| matches(parts, &names)) != self.negated
    }

    /// How many names a matching path has at most; `None` if any number.
    pub(crate) fn deepest(&self) -> Option<usize> {
        if self.negated {
            return None;
        }
        self.paths
            .iter()
            .map(
                |parts| match parts.iter().any(|part| matches!(part, Part::AnyDepth)) {
                    true => None,
                    false => Some(parts.len()),
                },
            )
            .try_fold(0, |most, depth| Some(most.max(depth?)))
    }
}

/// Cuts a pattern at its slashes and works out `..`.
fn parts(pattern: &str) -> Vec<Part> {
    let mut names: Vec<&str> = Vec::new();
    let mut slash = false;
    for name in pattern.split('/') {
        // Several slashes are one, but a path that starts or ends with one is
        // not a path without it.
        let doubled = name.is_empty() && slash;
        slash = true;
        if doubled {
            continue;
        }
        match (name, names.last().copied()) {
            ("**", Some("**")) => {}
            ("..", Some(before)) if !matches!(before, "" | "." | ".." | "**") => {
                names.pop();
            }
            _ => names.push(name),
        }
    }
    if pattern.ends_with('/') && !names.last().is_some_and(|name| name.is_empty()) {
        names.push("");
    }
    names
        .into_iter()
        .map(|name| match name {
            "**" => Part::AnyDepth,
            name => Part::Name(Name::new(name)),
        })
        .collect()
}

/// Follows every way through the path at once: no pattern makes this slow.
fn matches(parts: &[Part], names: &[Vec<char>]) -> bool {
    // at[i]: the parts so far can stand for the first i names.
    let mut at = vec![false; names.len() + 1];
    at[0] = true;
    for (index, part) in parts.iter().enumerate() {
        let Some(first) = at.iter().position(|here| *here) else {
            return false;
        };
        let mut next = vec![false; at.len()];
        match part {
            // At the end it stands for what is in a directory, not for the
            // directory itself.
            Part::AnyDepth => {
                let least = first + usize::from(index + 1 == parts.len());
                next.iter_mut().skip(least).for_each(|here| *here = true);
            }
            Part::Name(name) => {
                for (i, text) in names.iter().enumerate() {
                    next[i + 1] = at[i] && name.matches(text);
                }
            }
        }
        at = next;
    }
    at.last().is_some_and(|end| *end)
}
