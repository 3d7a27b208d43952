use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

#[plugin(name = "hello")]
impl Plugin {
    /// Says hello.
    #[tool]
    fn hello(&self) {}
}

fn main() {}
