use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

#[plugin]
impl Plugin {
    /// Is not a flag.
    #[tool(read_only = "yes")]
    fn flag(&self) {}

    /// Is not a text.
    #[tool(title)]
    fn text(&self) {}

    /// Is said twice.
    #[tool(idempotent, idempotent = false)]
    fn twice(&self) {}

    /// Contradicts itself.
    #[tool(read_only, destructive)]
    fn contradiction(&self) {}
}

fn main() {}
