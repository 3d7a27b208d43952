//! Requests that cost the host something: handles, lists, waiting, work.

use std::hint::black_box;

use palisade_sdk::prelude::*;
use wasip2::cli::stdout::get_stdout;
use wasip2::clocks::monotonic_clock::{now, subscribe_duration, subscribe_instant};
use wasip2::filesystem::types::PathFlags;
use wasip2::io::poll;
use wasip2::random::random::get_random_bytes;

use crate::files::{file, mounted, named};

/// The file in a root that handles are opened of.
const FILE: &str = "a.txt";

/// Keeps `count` of what `make` makes.
fn keep<T>(count: u32, mut make: impl FnMut() -> Result<T>) -> Result<String> {
    let mut kept = Vec::new();
    for number in 0..count {
        match make() {
            Ok(one) => kept.push(one),
            Err(error) => bail!("after {number}: {error}"),
        }
    }
    Ok(format!("{} handles", kept.len()))
}

pub(crate) fn many_handles(kind: &str, count: u32, root: Option<&str>) -> Result<String> {
    let root = root.unwrap_or_default();
    match kind {
        "timers" => keep(count, || Ok(subscribe_duration(1))),
        "outputs" => keep(count, || Ok(get_stdout())),
        "files" => keep(count, || file(root, FILE)),
        "directories" => keep(count, || mounted(root)),
        // Each has a file of its own, whose handle is given back.
        "streams" => keep(count, || {
            file(root, FILE)?.read_via_stream(0).map_err(named)
        }),
        _ => bail!("{kind} are no handles"),
    }
}

pub(crate) fn many_lists(root: &str, count: u32) -> Result<String> {
    let directory = mounted(root)?;
    keep(count, || directory.read_directory().map_err(named))
}

pub(crate) fn poll(count: usize, again: bool) -> String {
    let soon = subscribe_instant(if again { 0 } else { now() });
    let all = vec![&soon; count];
    loop {
        let ready = poll::poll(&all).len();
        if !again {
            return format!("{ready} are ready");
        }
    }
}

pub(crate) fn host_calls(what: &str, root: Option<&str>) -> Result<String> {
    let root = root.unwrap_or_default();
    match what {
        "random" => loop {
            black_box(get_random_bytes(1 << 20));
        },
        "clock" => loop {
            black_box(now());
        },
        "poll" => {
            let past = subscribe_instant(0);
            let all = vec![&past; 100_000];
            loop {
                black_box(poll::poll(&all));
            }
        }
        "print" => loop {
            get_stdout().blocking_write_and_flush(&[b'x'; 4096])?;
        },
        "read" => {
            let file = file(root, FILE)?;
            loop {
                black_box(file.read(1 << 20, 0).map_err(named)?);
            }
        }
        "stat" => {
            let directory = mounted(root)?;
            loop {
                black_box(directory.stat_at(PathFlags::empty(), FILE)).map_err(named)?;
            }
        }
        "readdir" => {
            let directory = mounted(root)?;
            loop {
                black_box(directory.read_directory()).map_err(named)?;
            }
        }
        _ => bail!("{what} is nothing the host does"),
    }
}
