//! What an instance keeps, for whoever comes next.

use std::sync::Mutex;

/// A static.
static KEPT: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Bytes of a page of WebAssembly's memory.
const PAGE: usize = 64 * 1024;

/// Pages that are used to hide something in.
const PAGES: usize = 64;

pub(crate) fn remember(text: &str) -> String {
    if let Ok(mut kept) = KEPT.lock() {
        kept.push(text.to_owned());
    }
    // Where no allocator looks: fresh pages, all of them full of it.
    let first = core::arch::wasm32::memory_grow::<0>(PAGES);
    if first == usize::MAX {
        return "remembered, once".to_owned();
    }
    let start = std::ptr::with_exposed_provenance_mut::<u8>(first * PAGE);
    for (offset, byte) in (0..PAGES * PAGE).zip(text.bytes().cycle()) {
        // SAFETY: the pages have just been made, and nobody knows of them.
        unsafe { start.add(offset).write_volatile(byte) };
    }
    "remembered".to_owned()
}

pub(crate) fn recall() -> String {
    let kept = KEPT.lock().map(|kept| kept.join(" ")).unwrap_or_default();
    let first = core::arch::wasm32::memory_grow::<0>(PAGES);
    if first == usize::MAX {
        return kept;
    }
    let start = std::ptr::with_exposed_provenance::<u8>(first * PAGE);
    let left = (0..PAGES * PAGE)
        // SAFETY: the pages have just been made, and are read as they are.
        .map(|offset| unsafe { start.add(offset).read_volatile() })
        .filter(|byte| *byte != 0)
        .count();
    format!("kept: {kept:?}, bytes left in new memory: {left}")
}
