use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

#[plugin]
impl Plugin {
    /// Has a space in it.
    #[tool(name = "read file")]
    fn space(&self) {}

    /// Has nothing in it.
    #[tool(name = "")]
    fn empty(&self) {}

    /// Does not end.
    #[tool(
        name = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    )]
    fn long(&self) {}

    /// Is not ASCII.
    #[tool]
    fn größe(&self) {}
}

fn main() {}
