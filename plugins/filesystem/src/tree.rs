//! A directory and everything below it, as JSON.

use serde::Serialize;

use crate::answer;
use crate::disk::{Entry, Kind};
use crate::error::Failure;
use crate::glob::Glob;
use crate::roots::Roots;
use crate::unicode;
use crate::walk::Walk;

/// Directories inside directories beyond this are not looked into: readers of
/// JSON commonly give up not far above it.
const DEEPEST: usize = 60;

/// The tree as text, and what is missing from it.
pub(crate) struct Tree {
    /// A JSON array with two spaces of indentation.
    pub(crate) json: String,
    /// Says so if not everything is there.
    pub(crate) note: Option<String>,
}

/// One entry.
#[derive(Serialize)]
struct Node {
    name: String,
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    children: Option<Vec<Node>>,
    /// Not all children are there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Why a directory could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// The tool `directory_tree`.
pub(crate) fn tree(
    roots: &Roots,
    path: &str,
    exclude: &[String],
    walk: &mut Walk<'_>,
) -> Result<Tree, Failure> {
    let place = unicode::find(roots, path)?;
    let mut builder = Builder {
        exclude: excludes(exclude)?,
        walk,
        directory: place.real(),
        relative: String::new(),
        room: answer::LIMIT - 2048,
        truncated: false,
    };
    let entries = builder
        .walk
        .read(&builder.directory)?
        .map_err(|error| Failure::disk(error, "scandir", &place))?;
    let (nodes, _) = builder.nodes(entries, 0)?;
    let json = serde_json::to_string_pretty(&nodes)
        .map_err(|error| Failure::Refused(error.to_string()))?;
    let note = builder.truncated.then(|| {
        format!(
            "Not everything is shown: the answer ends after {} entries. Directories marked \"truncated\" hold \
             more. Ask for them one by one, or leave out more with excludePatterns.",
            builder.walk.seen()
        )
    });
    Ok(Tree { json, note })
}

/// A pattern without `*` also excludes what has it as a part of its path, and
/// everything below that.
fn excludes(patterns: &[String]) -> Result<Vec<Glob>, Failure> {
    let mut globs = Vec::new();
    for pattern in patterns {
        globs.push(Glob::new(pattern)?);
        if !pattern.contains('*') {
            globs.push(Glob::new(&format!("**/{pattern}"))?);
            globs.push(Glob::new(&format!("**/{pattern}/**"))?);
        }
    }
    Ok(globs)
}

struct Builder<'a, 'w> {
    exclude: Vec<Glob>,
    walk: &'a mut Walk<'w>,
    /// Where the entries at hand are.
    directory: String,
    /// The same from where the tree starts, with a slash at the end.
    relative: String,
    /// Bytes of the answer that are left.
    room: usize,
    truncated: bool,
}

impl Builder<'_, '_> {
    /// The nodes of a directory's entries, and whether some are missing.
    fn nodes(&mut self, entries: Vec<Entry>, depth: usize) -> Result<(Vec<Node>, bool), Failure> {
        let mut nodes = Vec::new();
        let mut missing = self.walk.is_full();
        for entry in entries {
            let relative = format!("{}{}", self.relative, entry.name);
            if self.exclude.iter().any(|glob| glob.matches(&relative)) {
                continue;
            }
            // Indentation, keys and quotes, and all of it twice.
            let size = answer::cost(&entry.name) + 2 * (4 * (2 * depth + 6) + 60) + 24;
            let Some(room) = self.room.checked_sub(size) else {
                missing = true;
                break;
            };
            self.room = room;
            nodes.push(match entry.kind {
                Kind::Directory => self.directory(entry.name, depth)?,
                _ => Node {
                    name: entry.name,
                    r#type: "file",
                    children: None,
                    truncated: false,
                    error: None,
                },
            });
        }
        self.truncated |= missing;
        Ok((nodes, missing))
    }

    fn directory(&mut self, name: String, depth: usize) -> Result<Node, Failure> {
        let mut node = Node {
            name,
            r#type: "directory",
            children: Some(Vec::new()),
            truncated: false,
            error: None,
        };
        if depth == DEEPEST || self.walk.is_full() {
            node.truncated = true;
            self.truncated = true;
            return Ok(node);
        }
        let lengths = (self.directory.len(), self.relative.len());
        self.directory.push('/');
        self.directory.push_str(&node.name);
        self.relative.push_str(&node.name);
        self.relative.push('/');
        match self.walk.read(&self.directory)? {
            Ok(entries) => {
                let (children, truncated) = self.nodes(entries, depth + 1)?;
                node.children = Some(children);
                node.truncated = truncated;
            }
            Err(error) => node.error = Some(error.to_string()),
        }
        self.directory.truncate(lengths.0);
        self.relative.truncate(lengths.1);
        Ok(node)
    }
}
