use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

#[plugin]
impl Plugin {
    /// Waits.
    #[tool]
    async fn wait(&self) -> Result<()> {
        Ok(())
    }
}

fn main() {}
