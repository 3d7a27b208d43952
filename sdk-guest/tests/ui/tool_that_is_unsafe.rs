use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

#[plugin]
impl Plugin {
    /// Promises something nobody keeps.
    #[tool]
    unsafe fn risky(&self) {}

    /// Is called from C.
    #[tool]
    extern "C" fn foreign(&self) {}
}

fn main() {}
