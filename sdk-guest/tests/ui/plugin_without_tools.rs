use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

#[plugin]
impl Plugin {
    /// Helps.
    #[allow(dead_code, reason = "not what this is about")]
    fn helper(&self) {}
}

fn main() {}
