use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

#[plugin]
impl Plugin {
    /// Nearly.
    #[tool(readonly)]
    fn nearly(&self) {}

    /// Not at all.
    #[tool(colour = "blue")]
    fn not_at_all(&self) {}

    /// In an argument.
    #[tool]
    fn argument(&self, #[arg(defualt)] times: u32) {
        let _ = times;
    }
}

fn main() {}
