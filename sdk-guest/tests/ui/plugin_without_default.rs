use palisade_sdk::prelude::*;

struct Plugin;

#[plugin]
impl Plugin {
    /// Says hello.
    #[tool]
    fn hello(&self) {}
}

fn main() {}
