use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

#[plugin]
impl Plugin {
    /// Uses a colon.
    #[tool(name: "hello")]
    fn colon(&self) {}

    /// Uses no parentheses.
    #[tool = "hello"]
    fn bare(&self) {}

    /// Is a tool twice.
    #[tool]
    #[tool]
    fn twice(&self) {}

    /// Describes a field of the arguments in the wrong place.
    #[tool]
    fn whole(&self, #[arg(name = "x")] args: Args<std::collections::BTreeMap<String, u8>>) {
        let _ = args;
    }
}

fn main() {}
