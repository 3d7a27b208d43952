use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

#[plugin]
impl Clone for Plugin {
    /// Clones it.
    #[tool]
    fn clone(&self) -> Self {
        Plugin
    }
}

fn main() {}
