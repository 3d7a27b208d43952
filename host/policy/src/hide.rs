//! Which paths below a directory do not exist for a plugin.
//!
//! A pattern is relative to its root: names with `*`, `?` and `[…]`, divided by
//! `/`; `**` stands for any directories, or none. What a pattern matches is
//! hidden together with everything below it, so `**/.git/**` and `**/.git` are
//! the same: `.git` itself is not there.
//!
//! Paths are looked at name by name, as they are walked ([`HideSet::enter`]):
//! what is known of a directory carries over to what lies in it, and two places
//! of which the same is known ([`Trail`]s that are equal) hide the same below
//! them.
//!
//! Single names are matched by the `glob` crate, character by character;
//! `globset`, which matches whole paths, takes them for bytes, so that its `x?`
//! would show `xä`.

use glob::Pattern;
use unicode_normalization::UnicodeNormalization as _;

use crate::text::{shown, steers};

/// Most patterns in one list; what is asked and what is granted come together.
pub(crate) const MAX_PATTERNS: usize = 64;

/// Longest pattern, in bytes.
const MAX_BYTES: usize = 256;

/// Most names in one pattern.
const MAX_PARTS: usize = 32;

/// Why a pattern can't be one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}\n  {remedy}")]
pub struct PatternError {
    /// What is wrong: "has the pattern `a//b`, with …".
    pub problem: String,
    /// What to write instead.
    pub remedy: String,
}

/// Patterns, ready to be asked.
#[derive(Debug, Clone, Default)]
pub struct HideSet {
    /// As written.
    exact: Vec<Vec<Part>>,
    /// For names of which upper and lower case are one.
    folded: Vec<Vec<Part>>,
}

/// One name of a pattern, or `**`.
#[derive(Debug, Clone)]
enum Part {
    Any,
    Name(Pattern),
}

/// What is known of a directory that is not hidden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trail {
    exact: Vec<State>,
    folded: Vec<State>,
    /// It is hidden where upper and lower case are one.
    only_exact: bool,
}

/// A pattern, and how much of it has been matched.
type State = (usize, usize);

/// What entering a directory comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entered {
    /// It does not exist.
    Hidden,
    /// It exists unless one of the directories on the way takes names that
    /// differ in case, or in how characters are composed, for one.
    UnlessFolded(Trail),
    /// It exists.
    Visible(Trail),
}

impl HideSet {
    /// Compiles patterns.
    ///
    /// # Errors
    /// [`PatternError`] for the first that can't be one.
    pub fn new(patterns: &[String]) -> Result<Self, PatternError> {
        let mut set = Self::default();
        for pattern in patterns {
            set.exact.push(parts(pattern, pattern)?);
            set.folded.push(parts(&fold(pattern), pattern)?);
        }
        Ok(set)
    }

    /// Whether nothing is hidden.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty()
    }

    /// What is known of the root itself, which is never hidden.
    #[must_use]
    pub fn root(&self) -> Trail {
        let begin = |patterns: &[Vec<Part>]| {
            let mut states = Vec::new();
            for (pattern, parts) in patterns.iter().enumerate() {
                push(&mut states, parts, (pattern, 0));
            }
            in_order(states)
        };
        Trail {
            exact: begin(&self.exact),
            folded: begin(&self.folded),
            only_exact: false,
        }
    }

    /// What lies in a directory under a name. The name is a single one: not
    /// empty, no `/`, neither `.` nor `..`.
    #[must_use]
    pub fn enter(&self, directory: &Trail, name: &str) -> Entered {
        let Some(exact) = step(&self.exact, &directory.exact, name) else {
            return Entered::Hidden;
        };
        let folded = step(&self.folded, &directory.folded, &fold(name));
        let only_exact = directory.only_exact || folded.is_none();
        let trail = Trail {
            exact,
            folded: folded.unwrap_or_default(),
            only_exact,
        };
        match only_exact {
            true => Entered::UnlessFolded(trail),
            false => Entered::Visible(trail),
        }
    }
}

/// The states after a name; none if a pattern is matched to its end.
fn step(patterns: &[Vec<Part>], states: &[State], name: &str) -> Option<Vec<State>> {
    let mut next = Vec::new();
    for &(pattern, done) in states {
        let parts = &patterns[pattern];
        match &parts[done] {
            Part::Any => push(&mut next, parts, (pattern, done)),
            Part::Name(glob) if glob.matches(name) => {
                if done + 1 == parts.len() {
                    return None;
                }
                push(&mut next, parts, (pattern, done + 1));
            }
            Part::Name(_) => {}
        }
    }
    Some(in_order(next))
}

/// Each state once, so that equal sets are equal lists.
fn in_order(mut states: Vec<State>) -> Vec<State> {
    states.sort_unstable();
    states.dedup();
    states
}

/// Adds a state, and those that it is as well since `**` may be nothing. The
/// last part of a pattern is a name, so there is one after every `**`.
fn push(states: &mut Vec<State>, parts: &[Part], (pattern, mut done): State) {
    loop {
        states.push((pattern, done));
        match &parts[done] {
            Part::Any => done += 1,
            Part::Name(_) => return,
        }
    }
}

/// The names of a pattern, without `**` at its end: below what is hidden,
/// everything is. `text` is `pattern` as it is to be matched.
fn parts(text: &str, pattern: &str) -> Result<Vec<Part>, PatternError> {
    check(pattern)?;
    let mut names: Vec<&str> = text.split('/').collect();
    while names.len() > 1 && names.last() == Some(&"**") {
        names.pop();
    }
    if names == ["**"] {
        names = vec!["*"];
    }
    names.dedup_by(|one, other| *one == "**" && *other == "**");
    let parts = names.into_iter().map(|name| match name {
        "**" => Ok(Part::Any),
        _ => Pattern::new(name)
            .map(Part::Name)
            .map_err(|error| unreadable(pattern, error.msg)),
    });
    parts.collect()
}

/// As names are compared where upper and lower case are one, and characters may
/// be composed in several ways. Characters that such file systems ignore are
/// left out.
fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let ignored = |c: char| (steers(c) && !c.is_control()) || matches!(c, '\u{200c}' | '\u{200d}');
    (text.chars().filter(|c| !ignored(*c)))
        .nfc()
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .nfc()
        .collect()
}

/// Refuses what is no pattern, what would match nothing, and what other
/// notations give a meaning that it does not have here.
pub(crate) fn check(pattern: &str) -> Result<(), PatternError> {
    let names = || pattern.split('/');
    let without = |unwanted: &str| {
        let names: Vec<_> = names().filter(|name| *name != unwanted).collect();
        match names.is_empty() {
            true => "write `**` to hide all that is in it, or do not grant it".to_owned(),
            false => format!("write `{}`", shown(&names.join("/"))),
        }
    };
    let (problem, remedy) = if pattern.is_empty() {
        return Err(PatternError {
            problem: "has an empty pattern".into(),
            remedy: "for example hide = [\"**/.git/**\"]".into(),
        });
    } else if pattern.len() > MAX_BYTES {
        let problem = format!("of more than {MAX_BYTES} bytes");
        (problem, "write a shorter one, with `*`".into())
    } else if pattern.chars().any(|c| c.is_control() || steers(c)) {
        let problem = "with control or invisible characters";
        (problem.into(), "write `?` for a single character".into())
    } else if let Some(rest) = pattern.strip_prefix('!') {
        let problem = "which starts with `!`; nothing is taken out of what is hidden";
        let remedy = format!(
            "hide less, or write `?{}` if a name starts with `!`",
            shown(rest)
        );
        (problem.into(), remedy)
    } else if pattern.starts_with('/') {
        let problem = "which starts with `/`; patterns are relative to the folder";
        let rest = pattern.trim_start_matches('/');
        (problem.into(), format!("write `{}`", shown(rest)))
    } else if names().any(|name| name == "..") {
        let problem = "with `..`, which matches nothing";
        (problem.into(), "write it from the folder on down".into())
    } else if names().any(|name| name == ".") {
        let problem = "with `.`, which matches nothing";
        (problem.into(), without("."))
    } else if let Some(rest) = pattern.strip_suffix('/') {
        let rest = shown(rest.trim_end_matches('/'));
        let remedy = format!("write `{rest}`, which hides it and everything below it");
        ("which ends in `/`".into(), remedy)
    } else if names().any(str::is_empty) {
        ("with `//`, which matches nothing".into(), without(""))
    } else if names().count() > MAX_PARTS {
        let problem = format!("of more than {MAX_PARTS} names");
        (problem, "write `**` for any directories".into())
    } else {
        return names().try_for_each(|name| check_name(pattern, name));
    };
    Err(error(pattern, &problem, remedy))
}

/// One name of a pattern.
fn check_name(pattern: &str, name: &str) -> Result<(), PatternError> {
    if name == "**" {
        return Ok(());
    }
    let mut rest = name;
    while let Some(place) = rest.find(['[', '{', '}', '\\']) {
        let (found, after) = (rest[place..].chars().next(), &rest[place + 1..]);
        match found {
            Some('[') => rest = after_class(pattern, after)?,
            Some('\\') => {
                return Err(error(
                    pattern,
                    "with `\\`",
                    "divide names by `/`; write `[\\]` for a `\\` in a name".into(),
                ));
            }
            _ => {
                return Err(error(
                    pattern,
                    "with a brace, which stands for itself here",
                    "write one pattern for each alternative, and `[{]` for a brace in a name"
                        .into(),
                ));
            }
        }
    }
    Pattern::new(name)
        .map(drop)
        .map_err(|error| unreadable(pattern, error.msg))
}

/// What follows a class of characters, of which what stands after `[` is given.
fn after_class<'p>(pattern: &str, inside: &'p str) -> Result<&'p str, PatternError> {
    let unclosed = || unreadable(pattern, "`[` without `]`");
    let body = inside.strip_prefix('!').unwrap_or(inside);
    // The first may be `]` itself.
    let first = body.chars().next().ok_or_else(unclosed)?;
    let end = body[first.len_utf8()..].find(']').ok_or_else(unclosed)? + first.len_utf8();
    let chars: Vec<char> = body[..end].chars().collect();
    let mut chars = chars.as_slice();
    while let [start, rest @ ..] = chars {
        chars = match rest {
            ['-', last, ..] if start > last => {
                return Err(error(
                    pattern,
                    &format!("with the range `{start}-{last}`, which is empty"),
                    format!("write `{last}-{start}`"),
                ));
            }
            ['-', _, rest @ ..] => rest,
            _ => rest,
        };
    }
    Ok(&body[end + 1..])
}

fn unreadable(pattern: &str, why: &str) -> PatternError {
    let (why, remedy) = match why {
        "wildcards are either regular `*` or recursive `**`"
        | "recursive wildcards must form a single path component" => (
            "with `**` beside other characters of a name",
            "write `*` within a name, and `**` alone between two `/`",
        ),
        _ => ("with `[` without `]`", "write `[[]` for a `[` in a name"),
    };
    error(pattern, why, remedy.into())
}

fn error(pattern: &str, problem: &str, remedy: String) -> PatternError {
    PatternError {
        problem: format!("has the pattern `{}` {problem}", shown(pattern)),
        remedy,
    }
}
