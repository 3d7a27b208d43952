use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin<T>(T);

#[plugin]
impl<T: Default> Plugin<T> {
    /// Says hello.
    #[tool]
    fn hello(&self) {}
}

fn main() {}
