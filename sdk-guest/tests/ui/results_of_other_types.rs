use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

#[plugin]
impl Plugin {
    /// Is a number.
    #[resource(uri = "a://")]
    fn number(&self) -> u8 {
        1
    }

    /// Returns a number.
    #[prompt]
    fn prompt(&self) -> u8 {
        1
    }

    /// Asks something that is no question.
    #[tool]
    fn asks(&self, ctx: &Context) -> Result<String> {
        ctx.ask("name", "What is your name?")
    }
}

fn main() {}
