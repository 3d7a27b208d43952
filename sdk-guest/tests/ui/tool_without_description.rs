use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

#[plugin]
impl Plugin {
    #[tool]
    fn mystery(&self) {}
}

fn main() {}
