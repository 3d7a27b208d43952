//! Requests that cost the host something.

use palisade_sdk::prelude::*;
use wasip2::cli::stdout::get_stdout;
use wasip2::clocks::monotonic_clock::{subscribe_duration, subscribe_instant};
use wasip2::filesystem::types::{DescriptorFlags, OpenFlags, PathFlags};
use wasip2::io::poll::poll;
use wasip2::random::random::get_random_bytes;

use crate::files::{named, root};

pub(crate) fn random(length: u64) -> String {
    format!("{} bytes", get_random_bytes(length).len())
}

pub(crate) fn print_zeroes(length: u64) -> Result<&'static str> {
    get_stdout().write_zeroes(length)?;
    Ok("printed")
}

pub(crate) fn write_zeroes(mount: &str, path: &str, length: u64) -> Result<&'static str> {
    let file = root(mount)?
        .open_at(
            PathFlags::empty(),
            path,
            OpenFlags::CREATE,
            DescriptorFlags::WRITE,
        )
        .map_err(named)?;
    let stream = file.write_via_stream(0).map_err(named)?;
    stream.check_write()?;
    stream.write_zeroes(length)?;
    Ok("written")
}

pub(crate) fn print_unasked(length: usize) -> Result<&'static str> {
    get_stdout().write(&vec![b'x'; length])?;
    Ok("printed")
}

pub(crate) fn hold_timers(count: usize) -> String {
    let held: Vec<_> = (0..count).map(|_| subscribe_duration(1)).collect();
    format!("{} timers", held.len())
}

pub(crate) fn wait_for_ever() -> &'static str {
    subscribe_instant(u64::MAX).block();
    "the moment came"
}

pub(crate) fn poll_many(count: usize) -> &'static str {
    let never = subscribe_instant(u64::MAX);
    let all = vec![&never; count];
    poll(&all);
    "the moment came"
}
