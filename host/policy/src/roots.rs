//! Directories: asked for by name, granted with a path. Instead of a directory,
//! a single file may be granted.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;

use crate::error::ParseError;
use crate::hide::{self, MAX_PATTERNS};
use crate::keys;
use crate::names::{NAME_RULE, is_name};
use crate::parse::{Item, Table};
use crate::text::{shown, visible};

const PLACE: &str = "[[roots]]";

/// What may be done with a directory. The default and the lesser is reading.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// Look and read.
    #[default]
    ReadOnly,
    /// Read, write, create, rename and delete.
    ReadWrite,
}

impl Access {
    /// The suffix of a `--root` flag: "ro" or "rw".
    pub fn short(self) -> &'static str {
        match self {
            Self::ReadOnly => "ro",
            Self::ReadWrite => "rw",
        }
    }
}

impl fmt::Display for Access {
    /// As in a manifest: "read-only" or "read-write".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ReadOnly => "read-only",
            Self::ReadWrite => "read-write",
        })
    }
}

/// A directory a manifest asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootRequest {
    /// Its name, and mount point (`/NAME`) in the guest; or [`RootRequest::ANY`]
    /// for any directories, as many as the person likes to grant.
    pub name: String,
    /// What the plugin wants to do there. Default: read.
    pub access: Access,
    /// Whether the plugin cannot start without it. Default: no.
    pub required: bool,
    /// Patterns of paths the plugin asks not to see.
    pub hide: Vec<String>,
}

impl RootRequest {
    /// The name that stands for any directories.
    pub const ANY: &'static str = "*";

    /// Whether this asks for any directories rather than for one.
    pub fn is_any(&self) -> bool {
        self.name == Self::ANY
    }
}

/// What a granted path is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RootKind {
    /// A directory with everything in it.
    #[default]
    Directory,
    /// One file: its mount point holds it under its own name, and nothing else.
    File,
}

impl RootKind {
    /// What it is called: "folder" or "file".
    pub fn word(self) -> &'static str {
        match self {
            Self::Directory => "folder",
            Self::File => "file",
        }
    }

    /// The flag that grants one: "--root" or "--file".
    pub fn flag(self) -> &'static str {
        match self {
            Self::Directory => "--root",
            Self::File => "--file",
        }
    }
}

/// A directory, or a single file, a person granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootGrant {
    /// Its name, and mount point (`/NAME`) in the guest.
    pub name: String,
    /// Whether `path` is a directory or a file.
    pub kind: RootKind,
    /// The directory or file on the host, as the person wrote it.
    pub path: PathBuf,
    /// What may be done there. Default: read.
    pub access: Access,
    /// Patterns of paths that must not be seen, written or created.
    pub hide: Vec<String>,
    /// The line of the grant file that names the path; none for a flag's.
    pub line: Option<usize>,
}

/// `[[roots]]` of a manifest.
pub(crate) fn requests(item: &Item<'_>) -> Result<Vec<RootRequest>, ParseError> {
    let mut seen = BTreeSet::new();
    (item.tables(PLACE)?.iter())
        .map(|table| {
            table.only(
                &keys::ROOTS_ASKED.names(),
                &[
                    (
                        "path",
                        "a manifest only names a folder; which one it is, the person says: --root NAME=PATH",
                    ),
                    (
                        "file",
                        "a manifest only names a folder; a person may grant a file instead: --file NAME=PATH",
                    ),
                ],
            )?;
            let name = name(table, &mut seen, true)?;
            let required = table.get("required").map(|item| item.boolean());
            Ok(RootRequest {
                name,
                access: access(table)?,
                required: required.transpose()?.unwrap_or(false),
                hide: hide(table)?,
            })
        })
        .collect()
}

/// `[[roots]]` of a grant.
pub(crate) fn grants(item: &Item<'_>) -> Result<Vec<RootGrant>, ParseError> {
    let mut seen = BTreeSet::new();
    (item.tables(PLACE)?.iter())
        .map(|table| {
            table.only(
                &keys::ROOTS_GRANTED.names(),
                &[(
                    "required",
                    "`required` belongs in a manifest; remove it here",
                )],
            )?;
            let name = name(table, &mut seen, false)?;
            let example = "path = \"/srv/notes\"";
            let (kind, item, example) = match (table.get("file"), table.get("path")) {
                (Some(item), Some(_)) => {
                    return Err(item.error(
                        "stands beside `path`",
                        "write `path` for a directory, or `file` for a single file",
                    ));
                }
                (Some(item), None) => (RootKind::File, item, "file = \"/srv/notes/todo.txt\""),
                (None, _) => (
                    RootKind::Directory,
                    table.require("path", example)?,
                    example,
                ),
            };
            let path = item.string(example)?;
            if path.is_empty() || path.contains('\0') {
                return Err(item.error("is not a path", format!("write {example}")));
            }
            if let (RootKind::File, Some(item)) = (kind, table.get("hide")) {
                return Err(item.error(
                    "stands beside `file`",
                    "remove it: of a single file there is nothing to hide",
                ));
            }
            Ok(RootGrant {
                name,
                kind,
                path: path.into(),
                access: access(table)?,
                hide: hide(table)?,
                line: Some(item.line()),
            })
        })
        .collect()
}

fn name(table: &Table<'_>, seen: &mut BTreeSet<String>, any: bool) -> Result<String, ParseError> {
    let example = "name = \"notes\"";
    let item = table.require("name", example)?;
    let name = item.string(example)?;
    if !(is_name(name) || any && name == RootRequest::ANY) {
        let other = if any {
            "; \"*\" asks for any folders"
        } else {
            ""
        };
        return Err(item.error(
            &format!("is \"{}\", which is not a name", shown(name)),
            format!("{NAME_RULE}{other}"),
        ));
    }
    if !seen.insert(name.to_owned()) {
        return Err(item.error(
            &format!("is \"{name}\" a second time"),
            "give each folder its own name",
        ));
    }
    Ok(name.to_owned())
}

fn access(table: &Table<'_>) -> Result<Access, ParseError> {
    let choices = [
        ("read-only", Access::ReadOnly),
        ("read-write", Access::ReadWrite),
    ];
    let access = table.get("access").map(|item| item.choice(&choices));
    Ok(access.transpose()?.unwrap_or_default())
}

/// Patterns are relative to their root, and checked here already.
fn hide(table: &Table<'_>) -> Result<Vec<String>, ParseError> {
    let Some(item) = table.get("hide") else {
        return Ok(Vec::new());
    };
    let patterns = item.strings("hide = [\"**/.git/**\"]")?;
    if patterns.len() > MAX_PATTERNS {
        return Err(item.error(
            &format!("has more than {MAX_PATTERNS} patterns"),
            "write `*` for any characters of a name, and `**` for any directories",
        ));
    }
    (patterns.into_iter())
        .map(|(pattern, item)| match hide::check(pattern) {
            Ok(()) => Ok(pattern.to_owned()),
            Err(wrong) => Err(item.error(&wrong.problem, wrong.remedy)),
        })
        .collect()
}

/// "/srv/notes ro, without **/.git/**", safe to print.
pub(crate) fn describe(
    kind: RootKind,
    path: &std::path::Path,
    access: Access,
    hide: &[String],
) -> String {
    let path = visible(&path.display().to_string());
    let alone = match kind {
        RootKind::Directory => "",
        RootKind::File => ", this file alone",
    };
    format!("{path} {}{alone}{}", access.short(), without(hide))
}

/// ", without PATTERN, PATTERN"; empty where nothing is hidden.
pub(crate) fn without(hide: &[String]) -> String {
    match hide {
        [] => String::new(),
        patterns => format!(", without {}", visible(&patterns.join(", "))),
    }
}

/// The patterns of both, each once, in order of first mention.
pub(crate) fn union(one: &[String], other: &[String]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    (one.iter().chain(other))
        .filter(|pattern| seen.insert(pattern.as_str()))
        .cloned()
        .collect()
}
