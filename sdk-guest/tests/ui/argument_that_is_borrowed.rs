use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

#[plugin]
impl Plugin {
    /// Borrows a text that nobody owns.
    #[tool]
    fn hello(&self, name: &str) -> String {
        name.to_owned()
    }
}

fn main() {}
