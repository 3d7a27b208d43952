//! Tools that crash, each in another way.

#![allow(
    clippy::panic,
    clippy::disallowed_methods,
    reason = "crashing is what this guest is for"
)]

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};

use palisade_sdk::prelude::*;

/// Survives calls of one instance, if an instance has more than one.
static CALLS: AtomicU32 = AtomicU32::new(0);

/// Crashes.
#[derive(Default)]
struct Traps {
    calls: u32,
}

#[plugin]
impl Traps {
    /// Panics.
    #[tool]
    fn panic(&mut self, message: String) -> String {
        self.count();
        panic!("{message}");
    }

    /// Runs into an `unreachable` instruction.
    #[tool]
    fn unreachable(&mut self) -> String {
        self.count();
        #[cfg(target_arch = "wasm32")]
        core::arch::wasm32::unreachable();
        #[cfg(not(target_arch = "wasm32"))]
        std::process::abort();
    }

    /// Recurses until the stack is full.
    #[tool]
    fn stack_overflow(&mut self) -> String {
        self.count();
        format!("{}", deeper(black_box(1)))
    }

    /// Aborts.
    #[tool]
    fn abort(&mut self) -> String {
        self.count();
        std::process::abort();
    }

    /// Leaves as a program does.
    #[tool]
    fn exit(&mut self, code: i32) -> String {
        self.count();
        std::process::exit(code);
    }

    /// Divides by zero.
    #[tool]
    fn divide_by_zero(&mut self) -> String {
        self.count();
        format!("{}", black_box(1) / black_box(0))
    }

    /// Reads beyond the end of its memory.
    #[tool]
    fn out_of_bounds(&mut self) -> String {
        self.count();
        let beyond = std::ptr::without_provenance::<u8>(0xffff_fff0);
        // SAFETY: none. Linear memory ends before this address, and the test
        // is about what the sandbox makes of that.
        let byte = unsafe { beyond.read_volatile() };
        format!("{byte}")
    }

    /// Says which call of this instance it is, by the plugin's own value and
    /// by a static.
    #[tool]
    fn count(&mut self) -> String {
        self.calls += 1;
        let of_static = CALLS.fetch_add(1, Ordering::Relaxed) + 1;
        format!(
            "call {} of the value, {of_static} of the static",
            self.calls
        )
    }
}

#[allow(unconditional_recursion, reason = "it is to end with the stack")]
fn deeper(depth: u64) -> u64 {
    let kept = black_box([depth; 16]);
    deeper(black_box(depth + 1)) + kept.iter().sum::<u64>()
}
