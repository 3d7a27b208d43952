use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

#[plugin]
impl Plugin {
    /// Has an argument without a name.
    #[tool]
    fn nameless(&self, (x, y): (u8, u8), _: bool) {
        let _ = (x, y);
    }

    /// Has two of one name.
    #[tool]
    fn twins(&self, size: u8, #[arg(name = "size")] other: u8) {
        let _ = (size, other);
    }
}

fn main() {}
