use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Many {
    _field: u8,
}

#[plugin]
impl Plugin {
    /// Takes all and one more.
    #[tool]
    fn one_more(&self, args: Args<Many>, force: bool) {
        let _ = (args, force);
    }

    /// Takes one and then all.
    #[tool]
    fn one_before(&self, force: bool, args: Args<Many>) {
        let _ = (args, force);
    }
}

fn main() {}
