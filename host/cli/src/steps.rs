//! What a path depends on.
//!
//! A path is resolved when a session begins. Whoever can replace one of the
//! names on the way decides where the next session's path leads.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{Error, ErrorKind, Result};
use std::path::{Component, Path, PathBuf};

/// Links followed before a path is taken for a loop, as on Linux.
const MAX_LINKS: u32 = 40;

/// Every name that is looked up when `path` is resolved, as the directory it
/// lies in, resolved, and the name itself. The last one is where it leads.
///
/// # Errors
///
/// If something on the way is missing or can't be read.
pub(crate) fn steps(path: &Path) -> Result<Vec<PathBuf>> {
    let mut todo: VecDeque<OsString> = names(&std::path::absolute(path)?);
    let mut here = PathBuf::from("/");
    let mut steps = Vec::new();
    let mut links = 0;
    while let Some(name) = todo.pop_front() {
        if name == ".." {
            here.pop();
            continue;
        }
        let entry = here.join(&name);
        steps.push(entry.clone());
        if !entry.symlink_metadata()?.is_symlink() {
            here = entry;
            continue;
        }
        links += 1;
        if links > MAX_LINKS {
            return Err(Error::new(ErrorKind::InvalidInput, "it has too many links"));
        }
        let target = entry.read_link()?;
        if target.is_absolute() {
            here = PathBuf::from("/");
        }
        for name in names(&target).into_iter().rev() {
            todo.push_front(name);
        }
    }
    Ok(steps)
}

fn names(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("..".into()),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn every_name_on_the_way_is_a_step() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        std::fs::create_dir_all(home.join("a/b")).unwrap();
        std::fs::create_dir_all(home.join("c/d")).unwrap();
        symlink("../../c", home.join("a/b/link")).unwrap();
        symlink(home.join("a/b/link/d"), home.join("first")).unwrap();
        let found = steps(&home.join("first/.")).unwrap();
        for step in ["first", "a", "a/b", "a/b/link", "c", "c/d"] {
            assert!(found.contains(&home.join(step)), "{step}: {found:?}");
        }
        assert_eq!(found.last().unwrap(), &home.join("c/d"));
    }

    #[test]
    fn a_loop_ends() {
        let home = tempfile::tempdir().unwrap();
        symlink("loop", home.path().join("loop")).unwrap();
        assert!(steps(&home.path().join("loop")).is_err());
    }
}
