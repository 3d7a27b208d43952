//! Which paths the tools may touch: those that lie in an allowed directory both
//! as written and after every symlink is followed.

use std::io;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, bail};

/// The directories named on the command line, as given and as they really are.
#[derive(Debug)]
pub(crate) struct Allowed {
    directories: Vec<PathBuf>,
}

impl Allowed {
    /// Resolves `directories`; each must exist and be a directory.
    pub(crate) fn new(directories: &[PathBuf]) -> anyhow::Result<Self> {
        let mut allowed = Vec::with_capacity(directories.len());
        for directory in directories {
            let real = directory
                .canonicalize()
                .with_context(|| format!("{} can't be served", directory.display()))?;
            if !real.is_dir() {
                bail!("{} can't be served: not a directory", directory.display());
            }
            // Kept as written too: a client may name a directory by the symlink
            // it knows (`/tmp` where that leads to `/private/tmp`).
            let written = normalize(&std::path::absolute(directory)?);
            if written != real {
                allowed.push(written);
            }
            allowed.push(real);
        }
        Ok(Self {
            directories: allowed,
        })
    }

    /// The directories, one a line.
    pub(crate) fn lines(&self) -> String {
        let names: Vec<_> = self
            .directories
            .iter()
            .map(|d| d.to_string_lossy())
            .collect();
        names.join("\n")
    }

    /// The real path of `requested`, which must exist or be a new entry in a
    /// directory that does.
    pub(crate) fn resolve(&self, requested: &str) -> anyhow::Result<PathBuf> {
        let path = Path::new(requested);
        let absolute = if path.is_absolute() {
            normalize(path)
        } else {
            let base = self
                .directories
                .first()
                .map_or(Path::new("/"), PathBuf::as_path);
            normalize(&base.join(path))
        };
        if !self.contains(&absolute) {
            bail!(
                "Access denied - path outside allowed directories: {}",
                absolute.display()
            );
        }
        let real = match absolute.canonicalize() {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => resolve_new(&absolute)?,
            Err(error) => return Err(error).with_context(|| absolute.display().to_string()),
        };
        if !self.contains(&real) {
            bail!(
                "Access denied - symlink target outside allowed directories: {}",
                real.display()
            );
        }
        Ok(real)
    }

    fn contains(&self, path: &Path) -> bool {
        self.directories
            .iter()
            .any(|directory| path.starts_with(directory))
    }
}

/// Where something that does not exist yet would really be. A dangling symlink
/// is refused: what it points at was never checked.
fn resolve_new(absolute: &Path) -> anyhow::Result<PathBuf> {
    if absolute.is_symlink() {
        bail!(
            "Access denied - symlink leads nowhere: {}",
            absolute.display()
        );
    }
    let (Some(parent), Some(name)) = (absolute.parent(), absolute.file_name()) else {
        bail!("No such path: {}", absolute.display());
    };
    let parent = parent
        .canonicalize()
        .with_context(|| format!("Parent directory does not exist: {}", parent.display()))?;
    Ok(parent.join(name))
}

/// Takes `.` and `..` out of an absolute path without asking the file system.
fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::with_capacity(path.as_os_str().len());
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failing test may panic")]

    use super::*;

    #[test]
    fn paths_inside_resolve_and_ways_out_are_refused() {
        let base = tempfile::tempdir().unwrap();
        let inside = base.path().join("inside");
        let outside = base.path().join("inside-not");
        std::fs::create_dir(&inside).unwrap();
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(inside.join("a.txt"), "a").unwrap();
        std::fs::write(outside.join("b.txt"), "b").unwrap();
        std::os::unix::fs::symlink(&outside, inside.join("link")).unwrap();
        std::os::unix::fs::symlink(outside.join("new"), inside.join("dangling")).unwrap();
        let real = inside.canonicalize().unwrap();
        let allowed = Allowed::new(&[inside]).unwrap();

        for good in [
            "a.txt",
            "./x/../a.txt",
            real.join("a.txt").to_str().unwrap(),
        ] {
            assert_eq!(allowed.resolve(good).unwrap(), real.join("a.txt"), "{good}");
        }
        assert_eq!(allowed.resolve("new.txt").unwrap(), real.join("new.txt"));
        for bad in [
            "../inside-not/b.txt",
            "/etc/passwd",
            "link/b.txt",
            "link/new.txt",
            "dangling",
            "no/such/file",
            outside.join("b.txt").to_str().unwrap(),
        ] {
            assert!(allowed.resolve(bad).is_err(), "{bad}");
        }
    }
}
