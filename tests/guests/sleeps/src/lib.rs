//! A tool that takes its time and uses none of the processor's.

use std::time::Duration;

use palisade_sdk::prelude::*;

/// Sleeps.
#[derive(Default)]
struct Sleeps;

#[plugin]
impl Sleeps {
    /// Sleeps, then says so.
    #[tool]
    #[allow(
        clippy::disallowed_methods,
        reason = "a guest has one thread and is alone on it"
    )]
    fn nap(
        &self,
        /// For how long, in milliseconds.
        ms: u64,
    ) -> &'static str {
        std::thread::sleep(Duration::from_millis(ms));
        "slept"
    }

    /// The same, with progress before it and after it.
    #[tool]
    #[allow(
        clippy::disallowed_methods,
        reason = "a guest has one thread and is alone on it"
    )]
    fn nap_and_tell(
        &self,
        /// For how long, in milliseconds.
        ms: u64,
        ctx: &Context,
    ) -> &'static str {
        ctx.progress(1.0, Some(2.0), Some("before"));
        std::thread::sleep(Duration::from_millis(ms));
        ctx.progress(2.0, Some(2.0), Some("after"));
        "slept"
    }
}
