//! What a plugin must not be granted: what Palisade itself, the system or the
//! next start depends on.

use std::path::{Path, PathBuf};

use palisade_policy::{Access, RootGrant, RootKind};

use crate::failure::Failure;
use crate::places::Places;
use crate::steps::steps;

/// A path, as written, that decides what is granted the next time.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    path: PathBuf,
    /// Not only by where it leads, but by what is read there.
    is_read: bool,
    /// It holds a secret, which nobody may read there.
    is_secret: bool,
}

impl Source {
    /// A file that is read.
    pub(crate) fn read(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            is_read: true,
            is_secret: false,
        }
    }

    /// A file that holds a secret.
    pub(super) fn secret(path: &Path) -> Self {
        Self {
            is_secret: true,
            ..Self::read(path)
        }
    }

    /// A directory or file that is granted.
    pub(super) fn granted(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            is_read: false,
            is_secret: false,
        }
    }
}

/// Refuses a place that is nobody's to be granted.
pub(super) fn check_place(root: &RootGrant, places: Option<&Places>) -> Result<(), Failure> {
    let shown = root.path.display();
    let refused = |why: String| {
        Err(Failure::new(format!("{shown} can't be granted: {why}"))
            .remedy("grant a directory that has nothing to do with it, for example one below")
            .into_refusal())
    };
    if let Some(own) = places.and_then(|places| places.touched_by(&root.path)) {
        return refused(format!("Palisade keeps its own files in {}", own.display()));
    }
    if shows_processes(&root.path) {
        return refused("what the system shows of running programs, this one too, is in it".into());
    }
    let program = std::env::current_exe().and_then(|program| program.canonicalize());
    if root.access == Access::ReadWrite
        && let Ok(program) = program
        && program.starts_with(&root.path)
    {
        return refused(format!(
            "the plugin could put another program in the place of {}",
            program.display()
        ));
    }
    Ok(())
}

/// Whether a directory holds what Linux shows of processes: their memory and
/// environment as files.
fn shows_processes(path: &Path) -> bool {
    match path.strip_prefix("/proc") {
        Err(_) => Path::new("/proc").starts_with(path),
        Ok(below) => below.components().next().is_none_or(|first| {
            let first = first.as_os_str().to_string_lossy();
            first.ends_with("self") || first.bytes().all(|byte| byte.is_ascii_digit())
        }),
    }
}

/// A plugin that can change what its own grant depends on (the grant file, a
/// directory on the way to another one that is granted) decides what it gets
/// the next time. Of several plugins, the same goes for what others' grants
/// depend on.
pub(crate) fn check_dependence(roots: &[RootGrant], sources: &[Source]) -> Result<(), Failure> {
    for source in sources {
        let shown = source.path.display();
        let steps = match steps(&source.path) {
            // It is not there yet, and may come to be.
            Err(error) if source.is_secret && error.kind() == std::io::ErrorKind::NotFound => {
                missing(&source.path)
            }
            steps => steps
                .map_err(|error| Failure::because(format!("{shown} can't be resolved"), &error))?,
        };
        let reader = (roots.iter()).filter(|_| source.is_secret).find(|root| {
            steps
                .last()
                .is_some_and(|last| last.starts_with(&root.path))
        });
        if let Some(root) = reader {
            return Err(Failure::new(format!(
                "{} can't be granted: the secret in {shown} could be read there",
                root.path.display(),
            ))
            .remedy("keep it elsewhere (a plugin's secret best with `palisade secret set`)")
            .into_refusal());
        }
        let changeable = roots
            .iter()
            .filter(|root| root.access == Access::ReadWrite)
            .find(|root| {
                steps.iter().any(|step| match root.kind {
                    RootKind::Directory => *step != root.path && step.starts_with(&root.path),
                    // It can be filled, but not be made to lead elsewhere.
                    RootKind::File => source.is_read && *step == root.path,
                })
            });
        if let Some(root) = changeable {
            let remedy = match root.kind {
                RootKind::Directory => "grant the outer directory read-only, or grant it alone",
                RootKind::File => "grant the file read-only",
            };
            let why = match source.is_read {
                true => {
                    format!("the plugin could put another {shown} in its place for the next time")
                }
                false => format!(
                    "{shown} depends on it, and the plugin could make it lead anywhere the next time"
                ),
            };
            return Err(Failure::new(format!(
                "{} can't be granted for writing: {why}",
                root.path.display(),
            ))
            .remedy(remedy)
            .into_refusal());
        }
    }
    Ok(())
}

/// Where a file would be that is not there.
fn missing(path: &Path) -> Vec<PathBuf> {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let parent = absolute
        .parent()
        .and_then(|parent| parent.canonicalize().ok());
    match (parent, absolute.file_name()) {
        (Some(parent), Some(name)) => vec![parent.join(name)],
        _ => vec![absolute],
    }
}
