use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

impl Plugin {
    /// Says hello.
    #[tool]
    pub fn hello(&self) {}
}

fn main() {}
