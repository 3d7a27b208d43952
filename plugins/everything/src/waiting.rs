//! Tools that take their time, and say so.
#![allow(
    clippy::disallowed_methods,
    reason = "nothing else runs in an instance while a call does, so it may sleep"
)]

use std::thread::sleep;
use std::time::{Duration, Instant};

use palisade_sdk::prelude::*;

const PAUSE: Duration = Duration::from_millis(50);

pub(crate) fn progress(ctx: &Context) -> &'static str {
    ctx.progress(0.0, Some(100.0), Some("Started"));
    for done in [50.0, 100.0] {
        sleep(PAUSE);
        ctx.progress(done, Some(100.0), Some("Going on"));
    }
    "Progress was reported three times."
}

pub(crate) fn logging(ctx: &Context) -> &'static str {
    ctx.info("Tool execution started");
    sleep(PAUSE);
    ctx.info("Tool processing data");
    sleep(PAUSE);
    ctx.info("Tool execution completed");
    "Three messages were logged."
}

/// Waits, in small steps so that a cancelled call ends soon.
pub(crate) fn wait(duration: Duration, ctx: &Context) -> Result<()> {
    let began = Instant::now();
    while let Some(left) = duration
        .checked_sub(began.elapsed())
        .filter(|left| !left.is_zero())
    {
        if ctx.cancelled() {
            bail!("cancelled");
        }
        sleep(left.min(PAUSE));
    }
    Ok(())
}
