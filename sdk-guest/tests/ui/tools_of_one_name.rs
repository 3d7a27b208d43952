use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

#[plugin]
impl Plugin {
    /// Reads a file.
    #[tool]
    fn read(&self) {}

    /// Reads it again.
    #[tool(name = "read")]
    fn read_again(&self) {}
}

fn main() {}
