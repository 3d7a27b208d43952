//! How much is measured, and on which files.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;

use crate::args::Name;

/// A file as a server is asked for it: its absolute path and its content.
pub(crate) type FileToRead = (String, String);

/// Counts for one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// How often everything is measured.
    pub(crate) rounds: u32,
    /// Starts a round, of a server that starts fast.
    starts: u32,
    /// Starts a round, of the npm server.
    npm_starts: u32,
    /// Calls that are made before counting.
    pub(crate) warm_up: u64,
    /// Calls one at a time.
    pub(crate) calls: u64,
    /// Calls with many in flight.
    pub(crate) pipelined: u64,
    /// Calls for a large file with many in flight.
    pub(crate) large: u64,
    /// Requests over the network.
    gets: usize,
    /// How long a server may take for its part of one round.
    pub(crate) patience: Duration,
}

impl Plan {
    /// Enough to judge by.
    pub(crate) fn full(rounds: u32) -> Self {
        Self {
            rounds,
            starts: 20,
            npm_starts: 3,
            warm_up: 200,
            calls: 2_000,
            pipelined: 20_000,
            large: 160,
            gets: 3_000,
            patience: Duration::from_secs(120),
        }
    }

    /// Enough to see that the answers are right, with unoptimised binaries too.
    pub(crate) fn smoke() -> Self {
        Self {
            rounds: 1,
            starts: 2,
            npm_starts: 1,
            warm_up: 5,
            calls: 50,
            pipelined: 200,
            large: 32,
            gets: 64,
            patience: Duration::from_secs(300),
        }
    }

    /// Requests over the network a round, one at a time and then many at once.
    pub(crate) fn gets(&self) -> usize {
        self.gets
    }

    /// Starts of this server a round.
    pub(crate) fn starts(&self, name: Name) -> u32 {
        match name {
            Name::Npm => self.npm_starts,
            Name::Palisade | Name::Native => self.starts,
        }
    }
}

/// The bytes of a small file.
pub(crate) const SMALL: usize = 100;
/// The bytes of the large file: an answer with it is far larger than a pipe.
pub(crate) const LARGE: usize = 256 * 1024;

/// What is read: several small files, so that a mixed-up answer is noticed, and
/// one large one.
#[derive(Debug)]
pub(crate) struct Files {
    pub(crate) small: Vec<FileToRead>,
    pub(crate) large: FileToRead,
}

impl Files {
    /// Writes the files into `directory`.
    pub(crate) fn create(directory: &Path) -> anyhow::Result<Self> {
        let write = |name: String, size: usize| -> anyhow::Result<FileToRead> {
            let content: String = format!("The content of {name}, a line of text.\n")
                .chars()
                .cycle()
                .take(size)
                .collect();
            let path = directory.join(name);
            std::fs::write(&path, &content)
                .with_context(|| format!("{} can't be written", path.display()))?;
            let path = path.into_os_string().into_string();
            let path = path
                .ok()
                .context("the temporary directory's name is not UTF-8")?;
            Ok((path, content))
        };
        Ok(Self {
            small: (0..16)
                .map(|n| write(format!("small-{n:02}.txt"), SMALL))
                .collect::<anyhow::Result<_>>()?,
            large: write("large.txt".to_owned(), LARGE)?,
        })
    }
}
