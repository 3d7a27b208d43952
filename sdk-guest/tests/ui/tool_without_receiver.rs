use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

#[plugin]
impl Plugin {
    /// Says hello.
    #[tool]
    fn hello(name: String) -> String {
        name
    }

    /// Takes the plugin away.
    #[tool]
    fn by_value(self) {}
}

fn main() {}
