//! Tools that never come back, whatever they are told, and one that does.

use std::hint::black_box;
use std::time::{Duration, Instant};

use palisade_sdk::prelude::*;

/// Runs on.
#[derive(Default)]
struct LoopsForever;

#[plugin]
impl LoopsForever {
    /// Computes for ever and calls nothing.
    #[tool]
    fn spin(&self) -> String {
        let mut turns = 0_u64;
        loop {
            turns = black_box(turns.wrapping_add(1));
        }
    }

    /// Asks for ever whether it has been cancelled, and does not listen.
    #[tool]
    fn spin_hostcalls(&self, ctx: &Context) -> String {
        loop {
            black_box(ctx.cancelled());
        }
    }

    /// Reads the clock for ever.
    #[tool]
    fn spin_clock(&self) -> String {
        loop {
            black_box(Instant::now());
        }
    }

    /// Sleeps for ever, a thousandth of a second at a time.
    #[tool]
    #[allow(
        clippy::disallowed_methods,
        reason = "a guest has one thread and is alone on it"
    )]
    fn doze(&self) -> String {
        loop {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Takes a mebibyte and gives it back, for ever.
    #[tool]
    fn allocate_and_free(&self) -> String {
        loop {
            black_box(vec![1_u8; 1 << 20]);
        }
    }

    /// Comes back at once.
    #[tool]
    fn answer(&self) -> &'static str {
        "42"
    }
}
