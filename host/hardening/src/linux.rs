//! Landlock and seccomp.

use crate::{Active, Error, Wall};

mod calls;
mod filter;
mod landlock;
mod search;

/// For which threads something is to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Threads {
    /// All that there are, as far as the kernel can do that.
    All,
    /// The calling one.
    This,
}

pub(crate) fn restrict(wall: &Wall) -> Result<Active, Error> {
    both(wall, Threads::All)
}

pub(crate) fn probe() -> Result<Active, Error> {
    let tried = std::thread::Builder::new()
        .name("palisade-probe".to_owned())
        .spawn(|| both(&Wall::default(), Threads::This));
    let tried = tried.map_err(|error| Error::Probe(error.to_string()))?;
    tried
        .join()
        .unwrap_or_else(|_| Err(Error::Probe("it panicked".to_owned())))
}

/// Files first: the rules are made of paths that have to be opened.
fn both(wall: &Wall, threads: Threads) -> Result<Active, Error> {
    let others = match threads {
        Threads::All => other_threads(),
        Threads::This => 0,
    };
    let (landlock, reached) = landlock::restrict(wall, threads)?;
    let seccomp = filter::restrict(wall, threads)?;
    Ok(Active {
        landlock,
        seccomp,
        outside: if reached { 0 } else { others },
    })
}

/// Threads beside this one; at least one where that can't be known.
fn other_threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task");
    tasks.map_or(1, |tasks| tasks.count().saturating_sub(1))
}
