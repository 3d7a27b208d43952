//! What lies in two directories at once, by their paths alone.

use std::path::{Component, Path, PathBuf};

/// What is left of a granted directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Portion {
    /// Which granted directory, by its place.
    pub root: usize,
    /// What of it, relative to it; empty for all of it.
    pub below: PathBuf,
    /// The root of the client that contains it, by its place.
    pub by: usize,
}

/// Compares granted directories with a client's roots; both are paths without
/// links, as the system says them. A root that contains a granted directory
/// leaves all of it, one that lies in it leaves itself; none of what is
/// returned contains another of the same directory. Paths that are relative or
/// hold `..` are as if they were not there.
pub fn narrow<G: AsRef<Path>, C: AsRef<Path>>(granted: &[G], client: &[C]) -> Vec<Portion> {
    let mut all = Vec::new();
    for (root, granted) in granted.iter().enumerate() {
        let granted = granted.as_ref();
        if !is_plain(granted) {
            continue;
        }
        let mut inside: Vec<(PathBuf, usize)> = Vec::new();
        for (by, client) in client.iter().enumerate() {
            let client = client.as_ref();
            if !is_plain(client) {
                continue;
            }
            if granted.starts_with(client) {
                inside.push((PathBuf::new(), by));
            } else if let Ok(below) = client.strip_prefix(granted) {
                inside.push((below.components().collect(), by));
            }
        }
        // A path comes right before those that lie in it.
        inside.sort();
        let mut last: Option<PathBuf> = None;
        for (below, by) in inside {
            if last.as_ref().is_some_and(|last| below.starts_with(last)) {
                continue;
            }
            last = Some(below.clone());
            all.push(Portion { root, below, by });
        }
    }
    all
}

/// Whether a path means itself: absolute, and no way back in it.
fn is_plain(path: &Path) -> bool {
    path.is_absolute()
        && path
            .components()
            .all(|part| !matches!(part, Component::ParentDir | Component::CurDir))
}
