//! What a client's roots leave of a sandbox.
//!
//! What is left is opened below the handles that were kept when the session
//! began, name by name and following no link: so it lies in what was granted,
//! whatever has become of the paths.

use std::fs::File;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use cap_primitives::fs::open_dir_nofollow;
use palisade_policy::narrow;

use super::Sandbox;
use super::granted::Granted;
use crate::bindings::contract;
use crate::files::Preopen;

/// Directories that are opened below those of one plugin for one client.
const MAX_OPENED: usize = 64;

/// Directories that are open below those of one plugin, for all its clients.
pub(super) const MAX_OPEN: usize = 1024;

/// Longest part of a path that is repeated to a person, in bytes.
const MAX_SHOWN: usize = 200;

/// A root of a client, without links, and which of its addresses it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundRoot {
    /// Its place among the client's roots.
    pub place: usize,
    /// Where it is.
    pub path: PathBuf,
}

impl FoundRoot {
    /// Looks a client's path up; none if there is nothing. Blocks, on the
    /// client's word, for as long as a file system likes.
    #[must_use]
    pub fn find(place: usize, path: &Path) -> Option<Self> {
        let path = std::fs::canonicalize(path).ok()?;
        Some(Self { place, path })
    }
}

/// What is left of a sandbox, and why not all of it.
pub struct Narrowed {
    /// What is left; none if all of it is.
    pub sandbox: Option<Sandbox>,
    /// Which of the client's roots have to do with it, by their places.
    pub used: Vec<usize>,
    /// What of the granted directories is not available, in sentences that
    /// begin with its name.
    pub lost: Vec<String>,
}

impl Sandbox {
    /// Whether any directory is granted.
    #[must_use]
    pub fn has_directories(&self) -> bool {
        !self.granted.is_empty()
    }

    /// The same without any directory.
    #[must_use]
    pub fn without_directories(&self) -> Self {
        self.with_directories(Vec::new())
    }

    /// What of it lies in the roots of a client. Limits are those of the
    /// plugin, however many clients it has. Blocks, where file systems do.
    #[must_use]
    pub fn narrowed(&self, client: &[FoundRoot]) -> Narrowed {
        let granted: Vec<&Path> = self.granted.iter().map(|one| &*one.path).collect();
        let roots: Vec<&Path> = client.iter().map(|one| &*one.path).collect();
        let portions = narrow(&granted, &roots);
        let (mut left, mut used, mut lost) = (Vec::new(), Vec::new(), Vec::new());
        let mut whole = 0;
        for (place, granted) in self.granted.iter().enumerate() {
            let mut mine = portions.iter().filter(|one| one.root == place).peekable();
            let mut missing = |why: &str| lost.push(format!("{} {why}", granted.written.display()));
            if mine.peek().is_none() {
                missing("is not available: it is in none of the client's roots");
                continue;
            }
            if !granted.is_in_place() {
                missing("is not available: it is another directory than when this server started");
                continue;
            }
            for portion in mine {
                let opened = if portion.below.as_os_str().is_empty() {
                    whole += 1;
                    Ok(granted.whole())
                } else if granted.is_file() {
                    missing("is not available: its directory is in none of the client's roots");
                    break;
                } else if left.len() < MAX_OPENED {
                    self.open_below(granted, &portion.below)
                } else {
                    missing(&format!(
                        "is available in {MAX_OPENED} of the client's roots, and not in more"
                    ));
                    break;
                };
                match opened {
                    Ok(one) => {
                        left.push(one);
                        let by = client.get(portion.by).map(|root| root.place);
                        used.extend(by);
                    }
                    Err(why) => {
                        let below = brief(&portion.below);
                        missing(&format!("is not available at {below}: {why}"));
                    }
                }
            }
        }
        let all = lost.is_empty() && whole == self.granted.len();
        Narrowed {
            sandbox: (!all).then(|| self.with_directories(left)),
            used,
            lost,
        }
    }

    fn open_below(
        &self,
        granted: &Granted,
        below: &Path,
    ) -> Result<(Preopen, contract::Root), &'static str> {
        // A mount is text.
        let names = below.to_str().ok_or("its name is not UTF-8")?;
        // To those that are hidden nothing leads, and that they are there is
        // not to be learned from a mount.
        if granted.hides(names) {
            return Err("it is hidden");
        }
        let room = Arc::clone(&self.room)
            .try_acquire_owned()
            .map_err(|_| "other clients use too many directories")?;
        let file = descend(&granted.dir.dir, below)
            .map_err(|_| "there is no such directory, or a link in its place")?;
        let (mut preopen, root) = granted.below(file, names, self.inline_files);
        preopen.room = Some(Arc::new(room));
        Ok((preopen, root))
    }

    /// Another view of the same sandbox, with these directories.
    fn with_directories(&self, directories: Vec<(Preopen, contract::Root)>) -> Self {
        let (preopens, roots): (Vec<_>, Vec<_>) = directories.into_iter().unzip();
        Self {
            name: Arc::clone(&self.name),
            granted: Arc::clone(&self.granted),
            preopens: preopens.into(),
            inline_files: self.inline_files,
            moves: self.moves.clone(),
            network: Arc::clone(&self.network),
            env: self.env.clone(),
            config: self.config.clone(),
            roots: roots.into(),
            limits: self.limits,
            running: Arc::clone(&self.running),
            waiting: Arc::clone(&self.waiting),
            finishing: Arc::clone(&self.finishing),
            spare: Arc::clone(&self.spare),
            view: self.views.fetch_add(1, Ordering::Relaxed),
            views: Arc::clone(&self.views),
            room: Arc::clone(&self.room),
        }
    }
}

impl Granted {
    /// Whether its path still leads to what was granted: else a client's root
    /// of that path is another directory.
    #[cfg(unix)]
    fn is_in_place(&self) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let (Ok(here), Ok(there)) = (self.dir.dir.metadata(), std::fs::metadata(&self.path)) else {
            return false;
        };
        (here.dev(), here.ino()) == (there.dev(), there.ino())
    }

    /// An open directory stays where it is.
    #[cfg(not(unix))]
    fn is_in_place(&self) -> bool {
        self.path.is_dir()
    }
}

/// A path of a client's choice, short enough to be read.
fn brief(path: &Path) -> String {
    let mut text = path.display().to_string();
    if text.len() > MAX_SHOWN {
        text.truncate(text.floor_char_boundary(MAX_SHOWN));
        text.push('…');
    }
    text
}

/// Opens a directory below another one, following no link on the way.
fn descend(dir: &File, below: &Path) -> std::io::Result<File> {
    let mut here: Option<File> = None;
    for name in below.components() {
        let Component::Normal(name) = name else {
            return Err(std::io::ErrorKind::InvalidInput.into());
        };
        let next = open_dir_nofollow(here.as_ref().unwrap_or(dir), Path::new(name))?;
        here = Some(next);
    }
    here.ok_or_else(|| std::io::ErrorKind::InvalidInput.into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::os::unix::fs::symlink;

    use palisade_policy::{Effective, Grant, intersect};

    use super::*;

    /// What is left for a client with these roots of what is granted, as mounts.
    fn left(effective: &Effective, roots: &[PathBuf]) -> Vec<String> {
        let sandbox = Sandbox::open("test", effective).unwrap();
        let roots: Vec<_> = roots
            .iter()
            .enumerate()
            .map(|(place, path)| FoundRoot {
                place,
                path: path.clone(),
            })
            .collect();
        let narrowed = sandbox.narrowed(&roots).sandbox.unwrap_or(sandbox);
        let mounts = narrowed.roots.iter().map(|root| root.mount.clone());
        assert_eq!(narrowed.preopens.len(), narrowed.roots.len());
        mounts.collect()
    }

    /// A root was a directory when it was looked up, and is a link when it is
    /// opened.
    #[test]
    fn no_link_is_followed_below_what_is_granted() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(here.join("desk/real/deep")).unwrap();
        std::fs::create_dir_all(here.join("outside/deep")).unwrap();
        symlink("real", here.join("desk/inside")).unwrap();
        symlink(here.join("outside"), here.join("desk/out")).unwrap();
        let text = format!(
            "[[roots]]\nname = \"desk\"\npath = {:?}\n",
            here.join("desk").to_str().unwrap()
        );
        let grant = Grant::parse(&text).unwrap();
        let effective = intersect(None, &grant).unwrap().effective;
        for (root, expected) in [
            ("desk", Some("/desk")),
            ("desk/real", Some("/desk/real")),
            ("desk/real/deep", Some("/desk/real/deep")),
            ("desk/inside", None),
            ("desk/inside/deep", None),
            ("desk/out", None),
            ("desk/out/deep", None),
            ("desk/real/../../outside", None),
            ("outside", None),
        ] {
            let found = left(&effective, &[here.join(root)]);
            assert_eq!(found, Vec::from_iter(expected), "{root}");
        }
        let both = [here.join("desk/inside"), here.join("desk/real")];
        assert_eq!(left(&effective, &both), ["/desk/real"]);
    }

    #[test]
    fn each_view_is_another_one() {
        let sandbox = Sandbox::open("test", &Effective::default()).unwrap();
        let (one, two) = (sandbox.without_directories(), sandbox.without_directories());
        assert!(sandbox.view != one.view && one.view != two.view);
        // And the limits are those of the plugin.
        assert!(Arc::ptr_eq(&sandbox.running, &two.running));
    }
}
