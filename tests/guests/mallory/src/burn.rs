//! Memory, stack, processor and time.

use std::hint::black_box;

use wasip2::clocks::monotonic_clock::subscribe_duration;

/// Bytes of a page of WebAssembly's memory.
const PAGE: usize = 64 * 1024;

fn grow() -> bool {
    core::arch::wasm32::memory_grow::<0>(1) != usize::MAX
}

fn pages() -> usize {
    core::arch::wasm32::memory_size::<0>()
}

pub(crate) fn grow_memory() -> String {
    while grow() {}
    format!("{}", pages() * PAGE)
}

pub(crate) fn memory_bomb() -> String {
    while grow() {
        let last = std::ptr::with_exposed_provenance_mut::<u8>((pages() - 1) * PAGE);
        for offset in (0..PAGE).step_by(4096) {
            // SAFETY: the page has just been made, and nobody knows of it.
            unsafe { last.add(offset).write_volatile(1) };
        }
    }
    core::arch::wasm32::unreachable()
}

pub(crate) fn recurse() -> String {
    deeper(black_box(0)).to_string()
}

/// Without anything on the stack that the guest itself keeps in memory: the
/// one that ends is the host's.
#[inline(never)]
#[allow(unconditional_recursion, reason = "it is to end with the stack")]
fn deeper(depth: u64) -> u64 {
    deeper(depth.wrapping_add(1)).wrapping_mul(3) ^ depth
}

pub(crate) fn spin() -> String {
    let mut turns = 0_u64;
    loop {
        turns = black_box(turns.wrapping_add(1));
    }
}

pub(crate) fn sleep(ms: u64) -> &'static str {
    subscribe_duration(ms * 1_000_000).block();
    "slept"
}
