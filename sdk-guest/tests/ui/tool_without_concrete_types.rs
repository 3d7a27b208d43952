use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

#[plugin]
impl Plugin {
    /// Takes anything.
    #[tool]
    fn any<T: ToString>(&self, value: T) -> String {
        value.to_string()
    }

    /// Takes anything, in short.
    #[tool]
    fn short(&self, value: impl ToString) -> String {
        value.to_string()
    }

    /// Returns anything.
    #[tool]
    fn hidden(&self) -> impl IntoIterator<Item = Content> {
        []
    }

    /// Lends something out.
    #[tool]
    fn lent(&self) -> &str {
        "x"
    }

    /// Lends something out for longer.
    #[tool]
    fn named<'a>(&'a self) -> &'a str {
        "x"
    }
}

fn main() {}
